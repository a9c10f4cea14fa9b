import CueBase
import CueLibrary
import CueVault

/// What a device still knows of its folder when it goes on with an older state of its vault: each document in it was
/// edited since the version that the vault has. Without this every one of them would be in conflict with itself.
struct OlderBases {
    private let folders: [RelativePath?: [ScanEntry]]

    /// nil if the device cannot know that: it has not seen all that the vault holds, or had news that its folder did not
    /// have yet. To be called before it forgets the vault.
    init?(_ transaction: LocalStore.Transaction, _ history: History, _ vault: Vault) throws {
        guard try transaction.value(.vault) == vault.id, try !(transaction.value(.hasNews) ?? false),
            try transaction.seen().isSuperset(of: history.commits.keys)
        else { return nil }
        let state = history.state()
        var folders: [RelativePath?: [ScanEntry]] = [:]
        for (folder, encoded) in try transaction.folders() {
            folders[folder] = try encoded.entries().compactMap { entry in
                guard let project = state.projects[entry.project], !project.isDeleted, project.headIDs.count == 1,
                    project.shown.header.kind == entry.kind
                else { return nil }
                let members = try history.members(of: project.shown.id)
                var entry = entry
                // Everything is read once more; what is as it was in that version is not stored again.
                (entry.base, entry.stat, entry.depth) = (project.shown.id, entry.stat.doubted, DeltaRules.unknown)
                entry.fingerprint = vault.fingerprint(of: members)
                entry.content = vault.contentFingerprint(of: members)
                return entry
            }
        }
        self.folders = folders
    }

    /// Writes them, after the device forgot the vault.
    func save(_ transaction: LocalStore.Transaction) throws {
        for (folder, entries) in folders { try transaction.setFolder(folder, entries) }
    }
}
