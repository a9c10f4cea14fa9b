package import CueBase
package import CueStorage

/// What a checkpoint says there is, small enough to be kept while all commits are read: for a check of the two against each other.
package struct CheckpointClaims: Sendable {
    private let name: ObjectName
    private let count: Int
    private let coverage: [LogPosition]
    /// The kept versions, each with a hash of its members, which counts in this process only.
    private let heads: [VersionID: Int]
    /// Whether its packs hold all content of the kept versions.
    private let hasAllContent: Bool

    /// `count`: how many commits it sums up by its name.
    package init(_ checkpoint: RecordObject, _ name: ObjectName, count: Int) throws(FormatError) {
        (self.name, self.count, coverage) = (name, count, checkpoint.coverage)
        var index = checkpoint.index
        index.prepare()
        var heads: [VersionID: Int] = [:]
        var hasAllContent = true
        for version in checkpoint.versions {
            let members = try version.changes(in: checkpoint).put
            heads[version.id] = members.hashValue
            hasAllContent =
                hasAllContent && members.allSatisfy { $0.chunks.allSatisfy { index.location(of: $0) != nil } }
        }
        (self.heads, self.hasAllContent) = (heads, hasAllContent)
    }

    /// What is wrong with it, for people, where all commits were read; nil also where these cannot tell.
    package func problem(_ history: History) -> String? {
        let covered = Coverage(coverage)
        guard history.damaged.isEmpty, !covered.hasBranches(among: Array(history.commits.keys)) else { return nil }
        let held = Set(history.commits.keys.filter(covered.mayHold))
        guard held.count >= count, coverage.allSatisfy(held.contains) else {
            return
                "\(name): commits that it sums up are not there, on their way here or lost; what it keeps of them is restored from it"
        }
        guard history.missing.isEmpty else { return nil }
        guard hasAllContent, isTrue(history.state(of: held), history) else {
            return
                "\(name): it says otherwise than the commits what there is; they hold everything, and the files in checkpoints/ can be deleted"
        }
        return nil
    }

    private func isTrue(_ state: LibraryState, _ history: History) -> Bool {
        let projects = state.projects.values
        return Set(heads.keys).isSubset(of: projects.flatMap(\.headIDs))
            && projects.allSatisfy { $0.heads.allSatisfy { heads[$0.id] != nil } }
            && heads.allSatisfy { id, hash in
                (try? history.members(of: id)).map { $0.hashValue == hash } ?? history.isTombstone(id)
            }
    }
}

extension History {
    fileprivate func isTombstone(_ id: VersionID) -> Bool { versions[id]?.header.isTombstone ?? false }
}
