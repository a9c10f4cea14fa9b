package import CueBase
import CueStorage

extension History {
    /// Projects of which a version names a parent that is not there: a part of the vault is still on its way, or lost.
    ///
    /// After a checkpoint, what it sums up is not there either. Then nothing here is certain (`isSummary`).
    package var incompleteProjects: Set<ProjectID> {
        let read = Set(commits.keys.map(\.commit))
        return Set(
            versions.values.lazy.filter { version in
                read.contains(version.id.commit) && version.header.parents.contains { versions[$0] == nil }
            }.map(\.header.project))
    }

    /// The newest state, with all that is needed to tell what was written after what. To look at: a checkpoint is believed.
    package static func loadForSync(_ vault: Vault) throws -> History {
        let history = try loadLatest(vault)
        return history.isEnoughForSync ? history : try load(vault)
    }

    /// Whether it is enough to tell what was written after what.
    package var isEnoughForSync: Bool { !isSummary || incompleteProjects.isEmpty && !state().hasForks }

    /// The version in which this content was first written, or which first said that the document is deleted: answers to conflicts, joins
    /// and undone answers repeat it, under other names and later times.
    package func source(of version: Version) -> Version {
        guard let members = try? members(of: version.id) else { return version }
        var source = version
        for _ in 0..<100 {
            let parent = source.header.parents.lazy.compactMap { self.versions[$0] }.first {
                $0.header.isTombstone == version.header.isTombstone && (try? self.members(of: $0.id)) == members
            }
            guard let parent else { break }
            source = parent
        }
        return source
    }

    /// What a deleted project was before: of several versions that were deleted one from which no other came, and of those the newest by
    /// the clock. nil where that is not there.
    package func beforeDeletion(of project: LibraryState.Project) -> Version? {
        var found: [Version] = []
        var open = project.headIDs.flatMap { versions[$0]?.header.parents ?? [] }
        var seen = Set(open)
        while let next = open.popLast() {
            guard let version = versions[next] else { continue }
            guard version.header.isTombstone else {
                found.append(version)
                continue
            }
            open += version.header.parents.filter { seen.insert($0).inserted }
        }
        let older = ancestry(of: found.flatMap(\.header.parents))
        return found.filter { !older.contains($0.id) }.max { ($0.time, $0.id) < ($1.time, $1.id) }
    }

    /// Those of these heads that came after a deletion which the deletions among them know nothing of.
    package func revived(_ heads: [Version]) -> Set<VersionID> {
        let deletions = heads.filter(\.header.isTombstone)
        guard !deletions.isEmpty else { return [] }
        let live = Set(heads.lazy.filter { !$0.header.isTombstone }.map(\.id))
        let unknown = ancestry(of: live).subtracting(ancestry(of: deletions.map(\.id)))
        var children: [VersionID: [VersionID]] = [:]
        for id in unknown {
            for parent in versions[id]?.header.parents ?? [] { children[parent, default: []].append(id) }
        }
        var open = unknown.filter { versions[$0]?.header.isTombstone ?? false }
        var later = open
        while let next = open.popFirst() {
            open.formUnion((children[next] ?? []).filter { later.insert($0).inserted })
        }
        return live.intersection(later)
    }

    /// The versions themselves and all that they came from, as far as they are there.
    package func ancestry(of ids: some Sequence<VersionID>) -> Set<VersionID> {
        var found: Set<VersionID> = []
        var open = Array(ids)
        while let next = open.popLast() {
            guard let version = versions[next], found.insert(next).inserted else { continue }
            open += version.header.parents
        }
        return found
    }

    package func ancestry(of id: VersionID) -> Set<VersionID> { ancestry(of: CollectionOfOne(id)) }

    /// The nearest versions that all of these came from. Several, where two devices each made one of the same heads at once.
    package func nearestCommon(of ids: [VersionID]) -> [Version] {
        guard let first = ids.first else { return [] }
        let common = ids.dropFirst().reduce(ancestry(of: first)) { $0.intersection(ancestry(of: $1)) }
        let nearest = common.subtracting(common.flatMap { versions[$0]?.header.parents ?? [] })
        return nearest.sorted().compactMap { versions[$0] }
    }

    /// More heads than that are compared with nothing, and more steps back are not taken: each walks the whole past again.
    private static let (mostHeads, mostSteps) = (16, 16)

    /// The one that all of these came from, for people: past several nearest ones to what those came from, as far as a few steps lead.
    package func origin(of ids: [VersionID]) -> Version? {
        guard ids.count <= Self.mostHeads else { return nil }
        var nearest = nearestCommon(of: ids)
        for _ in 0..<Self.mostSteps where nearest.count > 1 {
            guard nearest.count <= Self.mostHeads else { return nil }
            nearest = nearestCommon(of: nearest.map(\.id))
        }
        return nearest.first
    }
}

extension LibraryState {
    /// Whether a document has more than one head.
    fileprivate var hasForks: Bool { projects.values.contains { $0.isConflict && $0.shown.header.kind != .folder } }
}

extension LibraryState.Project {
    /// Whether a version lies before one of the heads, or is one.
    package func isAfter(_ version: VersionID, in history: History) -> Bool {
        headIDs.contains(version) || history.ancestry(of: headIDs).contains(version)
    }
}
