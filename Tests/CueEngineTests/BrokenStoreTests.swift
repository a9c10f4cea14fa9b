import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueTestSupport
import CueVault
import Foundation
import Testing

@testable import CueEngine

@Suite("An engine on a store that does not give everything", .contentInPacks)
struct BrokenStoreTests {
    /// Why an object cannot be had.
    private static let reasons: [StorageError] = [
        .system("it", code: EIO), .noPermission("it"), .shortRead("it"), .notFound("it"),
    ]

    /// A library of two rounds: `Old.md` and `Notes.rtfd` in the first pack, `New.md` in the second.
    private static func library() throws -> (TestLibrary, packs: [String], logs: [String]) {
        let test = try TestLibrary()
        try test.write("Old.md", "old")
        try test.write("Notes.rtfd/TXT.rtf", "notes")
        try test.backup()
        let names = Set(test.store.names)
        try test.write("New.md", "new")
        try test.backup()
        let objects = [names.sorted(), test.store.names.filter { !names.contains($0) }]
        return (
            test, objects.compactMap { $0.first { $0.hasPrefix("packs/") } },
            objects.compactMap { $0.first { $0.hasPrefix("log/") } }
        )
    }

    private static func restore(_ test: TestLibrary, without object: String, _ reason: StorageError) throws
        -> Restore.Summary
    {
        let vault = TestLibrary.vault(on: BrokenStore(test.store, object: object, reason: reason))
        return try Restore.run(RestoreRequest(), VaultContext(vault), to: .folder(test.folder.bytes.appending("out")))
    }

    private static func names(_ object: String, _ reason: SkipReason) -> Bool {
        switch reason {
        case .damaged(.damaged(.object(object), _)), .damaged(.missing(.object(object))): true
        case .gap(.damaged(.damaged(.object(object), _))), .gap(.damaged(.missing(.object(object)))): true
        default: false
        }
    }

    @Test("A pack that cannot be read keeps back what it alone holds, and it is named", arguments: reasons)
    func pack(reason: StorageError) throws {
        let (test, packs, _) = try Self.library()

        let summary = try Self.restore(test, without: packs[0], reason)

        #expect(try test.contents(of: "out") == ["New.md": "new"])
        #expect(
            summary.failed.compactMap { $0.path.map { Display.text($0) } }.sorted() == ["Notes.rtfd/TXT.rtf", "Old.md"])
        #expect(summary.failed.allSatisfy { Self.names(packs[0], $0.reason) }, "\(summary.failed)")
        #expect(summary.isDamaged && summary.documents == 1, "\(summary)")
    }

    @Test("A commit that cannot be read keeps back what it alone tells, and it is named", arguments: reasons)
    func log(reason: StorageError) throws {
        let (test, _, logs) = try Self.library()
        try #require(logs.count == 2)

        let summary = try Self.restore(test, without: logs[0], reason)

        #expect(try test.contents(of: "out")["New.md"] == "new")
        #expect(summary.failed.contains { Self.names(logs[0], $0.reason) }, "\(summary.failed)")
        #expect(summary.isDamaged, "\(summary)")
    }

    @Test("A store that is gone altogether ends a restore, and is not called damage")
    func gone() throws {
        let (test, _, _) = try Self.library()
        let counting = FaultyStore(test.store)
        _ = try Restore.run(
            RestoreRequest(), VaultContext(TestLibrary.vault(on: counting)),
            to: .folder(test.folder.bytes.appending("all")))

        for call in 1...counting.calls {
            let vault = TestLibrary.vault(on: FaultyStore(test.store, failingAt: call, with: .gone))
            let target = test.folder.bytes.appending("out \(call)")
            do {
                _ = try Restore.run(RestoreRequest(), VaultContext(vault), to: .folder(target))
                Issue.record("call \(call) of \(counting.calls) was not missed")
            } catch StorageError.unreachable {
                guard test.folder.exists("out \(call)") else { continue }
                let left = try test.contents(of: "out \(call)").filter { !$0.value.isEmpty || $0.key.hasPrefix(".cue") }
                #expect(left.allSatisfy { ["old", "new", "notes"].contains($0.value) }, "call \(call): \(left)")
            }
        }
    }

    @Test("Whichever one call of a backup fails, the next backup completes and everything comes back")
    func backup() throws {
        let counted = try TestLibrary()
        let counting = FaultyStore(counted.store)
        try Self.fill(counted)
        _ = try Backup.run(EngineContext(counted.library, TestLibrary.vault(on: counting)))

        for call in 1...counting.calls {
            let test = try TestLibrary()
            try Self.fill(test)
            for fault in [FaultyStore.Fault.fail(.noSpace), .dropAnswer] {
                let vault = TestLibrary.vault(on: FaultyStore(test.store, failingAt: call, with: fault))
                _ = try? Backup.run(EngineContext(test.library, vault))
            }

            let next = try Backup.run(test.context)
            let restored = try Restore.run(
                RestoreRequest(), VaultContext(test.vault), to: .folder(test.folder.bytes.appending("out")))

            #expect(next.conflicting.isEmpty && !next.newDevice, "call \(call)")
            #expect(restored.failed.isEmpty && restored.copies.isEmpty, "call \(call): \(restored)")
            #expect(try test.contents(of: "out") == test.contents(), "call \(call)")
        }
    }

    private static func fill(_ test: TestLibrary) throws {
        try test.write("Old.md", "old")
        try test.write("Notes.rtfd/TXT.rtf", "notes")
        // Old enough to be read without a wait.
        let rest = try Program.run(
            "/bin/sh", ["-c", "find library -exec touch -d '1 minute ago' {} +; sleep 0.2"], in: test.folder.path)
        try #require(rest.code == 0)
    }
}

/// A store in which one object is there and cannot be had.
private struct BrokenStore: ObjectStore {
    private let inner: MemoryStore
    private let object: String
    private let reason: StorageError

    init(_ inner: MemoryStore, object: String, reason: StorageError) {
        (self.inner, self.object, self.reason) = (inner, object, reason)
    }

    func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter { try inner.makeWriter(for: name) }

    func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        if name.text == object { throw reason }
        try inner.read(name, at: offset, into: &buffer)
    }

    func size(of name: ObjectName) throws(StorageError) -> Int? { try inner.size(of: name) }
    func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage {
        try inner.list(folder, after: after)
    }
    func delete(_ name: ObjectName) throws(StorageError) { try inner.delete(name) }
}
