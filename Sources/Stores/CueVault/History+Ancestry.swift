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

    /// The newest state, with all that is needed to tell what was written after what.
    package static func loadForSync(_ vault: Vault) throws -> History {
        let history = try loadLatest(vault)
        guard history.isSummary, !history.incompleteProjects.isEmpty || history.state().hasForks else { return history }
        return try load(vault)
    }

    /// The version itself and all that it came from, as far as they are there.
    package func ancestry(of id: VersionID) -> Set<VersionID> {
        var found: Set<VersionID> = []
        var open = [id]
        while let next = open.popLast() {
            guard let version = versions[next], found.insert(next).inserted else { continue }
            open += version.header.parents
        }
        return found
    }

    /// The nearest versions that all of these came from. Several, where two devices each made one of the same heads at once.
    package func nearestCommon(of ids: [VersionID]) -> [Version] {
        guard let first = ids.first else { return [] }
        let common = ids.dropFirst().reduce(ancestry(of: first)) { $0.intersection(ancestry(of: $1)) }
        let nearest = common.subtracting(common.flatMap { versions[$0]?.header.parents ?? [] })
        return nearest.sorted().compactMap { versions[$0] }
    }

    /// The one that all of these came from, for people: past several nearest ones to what those came from.
    package func origin(of ids: [VersionID]) -> Version? {
        var nearest = nearestCommon(of: ids)
        while nearest.count > 1 { nearest = nearestCommon(of: nearest.map(\.id)) }
        return nearest.first
    }
}

extension LibraryState {
    /// Whether a document has more than one head.
    fileprivate var hasForks: Bool { projects.values.contains { $0.isConflict && $0.shown.header.kind != .folder } }
}
