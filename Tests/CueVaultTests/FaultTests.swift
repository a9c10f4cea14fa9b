import CueBase
import CueStorage
import CueTestSupport
import CueVault
import Testing

/// The main property: wherever a commit fails, what was there is whole, and a fresh commit works.
@Suite("Faults while committing")
struct FaultTests {
    private typealias T = TestVault

    private static let faults: [FaultyStore.Fault] = [
        .gone, .fail(.noSpace), .tear, .dropAnswer, .shortRead, .staleList,
    ]

    /// A vault with one commit, and a device that is about to write the next.
    private struct Start {
        let vault = TestVault()
        var device = TestVault.Device(1)
        let first: LogPosition

        init() throws {
            let (ids, packs) = try TestVault.store([[1, 2, 3]], in: vault.vault)
            let member = TestVault.member("", .file(size: 3, chunks: ids))
            first = try vault.commit(&device, [TestVault.draft("novel", kind: .file, .full([member]))], packs: packs)
        }
    }

    private static let chunks: [[UInt8]] = {
        var generator = SeededGenerator(seed: 1)
        return (0..<6).map { _ in generator.bytes(20_000) }
    }()

    /// Packs, then the commit that names them: what a backup does.
    private func backUp(_ store: any ObjectStore, after last: LogPosition, path: String) throws -> LogPosition {
        let vault = T.open(store)
        let (ids, packs) = try T.store(Self.chunks, in: vault)
        let size = Int64(Self.chunks.reduce(0) { $0 + $1.count })
        var draft = CommitDraft(
            CommitRecord(
                previous: last.commit, time: Timestamp(milliseconds: 0), isSnapshot: true, isPartial: false, seen: []))
        draft.packs = packs
        draft.versions = [T.draft(path, kind: .file, .full([T.member("", .file(size: size, chunks: ids))]))]
        let position = LogPosition(
            device: last.device, generation: last.generation + 1, commit: Vault.newCommitID())
        _ = try vault.append(draft, at: position)
        return position
    }

    /// Everything that a commit names is there and right; returns the history.
    private func expectWhole(_ vault: Vault, _ comment: Comment) throws -> History {
        let history = try History.load(vault)
        #expect(history.damaged.isEmpty && history.missing.isEmpty, comment)
        let reader = try ContentReader(of: vault, history.index, vault.presentPacks())
        for pack in history.packRecords { #expect(throws: Never.self, comment) { try reader.verify(pack) } }
        for id in history.versions.keys {
            for member in try history.members(of: id) {
                let size = try member.chunks.reduce(0) { try $0 + reader.bytes(of: $1).count }
                #expect(Int64(size) == member.size, comment)
            }
        }
        return history
    }

    private func callsOfABackup() throws -> Int {
        let start = try Start()
        let store = FaultyStore(start.vault.store)
        _ = try backUp(store, after: start.first, path: "letters")
        return store.calls
    }

    @Test("Wherever a commit fails, the vault is whole and the next commit works", arguments: faults)
    func everyCall(_ fault: FaultyStore.Fault) throws {
        for call in 1...(try callsOfABackup()) {
            let start = try Start()
            let comment: Comment = "\(fault) at call \(call)"
            let store = FaultyStore(start.vault.store, failingAt: call, with: fault)
            let succeeded = (try? backUp(store, after: start.first, path: "letters")) != nil
            #expect(!succeeded || fault == .staleList, comment)

            let after = try expectWhole(start.vault.vault, comment)
            // An answer that was lost is no commit that was lost: the device finds it in the log and goes on from
            // there.
            let last = try #require(after.commits.keys.max())
            let next = try backUp(start.vault.store, after: last, path: "diary")

            let history = try expectWhole(start.vault.vault, comment)
            #expect(history.commits.keys.contains(next), comment)
            let isThere = succeeded || last != start.first
            #expect(history.state().live.count == (isThere ? 3 : 2), comment)
        }
    }

    @Test("In a folder too: wherever a commit fails, nothing torn is visible, and nothing is left under tmp")
    func everyCallInAFolder() throws {
        let calls = try callsOfABackup()
        for call in 1...calls {
            let folder = TemporaryFolder()
            let disk = try DirectoryStore(at: folder.bytes, writerName: "test")
            let store = FaultyStore(disk, failingAt: call, with: call.isMultiple(of: 2) ? .gone : .tear)
            let zero = LogPosition(device: DeviceID.test(1), generation: 0, commit: .none)

            #expect(throws: (any Error).self) { try backUp(store, after: zero, path: "letters") }

            #expect(try disk.list("tmp").isEmpty, "call \(call) of \(calls)")
            #expect(try expectWhole(T.open(disk), "call \(call)").commits.isEmpty)
        }
    }

    // MARK: Crashes between the steps

    @Test("A crash before the commit leaves packs that nothing names, and nothing else")
    func packsWithoutCommit() throws {
        let start = try Start()
        let before = start.vault.store.names

        _ = try T.store(Self.chunks, in: start.vault.vault)

        let new = Set(start.vault.store.names).subtracting(before)
        #expect(new.count == 1)
        #expect(new.allSatisfy { $0.hasPrefix("packs/") })
        let history = try expectWhole(start.vault.vault, "after the crash")
        #expect(history.commits.count == 1)
        #expect(history.packRecords.count == 1)
    }

    @Test("A crash while a pack is written leaves the vault as it was")
    func unfinishedPack() throws {
        let start = try Start()
        let before = start.vault.store.names
        do {
            let uploads = PackUploads()
            let writer = try PackWriter(for: start.vault.vault, uploads)
            for chunk in Self.chunks { try writer.add(chunk.span, id: start.vault.vault.chunkID(of: chunk.span)) }
        }

        #expect(start.vault.store.names == before)
        _ = try expectWhole(start.vault.vault, "after the crash")
    }

    @Test(
        "A history that cannot be read whole is an error or says so, and is never just a shorter history",
        arguments: [.gone, .fail(.noPermission("x")), .shortRead] as [FaultyStore.Fault])
    func reading(_ fault: FaultyStore.Fault) throws {
        let start = try Start()
        _ = try backUp(start.vault.store, after: start.first, path: "letters")
        let counting = FaultyStore(start.vault.store)
        _ = try History.load(T.open(counting))

        for call in 1...counting.calls {
            let store = FaultyStore(start.vault.store, failingAt: call, with: fault)
            let damage = (try? History.load(T.open(store)))?.damaged
            #expect(damage?.isEmpty != true, "call \(call)")
        }
    }
}
