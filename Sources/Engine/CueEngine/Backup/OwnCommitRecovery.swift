import CueBase
import CueLibrary
import CueVault

/// Takes over a commit that this device wrote and was killed before it noted it: the entries of the local store go on
/// from the versions of that commit. Without this the next backup would write versions beside them, and every document
/// of that round would be in conflict with itself.
struct OwnCommitRecovery {
    /// The entries of the changed folders.
    private(set) var folders: [RelativePath?: [ScanEntry]] = [:]
    /// Bundles that the commit deleted.
    private(set) var removedBundles: [ProjectID] = []
    private let remembered: [RelativePath?: [UInt8]]

    /// `remembered`: the folders as the local store has them.
    init(of commit: CommitID, _ history: History, _ vault: Vault, _ remembered: [RelativePath?: [UInt8]]) throws {
        self.remembered = remembered
        let own = history.versions.values.filter { $0.id.commit == commit }.sorted { $0.id < $1.id }
        let projects = Set(own.map(\.header.project))
        var old: [ProjectID: (folder: RelativePath?, entry: ScanEntry)] = [:]
        for (folder, encoded) in remembered {
            for entry in try encoded.entries() where projects.contains(entry.project) {
                old[entry.project] = (folder, entry)
            }
        }
        // All entries leave their old names first: two documents may have swapped names.
        for (folder, entry) in old.values { try remove(entry.name, from: folder) { $0.project == entry.project } }
        for version in own {
            if version.header.isTombstone {
                removedBundles.append(version.header.project)
            } else {
                try adopt(version, old[version.header.project]?.entry, history, vault)
            }
        }
    }

    /// Makes the version the base of its project's entry.
    private mutating func adopt(
        _ version: History.Version, _ old: ScanEntry?, _ history: History, _ vault: Vault
    ) throws {
        let path = version.header.path
        // The stat matches no file, so that the document is read again. The depth makes the next version a whole list,
        // as the members in the local store are those of the version before.
        let stat = old?.stat.doubted ?? .none
        let members = try history.members(of: version.id)
        try remove(path.name, from: path.parent) { _ in true }
        folders[path.parent, default: []].append(
            ScanEntry(
                name: path.name, kind: version.header.kind, stat: stat, project: version.header.project,
                base: version.id, fingerprint: vault.fingerprint(of: members),
                content: vault.contentFingerprint(of: members), depth: DeltaRules.unknown))
    }

    private mutating func remove(
        _ name: [UInt8], from folder: RelativePath?, where condition: (ScanEntry) -> Bool
    ) throws {
        var entries = try folders[folder] ?? remembered[folder]?.entries() ?? []
        entries.removeAll { $0.name == name && condition($0) }
        folders[folder] = entries
    }

    /// The base of each project in the changed folders.
    var bases: [ProjectID: VersionID] {
        Dictionary(folders.values.joined().map { ($0.project, $0.base) }, uniquingKeysWith: { $1 })
    }

    /// Writes the changed folders, their entries in the order of the local store.
    func save(_ transaction: LocalStore.Transaction) throws {
        for (path, entries) in folders {
            try transaction.setFolder(path, entries.sorted { $0.name.precedes($1.name) })
        }
        for project in removedBundles { try transaction.removeMembers(of: project) }
    }
}
