import CueBase
import CueLibrary
import CueVault

/// What a device still knows of its folder when it goes on with an older state of its vault. Without this every document
/// in it that was edited would be in conflict with itself.
struct OlderBases {
    private var folders: [RelativePath?: [ScanEntry]] = [:]

    /// `history` is that of all commits, without a checkpoint. To be called before the device forgets the vault.
    init(_ transaction: LocalStore.Transaction, _ history: History, _ vault: Vault) throws {
        guard try transaction.value(.vault) == vault.id else { return }
        // If it has seen all that the vault holds, and has put all news into its folder, each document there comes from
        // the newest version that the vault has.
        let isNewer =
            try history.gaps.isEmpty && !(transaction.value(.hasNews) ?? false)
            && transaction.seen().isSuperset(of: history.commits.keys)
        let state = history.state()
        var taken: Set<RelativePath> = []
        for encoded in try transaction.folders().values {
            for var entry in try encoded.entries() {
                guard
                    let base = history.versions[entry.base]
                        ?? (isNewer ? Self.only(state.projects[entry.project]) : nil),
                    // It stands where that version has it, so that a rename since then is found as one.
                    base.header.kind == entry.kind, let members = try? history.members(of: base.id),
                    taken.insert(base.header.path).inserted
                else { continue }
                let path = base.header.path
                (entry.name, entry.base) = (path.name, base.id)
                // Everything is read once more; what is as it was in that version is not stored again.
                (entry.stat, entry.depth) = (entry.stat.doubted, DeltaRules.unknown)
                entry.fingerprint = vault.fingerprint(of: members)
                entry.content = vault.contentFingerprint(of: members)
                folders[path.parent, default: []].append(entry)
            }
        }
    }

    /// The version of a project that is no deletion and has none beside it.
    private static func only(_ project: LibraryState.Project?) -> History.Version? {
        guard let project, !project.isDeleted, project.headIDs.count == 1 else { return nil }
        return project.shown
    }

    /// Writes them, after the device forgot the vault.
    func save(_ transaction: LocalStore.Transaction) throws {
        for (folder, entries) in folders {
            try transaction.setFolder(folder, entries.sorted { $0.name.precedes($1.name) })
        }
    }
}
