import CueBase
import CueLibrary
import CueSystem
import CueVault

/// The versions of a vault by path, to find the one that a document in a folder is.
struct VersionsByPath {
    let history: History
    private let versions: [RelativePath: [History.Version]]

    /// Reads all commits.
    init(of vault: Vault) throws {
        var history = try History.load(vault)
        _ = try history.findPacks(in: vault)
        self.history = history
        versions = Dictionary(
            grouping: history.versions.values.filter { !$0.header.isTombstone && $0.header.kind != .folder },
            by: \.header.path)
    }

    /// The versions that stood at a path and of which the vault has all content, the newest first.
    func all(at path: RelativePath) -> some Sequence<(id: VersionID, kind: ProjectKind, members: [Member])> {
        (versions[path] ?? []).sorted { ($0.time, $0.id) > ($1.time, $1.id) }.lazy.compactMap { version in
            guard let members = try? history.members(of: version.id),
                !members.contains(where: { $0.chunks.contains(where: history.index.lacks) })
            else { return nil }
            return (version.id, version.header.kind, members)
        }
    }
}
