package import CueBase
package import CueVault

/// Compares versions of one project as a sync does: their contents, and the origin of each two of them.
package struct SyncForks {
    /// The history in which the versions are.
    let past: FullHistory
    /// Their contents.
    let contents: VersionContents
    /// How many times an origin may be resolved recursively, when two heads have several nearest common ancestors
    /// (answers that crossed). Each step compares all pairs again, so beyond it the writer is asked.
    private static let reach = 2
    /// Every pair of heads costs a look at all their ancestors. Devices do not make more heads than this; beyond it the
    /// writer is asked.
    private static let mostHeads = 16
    /// The most nearest common ancestors that are compared. Devices that answer at once do not leave more, and each
    /// pair may have as many nearest ones again.
    private static let mostNearest = 4

    /// For the versions of this history.
    package init(_ past: FullHistory) { (self.past, contents) = (past, VersionContents(past.history)) }

    /// The decision for these versions as if no device had a local copy.
    func decision(
        on versions: [History.Version], revived: Set<VersionID> = [], reach: Int = reach
    ) throws -> SyncDecision {
        let contents = try contents.of(versions)
        var view = SyncView(
            base: nil, local: .absent, heads: versions.map { SyncView.Head($0, contents) },
            origins: try origins(of: versions, reach: reach))
        view.revived = revived
        return view.decision
    }

    /// A project as it is shown to a person outside of a sync.
    package struct Shown {
        /// The version that counts, or the first of several.
        package let version: History.Version
        /// Its name: of two that a sync would join, one may have the text and the other the new name.
        package let path: RelativePath
        /// Versions of another content, which stand beside it.
        package let others: [History.Version]
        /// Whether a person has to choose between the heads.
        package let isConflict: Bool

        /// The version and name to show of a project. Heads that a sync would join without a question count as one.
        /// Without `forks`, as the past is not known, the first head counts.
        init(_ project: LibraryState.Project, _ forks: SyncForks?) {
            let head = project.shown
            var (version, path, others, isConflict) = (head, head.header.path, [History.Version](), false)
            if project.isConflict, let forks {
                switch try? forks.decision(on: project.heads, revived: forks.past.revived(project.heads)) {
                case .join(let content, let name, _)?: (version, path) = (forks.past.versions[content] ?? head, name)
                case .bury?: break
                default: (others, isConflict) = (forks.others(of: project), true)
                }
            }
            (self.version, self.path, self.others, self.isConflict) = (version, path, others, isConflict)
        }
    }

    /// The live heads but the first, one of each content.
    private func others(of project: LibraryState.Project) -> [History.Version] {
        var seen: Set<UInt64> = []
        return project.heads.filter { !$0.header.isTombstone }.enumerated().filter { number, head in
            guard let content = try? contents.of([head])[head.id] else { return true }
            return seen.insert(content).inserted || number == 0
        }.dropFirst().map(\.element)
    }

    /// The origin of each two versions (`SyncView.origins`); empty for more than 16 versions.
    func origins(of versions: [History.Version], reach: Int = reach) throws -> [Set<VersionID>: SyncView.Head] {
        var origins: [Set<VersionID>: SyncView.Head] = [:]
        guard versions.count <= Self.mostHeads else { return origins }
        for (number, one) in versions.enumerated() {
            for other in versions[..<number] {
                origins[[one.id, other.id]] = try origin(of: [one.id, other.id], reach: reach)
            }
        }
        return origins
    }

    /// The origin of two versions. If there are several nearest ones, it is the version that a sync would make of those
    /// without a person: so two devices that joined the same heads at once agree. nil if they share no version, or a
    /// person has to choose: of two answers to one question neither is "unchanged".
    private func origin(of two: [VersionID], reach: Int) throws -> SyncView.Head? {
        if let same = try sameAnswer(as: two[0], before: two[1]) ?? sameAnswer(as: two[1], before: two[0]) {
            return same
        }
        let nearest = past.nearestCommon(of: two)
        guard nearest.count <= Self.mostNearest else { return nil }
        let contents = try contents.of(nearest)
        guard nearest.count > 1 else { return nearest.first.map { SyncView.Head($0, contents) } }
        guard reach > 0, case .join(let content, let path, _) = try decision(on: nearest, reach: reach - 1) else {
            return nil
        }
        return SyncView.Head(id: content, path: path, kind: nearest[0].header.kind, content: contents[content])
    }

    /// The first version, if the second was written on an equal answer or join; else nil. Then two devices gave the
    /// same answer, and one of them wrote on before it saw the other's.
    private func sameAnswer(as one: VersionID, before other: VersionID) throws -> SyncView.Head? {
        guard let answer = past.versions[one], answer.header.parents.count > 1, !answer.header.isTombstone else {
            return nil
        }
        let known = past.ancestry(of: one)
        var next = past.versions[other]
        while let version = next, !known.contains(version.id) {
            next = version.header.parents.first.flatMap { past.versions[$0] }
            guard version.id != other, version.header.parents.count > 1, !version.header.isTombstone,
                version.header.path == answer.header.path, version.header.kind == answer.header.kind
            else { continue }
            let contents = try contents.of([version, answer])
            if contents[version.id] == contents[one] { return SyncView.Head(answer, contents) }
        }
        return nil
    }
}
