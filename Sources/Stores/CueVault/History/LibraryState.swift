package import CueBase

/// What is: the heads of every project (docs/format.md §7).
package struct LibraryState: Sendable {
    /// One project with its heads, the one that is shown first.
    package struct Project: Sendable {
        package let id: ProjectID
        /// Heads that say the same (two devices joined the same versions at once) are one of them.
        package let heads: [RecordObject.Version]
        /// Heads that say the same as one of these.
        package fileprivate(set) var equalHeads: [VersionID] = []
        /// All of them.
        package var headIDs: Set<VersionID> { Set(heads.map(\.id) + equalHeads) }
        package var shown: RecordObject.Version { heads[0] }
        package var isDeleted: Bool { heads.allSatisfy(\.header.isTombstone) }
        package var isConflict: Bool { heads.count > 1 }
    }

    package let projects: [ProjectID: Project]
    private var showsDeleted = false

    /// The same, with deleted projects among the live ones.
    package var includingDeleted: LibraryState {
        var state = self
        state.showsDeleted = true
        return state
    }

    /// What a head says. Of a project there may be any number, so they are grouped and not held against each other.
    enum Statement: Hashable {
        case tombstone
        /// `members`: a hash of them, which counts in this process only.
        case live(RelativePath, ProjectKind, members: Int)
    }

    /// `statement`: what a head says; nil where it is like no other.
    init(_ versions: [RecordObject.Version], statement: (RecordObject.Version) -> Statement? = { _ in nil }) {
        let superseded = Set(versions.flatMap(\.header.parents))
        let heads = versions.filter { !superseded.contains($0.id) }
        projects = Dictionary(grouping: heads, by: \.header.project).reduce(into: [:]) { projects, group in
            guard group.value.count > 1 else {
                projects[group.key] = Project(id: group.key, heads: group.value)
                return
            }
            // Live before deleted; then the newest, for the eye only: the others are kept and shown beside it.
            let ordered = group.value.sorted { a, b in
                if a.header.isTombstone != b.header.isTombstone { return b.header.isTombstone }
                return (a.time, a.id) > (b.time, b.id)
            }
            // Of equal ones the largest id, on every device.
            let statements = ordered.map(statement)
            var largest: [Statement: VersionID] = [:]
            for case (let head, let said?) in zip(ordered, statements) {
                largest[said] = max(head.id, largest[said] ?? head.id)
            }
            let distinct = zip(ordered, statements).filter { head, said in
                said.map { largest[$0] == head.id } ?? true
            }.map(\.0)
            let shown = Set(distinct.map(\.id))
            projects[group.key] = Project(
                id: group.key, heads: distinct, equalHeads: ordered.map(\.id).filter { !shown.contains($0) })
        }
    }

    /// A project, and documents that had its name and were deleted: for a person, its earlier lives. The newest comes first.
    package func lives(of project: Project) -> [Project] {
        let earlier = projects.values.filter {
            $0.isDeleted && $0.id != project.id && $0.shown.header.path == project.shown.header.path
                && $0.shown.header.kind.isDocument
        }
        return [project] + earlier.sorted { ($0.shown.time, $0.shown.id) > ($1.shown.time, $1.shown.id) }
    }

    /// The projects that are not deleted, by path.
    package var live: [Project] {
        projects.values.filter { showsDeleted || !$0.isDeleted }.sorted { a, b in
            (a.shown.header.path, a.shown.id) < (b.shown.header.path, b.shown.id)
        }
    }
}
