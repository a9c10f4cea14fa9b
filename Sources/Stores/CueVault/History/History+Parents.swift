import CueBase

extension History {
    /// The versions with parents that do not count (docs/format.md §7). With them, a version could take the place of
    /// another document.
    func findStrays() -> [VersionID: (kind: StrayParent, parents: Set<VersionID>)] {
        var strays: [VersionID: (kind: StrayParent, parents: Set<VersionID>)] = [:]
        var suspects: Set<ProjectID> = []
        for version in versions.values {
            for parent in version.header.parents {
                guard let known = versions[parent] else { continue }
                if parent == version.id {
                    strays[version.id, default: (.itself, [])].parents.insert(parent)
                } else if known.header.project != version.header.project {
                    strays[version.id, default: (.otherProject, [])].parents.insert(parent)
                } else if !known.isBefore(version) {
                    suspects.insert(version.header.project)
                }
            }
        }
        // A circle contains a parent that comes later than its child, in whatever order. Without such a parent there is
        // none.
        guard !suspects.isEmpty else { return strays }
        let groups = Dictionary(
            grouping: versions.values.lazy.filter { suspects.contains($0.header.project) }, by: \.header.project)
        for group in groups.values {
            for version in Self.circling(in: group) {
                strays[version.id] = (.circle, Set(version.header.parents))
            }
        }
        return strays
    }

    /// The versions of one project that are their own ancestors by way of others.
    private static func circling(in versions: [Version]) -> [Version] {
        let numbers = Dictionary(uniqueKeysWithValues: zip(versions.map(\.id), versions.indices))
        let parents = versions.map { version in
            version.header.parents.compactMap { $0 == version.id ? nil : numbers[$0] }
        }
        return Circles.members(of: parents).map { versions[$0] }
    }
}

extension History.Version {
    /// The order by clock, then by id. Any fixed order would do.
    fileprivate func isBefore(_ other: History.Version) -> Bool { (time, id) < (other.time, other.id) }
}
