package import CueBase
package import CueStorage

/// The claims of a checkpoint in a small form, to be compared with the history of all commits. The checkpoint itself is
/// then no longer in memory.
package struct CheckpointClaims: Sendable {
    let name: ObjectName
    private let count: Int
    private let coverage: [CommitMark]
    /// The kept versions, each with a hash of its header and members that holds in this process only.
    private let heads: [VersionID: Int]
    /// What it keeps of the notes of its commits, by their ids and encoded.
    private let notes: [[UInt8]]
    /// Its pack records, each as a hash that holds in this process only, and the commit whose inline blocks it names.
    private let packs: [PackID: (hash: Int, commit: LogPosition?)]
    /// True if its packs hold all content of the kept versions.
    private let hasAllContent: Bool

    /// Takes the claims out of an opened checkpoint. `count` is the number of commits in its name.
    ///
    /// Throws `FormatError` if the members of a version break a rule.
    package init(_ checkpoint: RecordObject, _ name: ObjectName, count: Int) throws(FormatError) {
        (self.name, self.count, coverage) = (name, count, checkpoint.coverage)
        var index = checkpoint.index
        index.prepare()
        var heads: [VersionID: Int] = [:]
        var hasAllContent = true
        for version in checkpoint.versions {
            let list = MemberList(try version.changes(in: checkpoint), kind: version.header.kind)
            heads[version.id] = Self.hash(version, list)
            hasAllContent =
                hasAllContent && list.members.allSatisfy { $0.chunks.allSatisfy(index.isPlaced) }
        }
        (self.heads, self.hasAllContent) = (heads, hasAllContent)
        notes = checkpoint.notes.map { $0.encodeKept() }
        packs = Dictionary(
            index.packs.indices.map { (index.packs[$0].id, (index.record($0).hashValue, index.packs[$0].commit)) },
            uniquingKeysWith: { one, _ in one })
    }

    /// The result of comparing a checkpoint with a history of all commits.
    package enum Verdict: Equatable, Sendable {
        /// The commits result in the same state.
        case same
        /// The commits do not decide it: some are damaged or missing, or a device has a fork.
        case unknown
        /// The commits contradict it, or some of them are not there.
        case differs(CheckpointProblem)

        /// The difference; nil if none is known.
        package var problem: CheckpointProblem? {
            if case .differs(let problem) = self { problem } else { nil }
        }
    }

    /// Compares the claims with `history`, which must be of all commits.
    package func verdict(_ history: History) -> Verdict {
        let covered = Coverage(coverage)
        guard history.damaged.isEmpty, !covered.hasBranches(among: Array(history.commits.keys)) else { return .unknown }
        let held = Set(history.commits.keys.filter(covered.mayHold))
        guard held.count >= count, coverage.allSatisfy({ held.contains($0.position) }) else {
            return .differs(.incomplete(name))
        }
        guard history.missing.isEmpty, history.contradictions.isEmpty, history.otherForms.isEmpty else {
            return .unknown
        }
        // A device that was shut out since wrote some of them: what they came to without that is not known any more.
        let isJudgedSince = history.notes.contains { note in
            if case .shutOut = note.content { !held.contains(note.position) } else { false }
        }
        guard !isJudgedSince || history.setAside.isDisjoint(with: held) else { return .unknown }
        let digests = history.digests
        guard coverage.allSatisfy({ $0.digest == nil || $0.digest == digests[$0.position] }),
            Set(notes) == Set(history.notesToKeep(of: held).map { $0.encodeKept() })
        else { return .differs(.wrong(name)) }
        guard hasAllContent, namesPacks(as: history), isTrue(history.state(of: held), history) else {
            return .differs(.wrong(name))
        }
        return .same
    }

    /// True if each of its pack records is one that a commit has. A pack that no commit names is not judged. The inline
    /// blocks of a commit that is there are, unless its object does not open and a run stands in for it.
    private func namesPacks(as history: History) -> Bool {
        var named: Set<PackID> = []
        var confirmed: Set<PackID> = []
        for (number, pack) in history.index.packs.enumerated() {
            guard let claimed = packs[pack.id], !confirmed.contains(pack.id) else { continue }
            named.insert(pack.id)
            if history.index.record(number).hashValue == claimed.hash { confirmed.insert(pack.id) }
        }
        let lost = history.lostInline
        return packs.allSatisfy { id, claimed in
            let isJudged = claimed.commit.map { history.commits[$0] != nil && !lost.contains(id) } ?? false
            return confirmed.contains(id) || !isJudged && !named.contains(id)
        }
    }

    /// True if the heads of the state are exactly the kept versions, up to equal heads, and each is the same.
    private func isTrue(_ state: LibraryState, _ history: History) -> Bool {
        let projects = state.projects.values
        return Set(heads.keys).isSubset(of: projects.flatMap(\.headIDs))
            && projects.allSatisfy { $0.heads.allSatisfy { heads[$0.id] != nil } }
            && heads.allSatisfy { id, hash in
                guard let version = history.versions[id], let list = try? history.memberList(of: id) else {
                    return false
                }
                return Self.hash(version, list) == hash
            }
    }

    /// A hash of everything that a restore, a sync and a list take from a version.
    private static func hash(_ version: History.Version, _ list: MemberList) -> Int {
        var hasher = Hasher()
        let header = version.header
        hasher.combine(header.project)
        hasher.combine(header.path)
        hasher.combine(header.kind)
        hasher.combine(header.edited)
        hasher.combine(header.isTombstone)
        hasher.combine(header.isUnsettled)
        hasher.combine(header.parents)
        hasher.combine(version.device)
        hasher.combine(version.time)
        hasher.combine(list.hash)
        return hasher.finalize()
    }
}
