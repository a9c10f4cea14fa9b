package import CueBase
import CueStorage

extension History {
    /// The projects with a version that names a missing parent: a part of the vault has not arrived, or is lost.
    ///
    /// Versions from a checkpoint are not looked at, as their parents are mostly covered commits. If `isSummary` is
    /// true, a parent may be missing only because the checkpoint left it out.
    package var incompleteProjects: Set<ProjectID> {
        let read = Set(commits.keys.map(\.commit))
        return Set(
            versions.values.lazy.filter { version in
                read.contains(version.id.commit) && version.header.parents.contains { versions[$0] == nil }
            }.map(\.header.project))
    }

    /// The newest state with the ancestry that shows which version came from which. For display only: the checkpoint
    /// was not compared with the commits. Throws as `loadLatest(_:from:)`.
    package static func loadForSync(_ vault: Vault) throws -> History {
        let history = try loadLatest(vault)
        return history.isEnoughForSync ? history : try load(vault)
    }

    /// True if the ancestry that a sync needs is there: all commits were read, or no project has several heads or a
    /// missing parent.
    package var isEnoughForSync: Bool { !isSummary || incompleteProjects.isEmpty && !state().hasForks }
}

extension LibraryState {
    /// True if a project other than a folder has more than one head.
    fileprivate var hasForks: Bool { projects.values.contains { $0.isConflict && $0.shown.header.kind != .folder } }
}
