package import CueBase
package import CueLibrary

/// The result of a sync: its backup, and the changes that it brought from other devices.
package struct RunSummary: Sendable {
    /// Of the backup that came first.
    package var backup: BackupSummary
    /// Documents that are new or changed here.
    package var received: [RelativePath] = []
    /// What was done to each document here.
    package var news: [DocumentNews] = []
    /// The number of folders that are new here, or have other rights or another name.
    package var folders = 0
    /// Documents that have another name here, by that name.
    package var renamed: [RelativePath] = []
    /// Documents that are no longer here.
    package var removed: [RelativePath] = []
    /// Documents that the vault had lost, and that were stored again before they were changed or removed here.
    package var storedAgain: [RelativePath] = []
    /// Those, and the ones that the backup stored again: sorted, each once.
    package var allStoredAgain: [RelativePath] { Set(storedAgain + backup.storedAgain).sorted() }
    /// Documents that stay as they are until a later sync, and why.
    package var waiting: [SkippedPath] = []
    /// Documents that other devices deleted, so many that a person has to confirm it.
    package var removalsHeldBack: [RelativePath] = []
    /// Conflicts that wait for a person.
    package var conflicts: [Conflict] = []
    /// Conflicts that were answered.
    package var resolved: [ResolvedConflict] = []
    /// Whether a part of the vault is damaged.
    package var isDamaged = false

    /// Adds a later run of the same command. Lists of changes add up; lists of what is left undone are those of the
    /// later run.
    package mutating func merge(_ next: RunSummary) {
        backup.merge(next.backup)
        received += next.received
        news += next.news
        folders += next.folders
        renamed += next.renamed
        removed += next.removed
        resolved += next.resolved
        storedAgain += next.storedAgain
        isDamaged = isDamaged || next.isDamaged
        (waiting, removalsHeldBack, conflicts) = (next.waiting, next.removalsHeldBack, next.conflicts)
    }
}
