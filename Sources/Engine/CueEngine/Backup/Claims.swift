package import CueBase
import CueLibrary
package import CueStorage
package import CueVault
import Synchronization

/// Chunks that other devices' commits place in packs, and that this device never compared. A commit may be false, so a
/// claim counts only once the bytes at its place were compared with those that this device has read.
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
        /// Packs whose own index matches the record.
        var sound: Set<Int> = []
        /// Packs that do not match a claim, with the problem.
        var broken: [Int: VaultError] = [:]
    }

    init(_ index: ChunkIndex, of vault: Vault, _ packs: PresentPacks) {
        (self.index, self.vault, self.packs) = (index, vault, packs)
    }

    /// Makes the reader of one worker; nil if there are no claims.
    func makeReader() throws -> ClaimReader? {
        index.packs.isEmpty ? nil : ClaimReader(self, try ContentReader(of: vault, index, packs))
    }

    /// Whether these bytes, which have this id, stand at the place that a commit names.
    ///
    /// If reading costs a download, the claim is believed until the rolling check reads the pack. It reads claimed packs
    /// first.
    fileprivate func hold(_ id: ChunkID, _ bytes: Span<UInt8>, _ reader: ContentReader) throws -> Bool {
        // What a delta holds depends on its bases too, of which this index may not know. It is stored again, and then
        // is a base.
        guard let location = index.location(of: id), index.bases(of: location.block).isEmpty else { return false }
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

    /// The chunks that were found at their places since the last call, and the packs whose chunks are all in `known`
    /// now.
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

    /// Claims that were proven.
    struct Proof {
        /// The chunks that were compared.
        var chunks: [ChunkID] = []
        /// The packs of which no chunk is a mere claim any more.
        var packs: [PackID] = []
    }

    /// The claims that did not hold, with the commits that make them. Walks through the history if there are any.
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
            let pack = index.packs[number]
            return FalseClaim(name: pack.name, pack: pack.id, problem: problem, commits: commits[pack.id] ?? [])
        }
    }
}

/// A pack that does not match the commits that name it.
package struct FalseClaim: Sendable {
    /// The object that holds it.
    package let name: ObjectName
    /// The id of the pack.
    package let pack: PackID
    /// The first difference that was found.
    package let problem: VaultError
    /// The commits with that record of the pack; empty if only a checkpoint has it.
    package let commits: [LogPosition]
}

/// Compares the chunks that one worker reads from the disk with the claims.
struct ClaimReader {
    private let claims: Claims
    private let reader: ContentReader

    fileprivate init(_ claims: Claims, _ reader: ContentReader) { (self.claims, self.reader) = (claims, reader) }

    /// As `Claims.hold`.
    func hold(_ id: ChunkID, _ bytes: Span<UInt8>) throws -> Bool { try claims.hold(id, bytes, reader) }
}

extension LocalStore.Transaction {
    /// Notes packs of the vault that this device does not know, as claims. Packs that this device noted as its own when
    /// it made them durable count as its own: it wrote a commit that names them, and was killed before it noted that.
    func take(_ index: ChunkIndex, _ present: PresentPacks, but broken: Set<PackID>) throws {
        var known = try packs()
        var own: [ChunkID] = []
        for (number, pack) in index.packs.enumerated()
        where known[pack.id] == nil && present.holds(pack) && !broken.contains(pack.id) {
            let record = index.record(number)
            switch try isLeft(record) {
            // Another record contradicts this device's own of the pack.
            case false?: continue
            case true?:
                own += record.blocks.lazy.filter { $0.codec != .delta }.flatMap { $0.chunks.map(\.id) }
                try removeLeftPacks([pack.id])
            case nil: try addClaim(record)
            }
            known[pack.id] = present.bytes(of: pack)
            try addPacks([(pack.id, present.bytes(of: pack))])
        }
        if !own.isEmpty { try addChunks(own) }
    }
}
