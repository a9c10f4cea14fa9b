import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueTestSupport
import CueVault
import Foundation
import Testing

@testable import CueEngine

/// A pack is gone from the vault, and the folder of one device has the only copy of what it held.
@Suite("The last copy of a document")
struct LastCopyTests {
    private static let names = ["Chapter.md", "Novel.scriv/Files/1.rtf"]

    private let store = MemoryStore()
    private let folder = TemporaryFolder()

    /// Two devices in sync, and a vault whose packs are gone.
    private func devices() throws -> (laptop: SyncDevice, desk: SyncDevice) {
        let laptop = try SyncDevice("laptop", in: folder, on: store)
        for name in Self.names { try laptop.write(name, "the text of \(name)") }
        try laptop.write("Novel.scriv/Files/2.rtf", "two")
        try laptop.write("Other.md", "other")
        try laptop.sync()
        let desk = try SyncDevice("desk", in: folder, on: store)
        try desk.sync()
        for pack in store.names where pack.hasPrefix("packs/") { store.set(pack, to: nil) }
        return (laptop, desk)
    }

    private func change(_ how: String, on device: SyncDevice) throws {
        for name in Self.names {
            if how == "deleted" { try device.remove(name) } else { try device.write(name, "new") }
        }
        if how == "deleted" { try device.remove("Novel.scriv") }
        Wait.milliseconds(250)
        try device.sync()
    }

    /// What the vault gives back of the first versions of `documents`.
    private func restored(
        from device: SyncDevice, _ documents: [String] = ["Chapter.md", "Novel.scriv"]
    ) throws -> [String] {
        let history = try History.load(device.vault)
        let first = history.versions.values.filter { $0.header.parents.isEmpty && $0.header.kind != .folder }
        var texts: [String] = []
        for version in first where documents.contains(Display.text(version.header.path)) {
            let target = TemporaryFolder()
            var request = RestoreRequest()
            request.version = version.id.description
            let summary = try Restore.run(request, VaultContext(device.vault), to: .folder(target.bytes))
            #expect(summary.failed.isEmpty && !summary.isDamaged, "\(summary.failed)")
            texts += try Self.names.filter(target.exists).map { try target.read($0) }
        }
        return texts.sorted()
    }

    @Test("Is stored again before another device's change is carried out", arguments: ["deleted", "rewritten"])
    func storedAgain(how: String) throws {
        let (laptop, desk) = try devices()
        try change(how, on: laptop)

        let summary = try desk.sync()

        let documents = ["Chapter.md", "Novel.scriv"]
        #expect(summary.storedAgain.map { Display.text($0) }.sorted() == documents, "\(summary)")
        #expect(summary.backup.lostPacks > 0 && summary.waiting.isEmpty && summary.backup.changed == 0)
        #expect((how == "deleted" ? summary.removed : summary.received).count == 2, "\(summary)")
        #expect(try restored(from: desk) == Self.names.map { "the text of \($0)" })
        #expect(try desk.sync().storedAgain.isEmpty)
    }

    @Test("Is found also where a checkpoint no longer holds its version")
    func summary() throws {
        let (laptop, desk) = try devices()
        try change("rewritten", on: laptop)
        let history = try History.load(laptop.vault)
        _ = try Checkpoint.write(history, to: laptop.vault)

        let summary = try desk.sync()

        #expect(summary.storedAgain.count == 2, "\(summary)")
        #expect(try restored(from: desk) == Self.names.map { "the text of \($0)" })
    }

    @Test("Stays where it cannot be stored again, and is named")
    func waits() throws {
        let (laptop, desk) = try devices()
        try change("deleted", on: laptop)
        var options = Sync.Options()
        options.backup.allowDeletions = true
        options.backup.resting = [RelativePath(trusted: Array("Chapter.md".utf8))]

        let summary = try Sync.run(desk.context, options)
        let before = desk.exists("Chapter.md")
        let next = try desk.sync()

        #expect(summary.waiting.map(\.reason) == [.lastCopy(.deleted)], "\(summary.waiting)")
        #expect(summary.storedAgain.map { Display.text($0) } == ["Novel.scriv"])
        // The backup with which the next sync began has stored it.
        #expect(before && !desk.exists("Chapter.md") && next.waiting.isEmpty)
        #expect(try restored(from: desk) == Self.names.map { "the text of \($0)" })
    }

    @Test("A restore refuses to write over it, and the next backup stores it")
    func restore() throws {
        let (laptop, desk) = try devices()
        try laptop.write("Chapter.md", "new")
        try laptop.sync()
        var request = RestoreRequest()
        request.names = ["Chapter.md"]
        let restore = {
            try Restore.run(request, VaultContext(desk.vault), to: .library(desk.library))
        }

        let refusal = #expect(throws: EngineError.self) { _ = try restore() }
        guard case .wouldOverwrite(["Chapter.md"]) = refusal else {
            Issue.record(refusal ?? EngineError.emptyVault)
            return
        }
        #expect(try desk.read("Chapter.md") == "the text of Chapter.md")
        let backup = try Backup.run(desk.context)
        _ = try restore()

        #expect(backup.lostPacks > 0 && backup.addedBytes > 0)
        #expect(try desk.read("Chapter.md") == "new")
        #expect(try restored(from: desk, ["Chapter.md"]) == ["the text of Chapter.md"])
    }

    @Test("What only gets another name here is not stored again")
    func renamed() throws {
        let (laptop, desk) = try devices()
        try laptop.rename("Chapter.md", "Chapter 1.md")
        try laptop.sync()

        let summary = try desk.sync()

        #expect(summary.storedAgain.isEmpty && summary.renamed.count == 1, "\(summary)")
    }
}
