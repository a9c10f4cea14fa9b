package import CueBase

/// The heads of every project (docs/format.md §7).
package struct LibraryState: Sendable {
    /// A project with its heads.
    package struct Project: Sendable {
        /// The id of its first version.
        package let id: ProjectID
        /// The heads, at least one: live ones before tombstones, the newest first, by commit time and then by id. Of
        /// equal heads only the one with the largest id is here.
        package let heads: [RecordObject.Version]
        /// The heads that are equal to one of `heads`: two devices joined the same versions at once.
        package fileprivate(set) var equalHeads: [VersionID] = []
        /// The ids of `heads` and `equalHeads`.
        package var headIDs: Set<VersionID> { Set(heads.map(\.id) + equalHeads) }
        /// The first head, which lists show.
        package var shown: RecordObject.Version { heads[0] }
        /// True if every head is a tombstone.
        package var isDeleted: Bool { heads.allSatisfy(\.header.isTombstone) }
        /// True if there are several heads that differ. A sync may still be able to join them.
        package var isConflict: Bool { heads.count > 1 }
    }

    /// All projects, also deleted ones.
    package let projects: [ProjectID: Project]
    private var showsDeleted = false

    /// The same state; `live` then has deleted projects too.
    package var includingDeleted: LibraryState {
        var state = self
        state.showsDeleted = true
        return state
    }

    /// The content of a head, for finding equal ones. A project may have any number of heads, so they are grouped by it
    /// and not compared in pairs.
    enum Statement: Hashable {
        /// The project was deleted.
        case tombstone
        /// `members` is a hash of the members that holds in this process only.
        case live(RelativePath, ProjectKind, members: Int)
    }

    /// Finds the heads among all versions. `statement` returns the content of a head; nil makes the head differ from
    /// all others.
    init(_ versions: [RecordObject.Version], statement: (RecordObject.Version) -> Statement? = { _ in nil }) {
        let superseded = Set(versions.flatMap(\.header.parents))
        let heads = versions.filter { !superseded.contains($0.id) }
        projects = Dictionary(grouping: heads, by: \.header.project).reduce(into: [:]) { projects, group in
            guard group.value.count > 1 else {
                projects[group.key] = Project(id: group.key, heads: group.value)
                return
            }
            // Live heads come before deleted ones, and the newest first. The order is for display; the others are kept.
            let ordered = group.value.sorted { a, b in
                if a.header.isTombstone != b.header.isTombstone { return b.header.isTombstone }
                return (a.time, a.id) > (b.time, b.id)
            }
            // Of equal heads the largest id counts, so that every device chooses the same.
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

    /// The project, then deleted documents that had the same path, the newest first: for a person they are its earlier
    /// lives.
    package func lives(of project: Project) -> [Project] {
        let earlier = projects.values.filter {
            $0.isDeleted && $0.id != project.id && $0.shown.header.path == project.shown.header.path
                && $0.shown.header.kind.isDocument
        }
        return [project] + earlier.sorted { ($0.shown.time, $0.shown.id) > ($1.shown.time, $1.shown.id) }
    }

    /// The projects that are not deleted, sorted by path; after `includingDeleted` the deleted ones too.
    package var live: [Project] {
        projects.values.filter { showsDeleted || !$0.isDeleted }.sorted { a, b in
            (a.shown.header.path, a.shown.id) < (b.shown.header.path, b.shown.id)
        }
    }
}
