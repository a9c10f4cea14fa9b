import CueBase
import Synchronization

/// The member lists that were made or used last. Deltas against one base, or each against the one before, then need no
/// second reading of that base.
final class MemberListCache: Sendable {
    private static let mostLists = 8
    /// The members of all lists together: about 50 MiB, if the lists share nothing.
    private static let mostMembers = 1 << 18

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

    /// Adds a list. The list of `base`, from which it was made, stays, since others may be made from it.
    func keep(_ list: MemberList, of id: VersionID, base: VersionID?) {
        lists.withLock { lists in
            lists.append((id, list))
            var members = lists.reduce(0) { $0 + $1.list.members.count }
            while lists.count > Self.mostLists || members > Self.mostMembers && lists.count > 1 {
                let oldest = lists.firstIndex { $0.id != base } ?? 0
                members -= lists.remove(at: oldest).list.members.count
            }
        }
    }
}
