package import CueBase
import Synchronization

/// A cache for hashes of versions' members, which hold in this process only. A version never changes, and its hash is
/// needed several times.
package final class MemberHashes: Sendable {
    private let known = Mutex<[VersionID: Int]>([:])

    /// An empty cache.
    package init() {}

    /// The known hash of a version, or else that of `make`. nil is not remembered.
    package func hash(of version: VersionID, _ make: () throws -> Int?) rethrows -> Int? {
        if let hash = known.withLock({ $0[version] }) { return hash }
        guard let hash = try make() else { return nil }
        known.withLock { $0[version] = hash }
        return hash
    }
}
