import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueTestSupport
import CueVault
import Foundation
import Testing

@testable import CueEngine

/// A backup that dies between its packs and its commit: as killed, or as the power goes.
@Suite("Packs that a killed backup left")
struct LeftPackTests {
    /// A store that takes packs, and fails at the first commit: before it, or when it is written and the answer gets
    /// lost.
    private static func failingCommits(on store: MemoryStore, isWritten: Bool) -> HookedStore {
        HookedStore(store) { name, writer throws(StorageError) in
            guard name.text.hasPrefix("log/") else { return writer }
            guard isWritten else { throw .unreachable(name.text) }
            return HookedWriter(writer) { writer throws(StorageError) in
                try writer.finish()
                throw .unreachable("the answer")
            }
        }
    }

    /// A library of six megabytes that do not compress, and a backup of it that dies.
    private static func killed(isWritten: Bool = false) throws -> TestLibrary {
        let device = try TestLibrary()
        var generator = SeededGenerator(seed: 7)
        for number in 1...6 { try device.write("\(number).txt", Self.noise(&generator)) }
        Wait.milliseconds(40)
        let vault = TestLibrary.vault(on: failingCommits(on: device.store, isWritten: isWritten))
        #expect(throws: (any Error).self) {
            _ = try Backup.run(EngineContext(device.library, vault))
        }
        return device
    }

    @Test("What such a pack holds as the difference from a pack that is lost since is stored again")
    func lostBase() throws {
        let device = try TestLibrary()
        var generator = SeededGenerator(seed: 8)
        let text = String(
            decoding: (0..<60_000).map { _ in UInt8.random(in: 33...126, using: &generator) }, as: UTF8.self)
        try device.write("Chapter.md", "A draft.")
        try device.backup()
        // With what stands beside it too much for a commit: the base stands in a pack.
        try device.write("Chapter.md", text)
        try device.write("Large.txt", Self.noise(&generator))
        try device.backup()
        let base = try #require(Self.packs(device).first)
        for number in 1...6 { try device.write("\(number).txt", Self.noise(&generator)) }
        try device.write("Chapter.md", text + " One more.")
        Wait.milliseconds(40)
        let vault = TestLibrary.vault(on: Self.failingCommits(on: device.store, isWritten: false))
        #expect(throws: (any Error).self) { _ = try Backup.run(EngineContext(device.library, vault)) }

        device.store.set(base, to: nil)
        try device.backup()

        try Self.expectAllComesBack(device)
    }

    /// A megabyte of letters that hardly compress.
    private static func noise(_ generator: inout SeededGenerator) -> String {
        Data(generator.bytes(800_000)).base64EncodedString()
    }

    private static func packs(_ device: TestLibrary) -> [String] {
        device.store.names.filter { $0.hasPrefix("packs/") }
    }

    /// Reads everything back. (A vault in memory has no key slots, which is another matter.)
    private static func check(_ device: TestLibrary) throws -> (isWhole: Bool, unreferenced: Int) {
        let report = try Check.run(VaultContext(device.vault), readData: true)
        return (!report.isContentHarmed && report.damagedDocuments.isEmpty, report.unreferenced)
    }

    private static func expectAllComesBack(_ device: TestLibrary) throws {
        let place = device.folder.bytes.appending("out")
        _ = try Restore.run(RestoreRequest(), VaultContext(device.vault), to: .folder(place))
        #expect(try device.contents(of: "out") == device.contents())
    }

    @Test("The next run takes them, and stores nothing again")
    func taken() throws {
        let device = try Self.killed()
        let packs = Self.packs(device)
        #expect(packs.count == 1)

        let summary = try Backup.run(device.context)

        #expect(Self.packs(device) == packs)
        #expect(summary.new == 6)
        #expect(summary.addedBytes < 1 << 20)
        let report = try Self.check(device)
        #expect(report.isWhole && report.unreferenced == 0)
        #expect(try device.library.store.read { try $0.leftPacks() }.packs.isEmpty)
        try Self.expectAllComesBack(device)
    }

    @Test("Of a backup that died after its commit nothing is stored again, and nothing is a claim")
    func diedAfterCommit() throws {
        let device = try Self.killed(isWritten: true)
        let packs = Self.packs(device)

        try device.backup()

        #expect(Self.packs(device) == packs)
        let (left, claims) = try device.library.store.read { (try $0.leftPacks(), try $0.claimedPacks()) }
        #expect(left.packs.isEmpty && claims.isEmpty)
        #expect(try Self.check(device).isWhole)
        try Self.expectAllComesBack(device)
    }

    @Test("One that is gone or cut since then holds nothing: its content is stored again")
    func gone() throws {
        for isCut in [false, true] {
            let device = try Self.killed()
            let name = try #require(Self.packs(device).first)
            device.store.set(name, to: isCut ? device.store.bytes(of: name)?.dropLast() : nil)

            let summary = try Backup.run(device.context)

            #expect(summary.addedBytes > 4 << 20)
            #expect(try Self.check(device).isWhole)
            try Self.expectAllComesBack(device)
        }
    }

    @Test("One whose content is not in the folder any more stays in no commit, and a check names it as harmless")
    func notNeeded() throws {
        let device = try Self.killed()
        for number in 1...6 { try device.write("\(number).txt", "short") }

        try device.backup()

        let report = try Self.check(device)
        #expect(report.isWhole && report.unreferenced == 1)
        try Self.expectAllComesBack(device)
    }

    @Test("What another's commit says of such a pack does not count")
    func contested() throws {
        let device = try Self.killed()
        let packs = try device.library.store.read { try $0.leftPacks() }
        let left = packs.record(try #require(packs.packs.indices.first))
        let blocks = left.blocks.map { block in
            BlockRecord(
                codec: block.codec, storedLength: block.storedLength, rawLength: block.rawLength,
                chunks: block.chunks.map { ChunkEntry(id: ChunkID(a: $0.id.a, b: 1, c: 1, d: 1), length: $0.length) })
        }
        let other = DeviceID.test(.max)
        var draft = CommitDraft(
            CommitRecord(
                previous: .none, time: Timestamp(milliseconds: 1), isSnapshot: true, isPartial: false, seen: []))
        draft.devices = [DeviceRecord(id: other, name: "x", made: Timestamp(milliseconds: 1))]
        draft.packs = [PackRecord(id: left.id, size: left.size, blocks: blocks)]
        _ = try device.vault.append(
            draft, at: LogPosition(device: other, generation: 1, commit: Vault.newCommitID()))

        let summary = try Backup.run(device.context)

        #expect(summary.addedBytes < 1 << 20)
        let own = try device.vault.log.all().filter { $0.position.device != other }
        #expect(try own.contains { try device.vault.commit($0).pack(left.id)?.encode() == left.encode() })
    }
}
