import CueBase
import CueCrypto
import CueStorage
import CueTestSupport
import Testing

@testable import CueVault

@Suite("Commits and checkpoints that are read piece by piece")
struct LargeRecordTests {
    private let vault = TestVault()
    private let targets: [[UInt8]]
    private let commit: String

    /// A commit of several mebibytes that do not compress: eleven pieces, two or three frames.
    init() throws {
        var generator = SeededGenerator(seed: 21)
        targets = (0..<700).map { _ in generator.bytes(4000).map { max(1, $0) } }
        let drafts = targets.enumerated().map { number, target in
            TestVault.draft(
                "link \(number)", kind: .symlink, .full([TestVault.member("", .symlink(target: target))]))
        }
        var device = TestVault.Device(1)
        commit = ObjectRecordLog.name(of: try vault.commit(&device, drafts)).text
    }

    private func expectWhole(_ history: History) throws {
        let found = try history.state().live.map { try history.members(of: $0.shown.id)[0].content }
        #expect(Set(found) == Set(targets.map { Content.symlink(target: $0) }))
    }

    @Test("A commit and a checkpoint of many pieces come back as they were")
    func whole() throws {
        try expectWhole(try History.load(vault.vault))
        try Checkpoint.write(try History.load(vault.vault), to: vault.vault)
        let latest = try History.loadLatest(vault.vault)
        #expect(latest.isSummary && latest.commits.isEmpty && latest.missing.isEmpty && latest.damaged.isEmpty)
        try expectWhole(latest)
        // Also from the checkpoint alone, with the commit named as missing.
        vault.store.set(commit, to: nil)
        let rescued = try History.loadLatest(vault.vault)
        #expect(rescued.missing.count == 1 && rescued.damaged.isEmpty)
        try expectWhole(rescued)
    }

    @Test("One bit that is changed in any piece refuses all of it")
    func changed() throws {
        let bytes = try #require(vault.store.bytes(of: commit))
        for at in Array(stride(from: 0, to: bytes.count, by: 100_003)) + [bytes.count - 1] {
            var broken = bytes
            broken[at] ^= 4
            vault.store.set(commit, to: broken)
            let history = try History.load(vault.vault)
            #expect(history.damaged.count == 1 && history.versions.isEmpty, "\(at)")
        }
    }

    @Test("An end that is cut off, also between two pieces, or that is added, refuses all of it")
    func cut() throws {
        let bytes = try #require(vault.store.bytes(of: commit))
        let piece = 16 * Cobblestone.sealedChunk
        let borders = stride(from: SealedObject.header, to: bytes.count, by: piece)
        let chunks = stride(from: SealedObject.header, to: bytes.count, by: 13 * Cobblestone.sealedChunk)
        for count in [0, 55, 56, bytes.count - 1] + borders + chunks {
            vault.store.set(commit, to: Array(bytes[..<count]))
            #expect(try History.load(vault.vault).versions.isEmpty, "\(count)")
        }
        for more in [1, 16, Cobblestone.sealedChunk, piece] {
            vault.store.set(commit, to: bytes + [UInt8](repeating: 0, count: more))
            #expect(try History.load(vault.vault).versions.isEmpty, "\(more)")
        }
    }

    @Test("An object cut where a frame and a piece end together is refused, whatever stands in its last piece's place")
    func forgedEnd() throws {
        let vault = TestVault()
        var device = TestVault.Device(1)
        let name = ObjectRecordLog.name(of: try vault.commit(&device))
        for pieces in 1...2 {
            // A byte says that there are no inline blocks; of the frame, 7 bytes are its head; of the record of an
            // unknown kind, 4 are. The signature follows.
            let length = pieces * 16 * Cobblestone.chunk - 8
            var records = RawRecords.commit(previous: 0)
            records.add(99, [UInt8](repeating: 7, count: length - records.bytes.count - 4))
            let plaintext = records.signed(vault.vault.context(.commit, name), by: TestKeys.key(1))
            let sealed = vault.vault.seal(plaintext, .commit, name)
            vault.store.set(name.text, to: sealed)
            #expect(try History.load(vault.vault).damaged.isEmpty)

            let cut = Array(sealed[..<(SealedObject.header + pieces * 16 * Cobblestone.sealedChunk)])
            for tail in [[UInt8](repeating: 0, count: 16), Array(sealed.suffix(16)), []] {
                vault.store.set(name.text, to: cut + tail)
                let history = try History.load(vault.vault)
                #expect(history.damaged.count == 1 && history.commits.isEmpty, "\(pieces) \(tail.count)")
            }
        }
    }
}
