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
@Suite("The last copy of a document", .contentInPacks)
struct LastCopyTests {
    private static let names = ["Chapter.md", "Novel.scriv/Files/1.rtf"]

    private let store = MemoryStore()
    private let folder = TemporaryFolder()

    /// Two devices in sync, and a vault whose packs are gone, or as `broken` leaves them.
    private func devices(
        _ broken: ([UInt8]) -> [UInt8]? = { _ in nil }
    ) throws -> (laptop: SyncDevice, desk: SyncDevice) {
        let laptop = try SyncDevice("laptop", in: folder, on: store)
        for name in Self.names { try laptop.write(name, "the text of \(name)") }
        try laptop.write("Novel.scriv/Files/2.rtf", "two")
        try laptop.write("Other.md", "other")
        try laptop.sync()
        let desk = try SyncDevice("desk", in: folder, on: store)
        try desk.sync()
        for pack in store.names where pack.hasPrefix("packs/") {
            store.set(pack, to: store.bytes(of: pack).flatMap(broken))
        }
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
        _ = try Checkpoint.write(history, to: laptop.vault, by: laptop.library.device().key)

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

    @Test("A restore that may replace it stores it again first", arguments: ["gone", "damaged"])
    func overwritten(how: String) throws {
        let (laptop, desk) = try devices { how == "gone" ? nil : $0.map { $0 ^ 1 } }
        try laptop.write("Chapter.md", "new")
        try laptop.sync()
        var request = RestoreRequest()
        (request.names, request.overwrite) = (["Chapter.md"], true)

        let summary = try Restore.run(request, VaultContext(desk.vault), to: .library(desk.library))

        #expect(try desk.read("Chapter.md") == "new")
        #expect(summary.stored.map { Display.text($0.path) } == ["Chapter.md"])
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

    @Test(
        "A damaged pack of the right size holds nothing, whether a check has found it or not", arguments: [true, false])
    func broken(isChecked: Bool) throws {
        let laptop = try SyncDevice("laptop", in: folder, on: store)
        try laptop.write("Chapter.md", "the text of Chapter.md")
        try laptop.sync()
        let desk = try SyncDevice("desk", in: folder, on: store)
        try desk.sync()
        for pack in store.names where pack.hasPrefix("packs/") {
            store.set(pack, to: store.bytes(of: pack)?.map { $0 ^ 1 })
        }
        if isChecked {
            let report = try Check.run(desk.context.ofVault, of: desk.library, readData: true)
            try RollingCheck(desk.context).note(report)
            #expect(!report.brokenPacks.isEmpty)
        }
        try laptop.remove("Chapter.md")
        try laptop.sync()

        let summary = try desk.sync()

        // What a check has named is stored again by the backup with which the sync begins.
        #expect(summary.storedAgain.count == (isChecked ? 0 : 1) && !desk.exists("Chapter.md"), "\(summary)")
        #expect(summary.backup.lostPacks > 0)
        #expect(try restored(from: desk, ["Chapter.md"]) == ["the text of Chapter.md"])
    }

    @Test("A file that a power cut has damaged is neither a copy nor an edit")
    func damagedHere() throws {
        let (laptop, desk) = try devices()
        try CutShortTests.cut("Chapter.md", of: desk, to: 4)
        try CutShortTests.cut("Novel.scriv/Files/1.rtf", of: desk, to: 4)
        try change("deleted", on: laptop)

        let summary = try desk.sync()

        #expect(summary.backup.damaged.count == 2 && summary.backup.changed == 0, "\(summary)")
        #expect(summary.conflicts.isEmpty)
        #expect(!desk.exists("Chapter.md"))
    }

    @Test("A place in another pack counts only once the content was read there")
    func falsePlace() throws {
        let laptop = try SyncDevice("laptop", in: folder, on: store)
        try laptop.write("Chapter.md", "the text of Chapter.md")
        try laptop.sync()
        let desk = try SyncDevice("desk", in: folder, on: store)
        try desk.sync()
        // A commit with the key that says of another pack, which is there, that it holds the text.
        let packs = store.names.filter { $0.hasPrefix("packs/") }
        try ClaimTests.lie(about: "the text of Chapter.md", in: laptop.vault)
        for pack in packs { store.set(pack, to: nil) }
        try laptop.remove("Chapter.md")
        try laptop.sync()

        let summary = try desk.sync()

        #expect(summary.storedAgain.count == 1, "\(summary)")
        #expect(try restored(from: desk, ["Chapter.md"]) == ["the text of Chapter.md"])
    }

    @Test("The folder of one that waits does not come back on other devices")
    func folderOfOneThatWaits() throws {
        let (laptop, desk) = try devices()
        try laptop.write("Part/Letter.md", "a letter")
        try laptop.sync()
        try desk.sync()
        for pack in store.names where pack.hasPrefix("packs/") { store.set(pack, to: nil) }
        try laptop.remove("Part")
        try laptop.sync()
        var options = Sync.Options()
        options.backup.allowDeletions = true
        options.backup.resting = [RelativePath(trusted: Array("Part/Letter.md".utf8))]

        let summary = try Sync.run(desk.context, options)
        let kept = desk.exists("Part/Letter.md")
        try desk.sync()
        try laptop.sync()

        #expect(summary.waiting.contains { $0.reason == .lastCopy(.deleted) } && kept, "\(summary)")
        #expect(!desk.exists("Part") && !laptop.exists("Part"))
    }

    @Test("What a check names, and the folder still has, the next backup stores again", arguments: ["gone", "damaged"])
    func checked(how: String) throws {
        let laptop = try SyncDevice("laptop", in: folder, on: store)
        try laptop.write("Chapter.md", "the text of Chapter.md")
        try laptop.write("Novel.scriv/Files/1.rtf", "the text of Novel.scriv/Files/1.rtf")
        Wait.milliseconds(250)
        try laptop.sync()
        for pack in store.names where pack.hasPrefix("packs/") {
            store.set(pack, to: how == "gone" ? nil : store.bytes(of: pack)?.map { $0 ^ 1 })
        }
        let report = try Check.run(laptop.context.ofVault, of: laptop.library, readData: true)
        try RollingCheck(laptop.context).note(report)

        let summary = try Backup.run(laptop.context)

        #expect(summary.addedBytes > 0 && summary.changed == 0 && summary.lostPacks > 0, "\(summary)")
        #expect(try restored(from: laptop) == Self.names.map { "the text of \($0)" })
    }

    @Test("What another device writes over it from the whole part of a damaged pack does not replace it")
    func partOfDamagedPack() throws {
        let laptop = try SyncDevice("laptop", in: folder, on: store)
        var generator = SeededGenerator(seed: 5)
        let (old, new) = (generator.bytes(3 << 20), generator.bytes(60_000))
        for (name, bytes) in [("a.txt", old), ("b.txt", new)] {
            try laptop.folder.write("laptop/\(name)", Data(bytes))
        }
        try laptop.sync()
        let desk = try SyncDevice("desk", in: folder, on: store)
        try desk.sync()
        // One block of a.txt is damaged, and the desk knows of the pack.
        let name = try #require(store.names.first { $0.hasPrefix("packs/") })
        let good = try #require(store.bytes(of: name))
        let vault = desk.vault
        var history = try History.load(vault)
        let packs = try history.findPacks(in: vault)
        func holds(_ path: String) throws -> Bool {
            let version = try #require(
                history.state().live.first { Display.text($0.shown.header.path) == path }?.shown)
            let reader = try ContentReader(of: vault, history.index, packs)
            return try history.members(of: version.id).flatMap(\.chunks).allSatisfy { chunk in
                (try? reader.withChunk(chunk) { _ in true }) ?? false
            }
        }
        for at in stride(from: 100_000, to: good.count, by: 250_000) {
            var bytes = good
            bytes[at] ^= 1
            store.set(name, to: bytes)
            if try !holds("a.txt"), try holds("b.txt") { break }
        }
        try #require(try !holds("a.txt") && holds("b.txt"))
        let pack = try #require(history.index.packs.first).id
        try desk.library.store.write { try $0.addBroken([pack]) }
        try laptop.folder.write("laptop/a.txt", Data(new))
        Wait.milliseconds(250)
        try laptop.sync()

        let summary = try desk.sync()

        #expect(summary.storedAgain.map { Display.text($0) } == ["a.txt"], "\(summary)")
        let first = try #require(
            try History.load(vault).versions.values.first {
                $0.header.parents.isEmpty && Display.text($0.header.path) == "a.txt"
            })
        let target = TemporaryFolder()
        var request = RestoreRequest()
        request.version = first.id.description
        #expect(try Restore.run(request, VaultContext(vault), to: .folder(target.bytes)).failed.isEmpty)
        #expect(try Data(contentsOf: URL(fileURLWithPath: target.appending("a.txt"))) == Data(old))
    }

    /// One pack in the store which holds the same byte so often, each time as a chunk.
    private static func repeated(_ count: Int, in vault: Vault) throws -> (pack: PackRecord, chunk: ChunkID) {
        let uploads = PackUploads()
        let writer = try PackWriter(for: vault, uploads)
        let bytes = [UInt8](repeating: 0x78, count: count)
        try writer.add(bytes.span, id: vault.chunkID(of: bytes.span))
        try writer.finish()
        let made = try #require(try uploads.finish().first)
        let block = try #require(made.blocks.first)
        let chunk = vault.chunkID(of: [0x78].span)
        let entries = [ChunkEntry](repeating: ChunkEntry(id: chunk, length: 1), count: count)
        let record = PackRecord(
            id: made.id, size: made.size,
            blocks: [
                BlockRecord(
                    codec: block.codec, storedLength: block.storedLength, rawLength: block.rawLength, chunks: entries)
            ])
        return (record, chunk)
    }

    @Test(
        "Of a chunk that a list names thousands of times, in thousands of places, the places are looked at once",
        .timeLimit(.minutes(2)))
    func namedOften() throws {
        let (count, device) = (60_000, try SyncDevice("desk", in: folder, on: store))
        let (pack, chunk) = try Self.repeated(count, in: device.vault)
        let member = Member(
            path: .root, mode: 0o644, modified: FileTime(seconds: 1, nanoseconds: 0), attributes: [],
            content: .file(size: Int64(count), chunks: [ChunkID](repeating: chunk, count: count)))
        var draft = CommitDraft(
            CommitRecord(
                previous: .none, time: Timestamp(milliseconds: 0), isSnapshot: true, isPartial: false, seen: []))
        draft.packs = [pack]
        draft.versions = [
            VersionDraft(
                project: nil, parents: [], path: RelativePath(trusted: Array("x.txt".utf8)), kind: .file,
                edited: Timestamp(milliseconds: 0), isUnsettled: false, body: .full([member]))
        ]
        let position = LogPosition(device: .test(9), generation: 1, commit: CommitID(9))
        _ = try device.vault.append(draft, at: position)

        var history = try History.load(device.vault)
        let packs = try history.findPacks(in: device.vault)
        var copies = LastCopies(device.vault, history, packs, broken: [])
        let id = VersionID(commit: position.commit, number: 0)
        let entry = ScanEntry(
            name: Array("x.txt".utf8), kind: .file, stat: .none, project: id, base: id, fingerprint: 0, content: nil,
            depth: 0)

        #expect(try !copies.isLast(entry))
    }
}
