import CueBase
import CueSystem
import CueTestSupport
import CueVault
import Foundation
import GRDB
import Synchronization
import Testing

@testable import CueEngine
@testable import CueLibrary

@Suite("A restore is taken back")
struct RestoreUndoTests {
    private static func remove(_ name: String, _ test: TestLibrary) throws {
        try FileManager.default.removeItem(atPath: test.folder.appending("library/" + name))
    }

    @Test("What it replaced returns, and undone again it is restored again", arguments: [false, true])
    func replaced(isBackedUp: Bool) throws {
        let (test, first) = try RestoreOverwriteTests.twoStates()
        try test.write("Poem.md", "a line of today")
        let before = try test.contents()
        _ = try RestoreOverwriteTests.restore([], at: first, test)
        let restored = try test.contents()
        if isBackedUp { try test.backup() }

        let undone = try Restore.undo(test.context)

        #expect(try test.contents() == before)
        #expect(undone.documents == 2 && undone.stored.isEmpty && undone.removed.isEmpty, "\(undone)")
        if isBackedUp { try test.backup() }
        _ = try Restore.undo(test.context)
        #expect(try test.contents() == restored)
        _ = try Restore.undo(test.context)
        #expect(try test.contents() == before)
    }

    @Test("Work that was written after the restore is stored before it goes")
    func edited() throws {
        let (test, first) = try RestoreOverwriteTests.twoStates()
        _ = try RestoreOverwriteTests.restore([], at: first, test)
        try test.write("Poem.md", "an afterthought")

        let undone = try Restore.undo(test.context)

        #expect(try test.read("Poem.md") == "second")
        #expect(undone.stored.map { Display.text($0.path) } == ["Poem.md"])
        #expect(try RestoreOverwriteTests.texts(in: test).contains("an afterthought"))
        _ = try Restore.undo(test.context)
        #expect(try test.read("Poem.md") == "an afterthought")
    }

    @Test("What it brought goes if it is unchanged since; what was changed stays, and is named")
    func brought() throws {
        let (test, _) = try RestoreOverwriteTests.twoStates()
        try test.write("Poems/One.md", "one")
        try test.backup()
        for name in ["Poem.md", "Other.md", "Novel.scriv", "Poems"] { try Self.remove(name, test) }
        _ = try RestoreOverwriteTests.restore([], test)
        #expect(try test.contents().count == 6)
        try test.write("Other.md", "mine now")

        let undone = try Restore.undo(test.context)

        #expect(try test.contents() == ["Other.md": "mine now"])
        #expect(undone.removed.map { Display.text($0) } == ["Novel.scriv", "Poem.md", "Poems/One.md"])
        #expect(undone.stayed.map { Display.text($0) } == ["Other.md"])
        _ = try Restore.undo(test.context)
        #expect(try test.contents()["Poems/One.md"] == "one")
        #expect(try test.read("Other.md") == "mine now")
    }

    @Test("A deleted document that came back is deleted again, and that is no new deletion", arguments: [false, true])
    func revived(isBackedUp: Bool) throws {
        let (test, _) = try RestoreOverwriteTests.twoStates()
        try Self.remove("Poem.md", test)
        try test.backup()
        let deletions = { try History.load(test.vault).versions.values.count(where: \.header.isTombstone) }
        #expect(try deletions() == 1)
        _ = try RestoreOverwriteTests.restore(["Poem"], test)
        if isBackedUp { try test.backup() }

        let undone = try Restore.undo(test.context)
        try test.backup()

        #expect(undone.removed.map { Display.text($0) } == ["Poem.md"])
        #expect(
            try History.load(test.vault).state().live.allSatisfy { Display.text($0.shown.header.path) != "Poem.md" })
        // A version that was stored in between is one more to delete.
        #expect(try deletions() == (isBackedUp ? 2 : 1))
        try test.write("Poem.md", "another poem")
        try test.backup()
        let new = try History.load(test.vault).state().live.first { Display.text($0.shown.header.path) == "Poem.md" }
        #expect(new.map { $0.id == $0.shown.id } == true)
    }

    @Test("On a device that never had them, documents of others go without being deleted for others")
    func others() throws {
        let folder = TemporaryFolder()
        let store = MemoryStore()
        let (desk, laptop) = (
            try SyncDevice("desk", in: folder, on: store), try SyncDevice("laptop", in: folder, on: store)
        )
        try desk.write("Poem.md", "a poem")
        try desk.write("Novel.scriv/1.rtf", "a scene")
        Wait.milliseconds(50)
        try desk.sync()
        _ = try Restore.run(RestoreRequest(), VaultContext(laptop.vault), to: .library(laptop.library))
        Wait.milliseconds(50)
        _ = try Backup.run(laptop.context)

        let undone = try Restore.undo(laptop.context)

        #expect(try laptop.tree().isEmpty && undone.removed.count == 2)
        try laptop.sync()
        try desk.sync()
        let expected = ["Novel.scriv/": "", "Novel.scriv/1.rtf": "a scene", "Poem.md": "a poem"]
        #expect(try desk.tree() == expected)
        #expect(try laptop.tree() == expected)
    }

    /// A desk with documents, and a laptop that has restored two of them and a bundle, and has backed up.
    private static func restoredElsewhere() throws -> (desk: SyncDevice, laptop: SyncDevice) {
        let folder = TemporaryFolder()
        let store = MemoryStore()
        let (desk, laptop) = (
            try SyncDevice("desk", in: folder, on: store), try SyncDevice("laptop", in: folder, on: store)
        )
        for number in 1...9 { try laptop.write("Own \(number).md", "own \(number)") }
        Wait.milliseconds(40)
        _ = try Backup.run(laptop.context)
        for (name, text) in foreign { try desk.write(name, text) }
        Wait.milliseconds(40)
        try desk.sync()
        var request = RestoreRequest()
        request.names = ["One.md", "Poems", "Novel.scriv"]
        _ = try Restore.run(request, VaultContext(laptop.vault), to: .library(laptop.library))
        Wait.milliseconds(40)
        _ = try Backup.run(laptop.context)
        return (desk, laptop)
    }

    private static let foreign = ["One.md": "one", "Poems/Two.md": "two", "Novel.scriv/1.rtf": "a scene"]

    /// After an undo that was cut off: nothing is deleted or in conflict, whatever comes next.
    private static func expectNothingDeleted(
        _ desk: SyncDevice, _ laptop: SyncDevice, isEnded: Bool, _ comment: Comment
    ) throws {
        Wait.milliseconds(40)
        if isEnded { do { _ = try Restore.undo(laptop.context) } catch EngineError.noRestoreToUndo {} }
        let backup = try Backup.run(laptop.context)
        #expect(backup.removed == 0 && backup.conflicting.isEmpty, comment)
        let history = try History.load(laptop.vault)
        let tombstones = history.versions.values.count(where: \.header.isTombstone)
        let conflicts = history.state().live.count(where: \.isConflict)
        #expect(tombstones == 0 && conflicts == 0, comment)
        try laptop.sync()
        try desk.sync()
        for device in [desk, laptop] {
            let tree = try device.tree()
            let isWhole = foreign.allSatisfy { tree[$0.key] == $0.value }
            #expect(isWhole && tree["Own 1.md"] == "own 1", comment)
        }
    }

    @Test(
        "Wherever it is stopped, documents of others are not deleted for others", arguments: [false, true])
    func othersStopped(isEnded: Bool) throws {
        for call in 1... {
            let (desk, laptop) = try Self.restoredElsewhere()
            let asked = Mutex(0)
            let stopping = laptop.library.with(
                surroundings: Surroundings(
                    cancellation: Cancellation {
                        asked.withLock {
                            $0 += 1; return $0 >= call
                        }
                    }))
            var isStopped = false
            do { _ = try Restore.undo(EngineContext(stopping, laptop.vault)) } catch is Interrupted { isStopped = true }

            try Self.expectNothingDeleted(desk, laptop, isEnded: isEnded && isStopped, "stopped at \(call)")
            guard isStopped else { return #expect(call > 2) }
        }
    }

    @Test(
        "Wherever the local store is written for the last time, documents of others are not deleted for others",
        arguments: [false, true])
    func othersKilled(isEnded: Bool) throws {
        for writes in 0... {
            let (desk, laptop) = try Self.restoredElsewhere()
            try laptop.stopStore(after: writes)
            var isStopped = false
            do { _ = try Restore.undo(laptop.context) } catch is LibraryError { isStopped = true }
            try laptop.allowStore()

            try Self.expectNothingDeleted(desk, laptop, isEnded: isEnded && isStopped, "after \(writes) writes")
            guard isStopped else { return #expect(writes > 2) }
        }
    }

    @Test("One file of a bundle is taken back alone")
    func oneFile() throws {
        let (test, first) = try RestoreOverwriteTests.twoStates()
        try test.write("Novel.scriv/2.rtf", "another scene")
        let before = try test.contents()
        _ = try RestoreOverwriteTests.restore(["Novel"], at: first, file: "1.rtf", test)

        let undone = try Restore.undo(test.context)

        #expect(try test.contents() == before)
        #expect(undone.failed.isEmpty && undone.stayed.isEmpty)
    }

    @Test("Deletions that wait for a person's consent still wait after a document was stored alone")
    func heldBack() throws {
        let (test, first) = try RestoreOverwriteTests.twoStates()
        for number in 1...6 { try test.write("Page \(number).md", "page \(number)") }
        try test.backup()
        for number in 1...6 { try Self.remove("Page \(number).md", test) }
        Wait.milliseconds(40)
        #expect(try Backup.run(test.context).heldBack.count == 6)
        try test.write("Poem.md", "a line of today")

        _ = try RestoreOverwriteTests.restore(["Poem"], at: first, test)

        #expect(try test.library.store.read { try $0.leftUndone() }.heldBack.count == 6)
        #expect(try !History.load(test.vault).versions.values.contains { $0.header.isTombstone })
        Wait.milliseconds(40)
        #expect(try Backup.run(test.context).heldBack.count == 6)
    }

    @Test("Without a restore there is nothing to undo")
    func none() throws {
        let (test, _) = try RestoreOverwriteTests.twoStates()

        #expect(throws: EngineError.noRestoreToUndo) { try Restore.undo(test.context) }
        // A restore that had nothing to do is none.
        _ = try RestoreOverwriteTests.restore([], test)
        #expect(throws: EngineError.noRestoreToUndo) { try Restore.undo(test.context) }
    }

    @Test("Wherever it is stopped, nothing is lost, and the next one ends it")
    func stopped() throws {
        for call in 1... {
            let (test, first) = try RestoreOverwriteTests.twoStates()
            try Self.remove("Other.md", test)
            let before = try test.contents()
            _ = try RestoreOverwriteTests.restore([], at: first, test)
            try test.write("Poem.md", "an afterthought")
            let asked = Mutex(0)
            let stopping = test.library.with(
                surroundings: Surroundings(
                    cancellation: Cancellation {
                        asked.withLock {
                            $0 += 1; return $0 >= call
                        }
                    }))
            var isStopped = false
            do { _ = try Restore.undo(EngineContext(stopping, test.vault)) } catch is Interrupted { isStopped = true }

            let texts = try RestoreOverwriteTests.texts(in: test).union(try test.contents().values)
            #expect(texts.isSuperset(of: ["an afterthought", "second", "first"]), "stopped at \(call)")
            if isStopped {
                let isBack = try test.contents() == before
                if !isBack { _ = try Restore.undo(test.context) }
            }
            #expect(try test.contents() == before, "stopped at \(call)")
            guard isStopped else { return #expect(call > 5) }
        }
    }
}

extension SyncDevice {
    private static let tables = ["meta", "folder", "bundle", "bundle_key", "unlinked", "revived"]

    /// Lets the local store take so many more rows; from then on it refuses everything.
    fileprivate func stopStore(after writes: Int) throws {
        try library.store.write { transaction in
            try transaction.database.execute(
                sql: "CREATE TABLE stop (rest INTEGER); INSERT INTO stop VALUES (\(writes))")
            for table in Self.tables {
                for event in ["INSERT", "UPDATE", "DELETE"] {
                    try transaction.database.execute(
                        sql: """
                            CREATE TRIGGER stop_\(table)_\(event) BEFORE \(event) ON \(table) BEGIN
                                SELECT RAISE(ABORT, 'stopped') WHERE (SELECT rest FROM stop) <= 0;
                                UPDATE stop SET rest = rest - 1;
                            END
                            """)
                }
            }
        }
    }

    fileprivate func allowStore() throws {
        try library.store.write { transaction in
            for table in Self.tables {
                for event in ["INSERT", "UPDATE", "DELETE"] {
                    try transaction.database.execute(sql: "DROP TRIGGER stop_\(table)_\(event)")
                }
            }
            try transaction.database.execute(sql: "DROP TABLE stop")
        }
    }
}
