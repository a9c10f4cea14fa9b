import CueBase
import CueVault
import Synchronization

/// Packs that a killed run of this device made durable, and that no commit names. Their content need not be stored
/// again; the commit that first uses one of them names it.
final class LeftPacks: Sendable {
    private let index: ChunkIndex
    private let isThere: [Bool]
    private let used = Mutex<Set<Int>>([])

    /// `present`: the packs in the vault. One that is gone or cut holds nothing.
    init(_ packs: consuming ChunkIndex, _ present: PresentPacks) {
        packs.prepare(isThere: present.holds)
        isThere = packs.packs.map(present.holds)
        index = packs
    }

    /// The packs that are gone or cut.
    var gone: [PackID] { zip(index.packs, isThere).filter { !$1 }.map(\.0.id) }

    /// Whether one of them holds the chunk. If so, the next commit names that pack.
    func hold(_ id: ChunkID) -> Bool {
        // What a delta holds depends on its bases too.
        guard let location = index.location(of: id), index.bases(of: location.block).isEmpty else { return false }
        let pack = index.packNumber(of: location)
        guard isThere[pack] else { return false }
        used.withLock { _ = $0.insert(pack) }
        return true
    }

    /// The packs that were used since the last call.
    func take() -> [PackRecord] {
        used.withLock { used in
            defer { used = [] }
            return used.sorted().map { index.record($0) }
        }
    }
}
