import CueBase
import CueVault

/// Hashes of versions' content as a writer sees it.
struct VersionContents {
    private let history: History
    private let hashes = MemberHashes()

    init(_ history: History) { self.history = history }

    /// A hash of each version's content, valid in this process only; none for a deletion. Throws `VaultError` if a list
    /// of members cannot be read.
    func of(_ versions: [History.Version]) throws -> [VersionID: UInt64] {
        var contents: [VersionID: UInt64] = [:]
        for version in versions where !version.header.isTombstone {
            let hash = try hashes.hash(of: version.id) { Self.hash(try history.members(of: version.id)) }
            contents[version.id] = hash.map { UInt64(bitPattern: Int64($0)) }
        }
        return contents
    }

    /// The sum of the members' hashes, which does not depend on their order.
    private static func hash(_ members: [Member]) -> Int {
        members.lazy.filter(isContent).reduce(0) { sum, member in
            var hasher = Hasher()
            hasher.combine(member.path)
            hasher.combine(member.content)
            return sum &+ hasher.finalize()
        }
    }

    /// Leaves out folders in a bundle: their files show them, and an empty one is no question for a person.
    private static func isContent(_ member: Member) -> Bool {
        !Churn.isChurn(member.path) && (member.path.isRoot || member.content != .folder)
    }
}

extension SyncView.Head {
    /// The head for a version, with its hash among `contents`.
    init(_ version: History.Version, _ contents: [VersionID: UInt64]) {
        self.init(
            id: version.id, path: version.header.path, kind: version.header.kind,
            content: version.header.isTombstone ? nil : contents[version.id] ?? 0)
    }
}
