import CueBase
import Synchronization

/// Hashes of member lists, which count in this process only. A list never changes, and a state is asked for several times.
final class MemberHashes: Sendable {
    private let known = Mutex<[VersionID: Int]>([:])

    /// The hash that is known, or what `make` gives; nil is not kept.
    func hash(of version: VersionID, _ make: () -> Int?) -> Int? {
        if let hash = known.withLock({ $0[version] }) { return hash }
        guard let hash = make() else { return nil }
        known.withLock { $0[version] = hash }
        return hash
    }
}
