import CueBase
import Synchronization

/// The member lists that were made or used last. Deltas against one base, or each against the one before, then need no
/// second reading of that base.
final class MemberListCache: Sendable {
    private static let mostLists = 8
    /// About 50 MiB, if the lists share nothing.
    private static let mostWeight = 1 << 19

    /// The list that was used last comes last.
    private let lists = Mutex<[(id: VersionID, list: MemberList)]>([])

    /// The list of a version, which counts as used now; nil if it is not here.
    func list(of id: VersionID) -> MemberList? {
        lists.withLock { lists in
            guard let place = lists.lastIndex(where: { $0.id == id }) else { return nil }
            let found = lists.remove(at: place)
            lists.append(found)
            return found.list
        }
    }

    /// Adds a list. It and the list of `base`, from which it was made, stay however large both are: of a chain, and of
    /// many deltas against one list, the next one is made from one of the two.
    func keep(_ list: MemberList, of id: VersionID, base: VersionID?) {
        lists.withLock { lists in
            lists.append((id, list))
            var weight = lists.reduce(0) { $0 + $1.list.weight }
            while lists.count > Self.mostLists || weight > Self.mostWeight {
                guard let oldest = lists.firstIndex(where: { $0.id != base && $0.id != id }) else { return }
                weight -= lists.remove(at: oldest).list.weight
            }
        }
    }
}
