package import CueBase
import Synchronization

/// Hashes of what versions hold, which count in this process only. A version never changes, and its hash is asked for several times.
package final class MemberHashes: Sendable {
    private let known = Mutex<[VersionID: Int]>([:])

    package init() {}

    /// The hash that is known, or what `make` gives; nil is not kept.
    package func hash(of version: VersionID, _ make: () throws -> Int?) rethrows -> Int? {
        if let hash = known.withLock({ $0[version] }) { return hash }
        guard let hash = try make() else { return nil }
        known.withLock { $0[version] = hash }
        return hash
    }
}
