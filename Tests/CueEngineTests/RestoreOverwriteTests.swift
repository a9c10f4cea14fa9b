import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueTestSupport
import CueVault
import Foundation
import Synchronization
import Testing

@testable import CueEngine

@Suite("A restore that may replace work stores it first")
struct RestoreOverwriteTests {
    /// A library with two snapshots; gives the first one's id.
    static func twoStates() throws -> (test: TestLibrary, first: String) {
        let test = try TestLibrary()
        for name in ["Poem.md", "Other.md", "Novel.scriv/1.rtf"] { try test.write(name, "first") }
        let first = try test.backup()
        for name in ["Poem.md", "Novel.scriv/1.rtf"] { try test.write(name, "second") }
        try test.backup()
        return (test, first)
    }

    static func restore(
        _ names: [String], at: String? = nil, version: String? = nil, file: String? = nil, overwrite: Bool = true,
        _ test: TestLibrary, on library: OpenLibrary? = nil
    ) throws -> Restore.Summary {
        var request = RestoreRequest()
        (request.names, request.at, request.version) = (names, at, version)
        (request.file, request.overwrite) = (file, overwrite)
        let library = library ?? test.library
        return try Restore.run(
            request, VaultContext(test.vault, surroundings: library.surroundings), to: .library(library))
    }

    /// The texts of every version of every file in the vault.
    static func texts(in test: TestLibrary) throws -> Set<String> {
        var history = try History.load(test.vault)
        let packs = try history.findPacks(in: test.vault)
        let reader = try ContentReader(of: test.vault, history.index, packs)
        var texts: Set<String> = []
        for version in history.versions.values where !version.header.isTombstone {
            for member in try history.members(of: version.id) {
                guard case .file = member.content else { continue }
                var bytes: [UInt8] = []
                for chunk in member.chunks {
                    try reader.withChunk(chunk) { span in for i in span.indices { bytes.append(span[i]) } }
                }
                texts.insert(String(decoding: bytes, as: UTF8.self))
            }
        }
        return texts
    }

    @Test(
        "A line that was written since the last backup is in a version afterwards, and named with it",
        arguments: ["Poem.md", "Novel.scriv"])
    func unsaved(name: String) throws {
        let (test, first) = try Self.twoStates()
        let file = name == "Poem.md" ? name : "Novel.scriv/1.rtf"
        try test.write(file, "a line of today")
        try test.write("Other.md", "not in the way")
        try FileManager.default.removeItem(
            atPath: test.folder.appending("library/" + (name == "Poem.md" ? "Novel.scriv" : "Poem.md")))

        #expect(throws: EngineError.wouldOverwrite([name])) {
            try Self.restore([name], at: first, overwrite: false, test)
        }
        let summary = try Self.restore([name], at: first, test)

        #expect(try test.read(file) == "first")
        #expect(summary.stored.map { Display.text($0.path) } == [name])
        let version = try #require(summary.stored.first?.version.short)
        #expect(try Self.texts(in: test).contains("a line of today"))
        // Only what was in the way was stored, and no deletion.
        #expect(try !Self.texts(in: test).contains("not in the way"))
        let history = try History.load(test.vault)
        #expect(!history.versions.values.contains { $0.header.isTombstone })
        try test.backup()
        _ = try Self.restore([], version: version, test)
        #expect(try test.read(file) == "a line of today")
    }

    @Test("What the vault holds as it is, such as the result of another restore, is not stored again")
    func restoredTwice() throws {
        let (test, first) = try Self.twoStates()
        _ = try Self.restore([], at: first, overwrite: false, test)
        let before = test.store.names.count

        let summary = try Self.restore([], overwrite: false, test)

        #expect(try test.read("Poem.md") == "second")
        #expect(summary.stored.isEmpty && test.store.names.count == before)
    }

    @Test("One file of a bundle is replaced once the bundle is stored, and freely while it is")
    func oneFile() throws {
        let (test, first) = try Self.twoStates()
        let free = try Self.restore(["Novel"], at: first, file: "1.rtf", overwrite: false, test)
        #expect(try test.read("Novel.scriv/1.rtf") == "first")
        #expect(free.stored.isEmpty)
        try test.write("Novel.scriv/1.rtf", "a scene of today")
        try test.write("Novel.scriv/2.rtf", "another")

        let summary = try Self.restore(["Novel"], at: first, file: "1.rtf", test)

        #expect(summary.stored.map { Display.text($0.path) } == ["Novel.scriv"])
        #expect(try test.read("Novel.scriv/1.rtf") == "first")
        #expect(try Self.texts(in: test).isSuperset(of: ["a scene of today", "another"]))
    }

    @Test("Nothing is replaced if the vault does not take what is in the way")
    func readOnlyVault() throws {
        let (test, first) = try Self.twoStates()
        try test.write("Poem.md", "a line of today")
        let vault = TestLibrary.vault(on: RefusingStore(test.store))
        var request = RestoreRequest()
        (request.at, request.overwrite) = (first, true)

        #expect {
            try Restore.run(request, VaultContext(vault), to: .library(test.library))
        } throws: { error in
            guard let error = error as? NotStored, case .failed = error.cause else { return false }
            return error.documents.map { Display.text($0) } == ["Poem.md"]
        }

        #expect(try test.contents()["Poem.md"] == "a line of today")
        #expect(try test.contents()["Novel.scriv/1.rtf"] == "second")
    }

    @Test("Nothing is replaced if the rules leave out what is in the way")
    func ignored() throws {
        let (test, first) = try Self.twoStates()
        try test.write(".cueignore", "Poem.md\n")
        try test.backup()
        try test.write("Poem.md", "a line of today")

        #expect {
            try Self.restore(["Poem"], at: first, test)
        } throws: { error in
            guard let error = error as? NotStored, case .ignored = error.cause else { return false }
            return true
        }
        #expect(try test.read("Poem.md") == "a line of today")
    }

    @Test("In a folder that is no library, what no version holds gets a name beside")
    func otherFolder() throws {
        let (test, first) = try Self.twoStates()
        var request = RestoreRequest()
        request.at = first
        let out = Restore.Destination.folder(test.folder.bytes.appending("out"))
        _ = try Restore.run(request, VaultContext(test.vault), to: out)
        try test.folder.write("out/Novel.scriv/1.rtf", "mine")
        try test.folder.write("out/Other.md", "mine too")
        (request.at, request.overwrite) = (nil, true)

        let summary = try Restore.run(request, VaultContext(test.vault), to: out)

        #expect(
            summary.aside.map { Display.text($0) } == [
                "Novel (kept by restore).scriv", "Other (kept by restore).md",
            ])
        #expect(try test.folder.read("out/Novel (kept by restore).scriv/1.rtf") == "mine")
        #expect(try test.folder.read("out/Other (kept by restore).md") == "mine too")
        // A version of the vault needs no name.
        #expect(try test.folder.read("out/Poem.md") == "second")
        #expect(summary.failed.isEmpty && summary.isTidy)
    }

    @Test("Wherever it is stopped, every text is in the folder or in a version, and it can be undone")
    func stopped() throws {
        for call in 1... {
            let (test, first) = try Self.twoStates()
            try test.write("Poem.md", "a line of today")
            try test.write("Novel.scriv/1.rtf", "a scene of today")
            let asked = Mutex(0)
            let stopping = test.library.with(
                surroundings: Surroundings(
                    cancellation: Cancellation {
                        asked.withLock {
                            $0 += 1; return $0 >= call
                        }
                    }))
            var isStopped = false
            do { _ = try Self.restore([], at: first, test, on: stopping) } catch is Interrupted { isStopped = true }

            let texts = try Self.texts(in: test).union(try test.contents().values)
            #expect(texts.isSuperset(of: ["a line of today", "a scene of today"]), "stopped at \(call)")
            do { _ = try Restore.undo(test.context) } catch EngineError.noRestoreToUndo { #expect(isStopped) }
            #expect(try test.read("Poem.md") == "a line of today", "stopped at \(call)")
            #expect(try test.read("Novel.scriv/1.rtf") == "a scene of today", "stopped at \(call)")
            guard isStopped else { return #expect(call > 5) }
        }
    }
}

/// A store that takes nothing.
private final class RefusingStore: ObjectStore {
    private let inner: MemoryStore

    init(_ inner: MemoryStore) { self.inner = inner }

    var readsAreDownloads: Bool { false }
    var writer: String { "" }

    func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter { throw .readOnly }
    func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        try inner.read(name, at: offset, into: &buffer)
    }
    func size(of name: ObjectName) throws(StorageError) -> Int? { try inner.size(of: name) }
    func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage {
        try inner.list(folder, after: after)
    }
    func delete(_ name: ObjectName) throws(StorageError) { throw .readOnly }
    func forget(_ name: ObjectName) {}
    func removeLeftovers(of writer: String) {}
}
