import CueBase
import CueVault

/// What a writer would call the content of each version, as hashes.
struct VersionContents {
    private let history: History
    private let hashes = MemberHashes()

    init(_ history: History) { self.history = history }

    /// A hash of the content of each version. It counts in this process only. A deletion has none. Throws `VaultError` if a list of members
    /// cannot be read.
    func of(_ versions: [History.Version]) throws -> [VersionID: UInt64] {
        var contents: [VersionID: UInt64] = [:]
        for version in versions where !version.header.isTombstone {
            let hash = try hashes.hash(of: version.id) { Self.hash(try history.members(of: version.id)) }
            contents[version.id] = hash.map { UInt64(bitPattern: Int64($0)) }
        }
        return contents
    }

    /// The sum of the hashes of all members: each path is there once.
    private static func hash(_ members: [Member]) -> Int {
        members.lazy.filter(isContent).reduce(0) { sum, member in
            var hasher = Hasher()
            hasher.combine(member.path)
            hasher.combine(member.content)
            return sum &+ hasher.finalize()
        }
    }

    /// A folder in a bundle says nothing that its files do not: an empty one is no reason for a conflict.
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
