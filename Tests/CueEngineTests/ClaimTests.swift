import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueTestSupport
import CueVault
import Foundation
import Testing

@testable import CueEngine

/// Commits of others say where content lies. They may lie: what this device stores stands on what it wrote or compared
/// itself.
@Suite("What other devices say that they stored", .contentInPacks)
struct ClaimTests {
    static let text = "The contract, word by word, as both of them have it."

    /// Writes a commit which claims that a pack with other bytes holds `text`.
    @discardableResult
    static func lie(
        about text: String = text, in vault: Vault, as device: DeviceID = .test(.max),
        generation: UInt64 = 1
    ) throws -> (commit: LogPosition, pack: PackID) {
        let uploads = PackUploads()
        let writer = try PackWriter(for: vault, uploads)
        let other = [UInt8](repeating: 0x78, count: text.utf8.count)
        try writer.add(other.span, id: vault.chunkID(of: other.span))
        try writer.finish()
        let made = try #require(try uploads.finish().first)
        let block = try #require(made.blocks.first)
        let wanted = vault.chunkID(of: Array(text.utf8).span)
        let lie = PackRecord(
            id: made.id, size: made.size,
            blocks: [
                BlockRecord(
                    codec: block.codec, storedLength: block.storedLength, rawLength: block.rawLength,
                    chunks: [ChunkEntry(id: wanted, length: UInt32(other.count))])
            ])
        var draft = CommitDraft(
            CommitRecord(
                previous: generation == 1 ? .none : CommitID(9), time: Timestamp(milliseconds: 1), isSnapshot: true,
                isPartial: false, seen: []))
        if generation == 1 { draft.devices = [DeviceRecord(id: device, name: "x", made: Timestamp(milliseconds: 1))] }
        draft.packs = [lie]
        let position = LogPosition(device: device, generation: generation, commit: Vault.newCommitID())
        _ = try vault.append(draft, at: position)
        return (position, made.id)
    }

    private static func backUp(_ device: TestLibrary) throws -> Backup.Summary {
        Wait.milliseconds(40)
        return try Backup.run(device.context)
    }

    private static func packs(_ store: MemoryStore) -> [String] { store.names.filter { $0.hasPrefix("packs/") } }

    @Test("A text that another's commit claims and its pack does not hold is stored, and the commit is named once")
    func lie() throws {
        let device = try TestLibrary()
        try device.write("Old.md", "old")
        try device.backup()
        let lie = try Self.lie(in: device.vault)
        try device.write("Contract.md", Self.text)

        let summary = try Self.backUp(device)

        #expect(summary.falseClaims.map(\.pack) == [lie.pack])
        #expect(summary.falseClaims.first?.commits == [lie.commit])
        device.store.set(PackRecord.name(of: lie.pack).text, to: nil)
        try Self.expectRestored(device, ["Old.md": "old", "Contract.md": Self.text])
        try device.write("Copy.md", Self.text)
        #expect(try Self.backUp(device).falseClaims.isEmpty)
    }

    @Test("A commit under this device's own id that it does not remember is a claim as any other")
    func ownName() throws {
        let device = try TestLibrary()
        try device.write("Old.md", "old")
        try device.backup()
        let own = try device.library.device()
        let lie = try Self.lie(in: device.vault, as: own.id, generation: own.generation + 1)
        try device.write("Contract.md", Self.text)

        let summary = try Self.backUp(device)

        #expect(summary.newDevice)
        #expect(summary.falseClaims.map(\.pack) == [lie.pack])
        #expect(try device.library.store.read { try $0.knownChunks() }.count == 2)
    }

    @Test("What another device stored is compared once, byte by byte, and not stored again")
    func truth() throws {
        let first = try TestLibrary()
        let text = String(repeating: "Many words. ", count: 20_000)
        try first.write("Long.md", text)
        try first.backup()
        let second = try TestLibrary(on: first.store)
        let packs = Self.packs(first.store)
        try second.write("Long.md", text)
        try second.write("Mine.md", text)

        let summary = try Self.backUp(second)

        #expect(summary.falseClaims.isEmpty)
        #expect(Self.packs(first.store) == packs)
        let (claims, known) = try second.library.store.read { (try $0.claimedPacks(), try $0.knownChunks()) }
        #expect(claims.isEmpty, "there is nothing left to compare")
        #expect(known.count > 1)
        // So it need not be read again.
        first.store.set(packs[0], to: first.store.bytes(of: packs[0])?.map { _ in 0 })
        try second.write("Third.md", text)
        #expect(try Self.backUp(second).falseClaims.isEmpty)
    }

    @Test("A pack of another device whose bytes are damaged carries nothing that is stored from then on")
    func damaged() throws {
        let first = try TestLibrary()
        try first.write("Long.md", Self.text)
        try first.backup()
        let name = try #require(Self.packs(first.store).first)
        var bytes = try #require(first.store.bytes(of: name))
        bytes[100] ^= 1
        first.store.set(name, to: bytes)
        let second = try TestLibrary(on: first.store)
        try second.write("Mine.md", Self.text)

        let summary = try Self.backUp(second)

        #expect(summary.falseClaims.count == 1)
        #expect(Self.packs(first.store).count == 2)
    }

    @Test("Where reading costs a download the rolling check reads claims first, and a false one carries nothing then")
    func remote() throws {
        let device = try TestLibrary(on: MemoryStore(readsAreDownloads: true))
        for number in 1...40 {
            try device.write("Old.md", "old \(number)")
            try device.backup()
        }
        let header = #"{"format":2,"vault":"\#(device.vault.id)"}"#
        device.store.set("vault.json", to: Array(header.utf8))
        let lie = try Self.lie(in: device.vault)
        try device.write("Contract.md", Self.text)
        #expect(try Self.backUp(device).falseClaims.isEmpty, "it is believed until it was read")

        let check = RollingCheck(device.context)
        var slice = try check.begin(days: 40)
        try check.step(&slice)
        let report = try check.finish(slice)

        #expect(report.packs == 1)
        #expect(report.problems.count == 1)
        try device.write("Copy.md", Self.text)
        try device.backup()
        device.store.set(PackRecord.name(of: lie.pack).text, to: nil)
        try Self.expectRestored(device, ["Copy.md": Self.text], only: ["Copy.md"])
    }

    private static func expectRestored(
        _ device: TestLibrary, _ files: [String: String], only names: [String] = []
    ) throws {
        var request = RestoreRequest()
        request.names = names
        let place = device.folder.bytes.appending("out")
        _ = try Restore.run(request, VaultContext(device.vault), to: .folder(place))
        #expect(try device.contents(of: "out") == files)
    }
}
