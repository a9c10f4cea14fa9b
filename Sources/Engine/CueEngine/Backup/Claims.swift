package import CueBase
import CueLibrary
package import CueStorage
package import CueVault
import Synchronization

/// Content that other devices' commits place in packs, and that this device never compared. A commit may lie, so a claim counts once
/// the bytes at its place were compared with those that this device has in hand.
final class Claims: Sendable {
    private let index: ChunkIndex
    private let vault: Vault
    private let packs: PresentPacks
    private let state = Mutex(State())

    private struct State {
        /// Chunks that were found at their place since the last `take`.
        var proven: Set<ChunkID> = []
        /// The packs that hold them.
        var touched: Set<Int> = []
        /// Packs whose own end says what the record says.
        var sound: Set<Int> = []
        var broken: [Int: VaultError] = [:]
    }

    init(_ index: ChunkIndex, of vault: Vault, _ packs: PresentPacks) {
        (self.index, self.vault, self.packs) = (index, vault, packs)
    }

    /// One worker owns one; nil where nothing is claimed.
    func makeReader() throws -> ClaimReader? {
        index.packs.isEmpty ? nil : ClaimReader(self, try ContentReader(of: vault, index, packs))
    }

    /// Whether these bytes, which have this id, stand where a commit places them.
    ///
    /// Where reading costs a download, the claim is believed for now: the rolling check reads claimed packs first.
    fileprivate func hold(_ id: ChunkID, _ bytes: Span<UInt8>, _ reader: ContentReader) throws -> Bool {
        guard let location = index.location(of: id) else { return false }
        let pack = index.packNumber(of: location)
        let (isProven, isBroken, isSound) = state.withLock {
            ($0.proven.contains(id), $0.broken[pack] != nil, $0.sound.contains(pack))
        }
        if isProven || isBroken { return isProven }
        if vault.objects.readsAreDownloads { return true }
        do {
            if !isSound { try reader.verifyEnd(ofPack: pack) }
            try reader.expect(bytes, of: id)
        } catch let error as VaultError {
            state.withLock { $0.broken[pack] = error }
            return false
        }
        state.withLock { state in
            state.sound.insert(pack)
            state.touched.insert(pack)
            state.proven.insert(id)
        }
        return true
    }

    /// Chunks that were found at their places since the last call, and the packs of which no chunk is left that `known` has not.
    func take(_ known: inout KnownChunks) -> Proof {
        let (ids, packs) = state.withLock { state in
            defer { (state.proven, state.touched) = ([], []) }
            return (state.proven, state.touched)
        }
        for id in ids { known.insert(id) }
        return Proof(
            chunks: Array(ids),
            packs: packs.sorted().filter { index.ids[index.packs[$0].chunks].allSatisfy(known.contains) }
                .map { index.packs[$0].id })
    }

    struct Proof {
        var chunks: [ChunkID] = []
        var packs: [PackID] = []
    }

    /// The claims that did not hold, with the commits that make them.
    func findFalse() throws -> [FalseClaim] {
        let broken = state.withLock(\.broken)
        guard !broken.isEmpty else { return [] }
        let records = broken.keys.map { index.record($0) }
        var commits: [PackID: [LogPosition]] = [:]
        _ = try History.walk(vault) { entry, commit in
            for record in records where commit.pack(record.id)?.encode() == record.encode() {
                commits[record.id, default: []].append(entry.position)
            }
        }
        return broken.sorted { $0.key < $1.key }.map { number, problem in
            let pack = index.packs[number].id
            return FalseClaim(pack: pack, problem: problem, commits: commits[pack] ?? [])
        }
    }
}

/// A pack that does not hold what commits say it holds.
package struct FalseClaim: Sendable {
    package let pack: PackID
    package let problem: VaultError
    /// Those that say so; none where only a checkpoint does.
    package let commits: [LogPosition]
}

/// Compares what a worker reads from the disk with what others claim to have stored.
struct ClaimReader {
    private let claims: Claims
    private let reader: ContentReader

    fileprivate init(_ claims: Claims, _ reader: ContentReader) { (self.claims, self.reader) = (claims, reader) }

    func hold(_ id: ChunkID, _ bytes: Span<UInt8>) throws -> Bool { try claims.hold(id, bytes, reader) }
}

extension LocalStore.Transaction {
    /// Takes packs of the vault that this device does not know as claims. Those that it noted as its own, when it made them durable,
    /// are its own: a commit that it wrote, and died before it remembered, names them.
    func take(_ index: ChunkIndex, where isWhole: (ChunkIndex.PackSummary) -> Bool) throws {
        var known = try packs()
        var own: [ChunkID] = []
        for (number, pack) in index.packs.enumerated() where known[pack.id] == nil && isWhole(pack) {
            let record = index.record(number)
            switch try isLeft(record) {
            // Another says something else of a pack of our own.
            case false?: continue
            case true?:
                own += index.ids[pack.chunks]
                try removeLeftPacks([pack.id])
            case nil: try addClaim(record)
            }
            known[pack.id] = pack.size
            try addPacks([(pack.id, pack.size)])
        }
        if !own.isEmpty { try addChunks(own) }
    }
}
