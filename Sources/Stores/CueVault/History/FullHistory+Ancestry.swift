package import CueBase

/// Which version came from which.
extension FullHistory {
    /// The version in which these members were first written, or which first reported the deletion.
    ///
    /// Answers to conflicts, joins and undone answers repeat it under other names and at later times. Goes back 100
    /// steps at most.
    package func source(of version: History.Version) -> History.Version {
        guard let members = try? history.members(of: version.id) else { return version }
        var source = version
        for _ in 0..<100 {
            let parent = source.header.parents.lazy.compactMap { history.versions[$0] }.first {
                $0.header.isTombstone == version.header.isTombstone && (try? history.members(of: $0.id)) == members
            }
            guard let parent else { break }
            source = parent
        }
        return source
    }

    /// The newest version of a deleted project that was no deletion; nil if it is not there.
    ///
    /// If several branches were deleted, it takes one from which no other came, and of those the newest by the clock.
    package func beforeDeletion(of project: LibraryState.Project) -> History.Version? {
        var found: [History.Version] = []
        var open = project.headIDs.flatMap { history.versions[$0]?.header.parents ?? [] }
        var seen = Set(open)
        while let next = open.popLast() {
            guard let version = history.versions[next] else { continue }
            guard version.header.isTombstone else {
                found.append(version)
                continue
            }
            open += version.header.parents.filter { seen.insert($0).inserted }
        }
        let older = ancestry(of: found.flatMap(\.header.parents))
        return found.filter { !older.contains($0.id) }.max { ($0.time, $0.id) < ($1.time, $1.id) }
    }

    /// The live heads among these with a deletion in their past that is not in the past of the deletions among them.
    package func revived(_ heads: [History.Version]) -> Set<VersionID> {
        let deletions = heads.filter(\.header.isTombstone)
        guard !deletions.isEmpty else { return [] }
        let live = Set(heads.lazy.filter { !$0.header.isTombstone }.map(\.id))
        let unknown = ancestry(of: live).subtracting(ancestry(of: deletions.map(\.id)))
        var children: [VersionID: [VersionID]] = [:]
        for id in unknown {
            for parent in history.versions[id]?.header.parents ?? [] { children[parent, default: []].append(id) }
        }
        var open = unknown.filter { history.versions[$0]?.header.isTombstone ?? false }
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
            guard let version = history.versions[next], found.insert(next).inserted else { continue }
            open += version.header.parents
        }
        return found
    }

    /// The version itself and all that it came from, as far as they are there.
    package func ancestry(of id: VersionID) -> Set<VersionID> { ancestry(of: CollectionOfOne(id)) }

    /// The nearest versions that all of these came from, sorted by id. There are several if two devices joined the same
    /// heads at once.
    package func nearestCommon(of ids: [VersionID]) -> [History.Version] {
        guard let first = ids.first else { return [] }
        let common = ids.dropFirst().reduce(ancestry(of: first)) { $0.intersection(ancestry(of: $1)) }
        let nearest = common.subtracting(common.flatMap { history.versions[$0]?.header.parents ?? [] })
        return nearest.sorted().compactMap { history.versions[$0] }
    }

    /// The most heads that are compared, and the most steps back. Each step walks the whole ancestry again.
    private static let (mostHeads, mostSteps) = (16, 16)

    /// The one version to show as the common origin of these; nil if none is found, or for more than 16 versions.
    ///
    /// If there are several nearest ones, it goes back to their own nearest one, a few steps at most, and then takes
    /// the first.
    package func origin(of ids: [VersionID]) -> History.Version? {
        guard ids.count <= Self.mostHeads else { return nil }
        var nearest = nearestCommon(of: ids)
        for _ in 0..<Self.mostSteps where nearest.count > 1 {
            guard nearest.count <= Self.mostHeads else { return nil }
            nearest = nearestCommon(of: nearest.map(\.id))
        }
        return nearest.first
    }
}

extension LibraryState.Project {
    /// True if the version is one of the heads, or one of them came from it.
    package func isAfter(_ version: VersionID, in history: FullHistory) -> Bool {
        headIDs.contains(version) || history.ancestry(of: headIDs).contains(version)
    }
}
