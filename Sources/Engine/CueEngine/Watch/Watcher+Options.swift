import CueBase
package import CueVault

extension Watcher {
    /// The settings of a watcher.
    package typealias Options = WatchOptions

    /// The events that a watcher reports to the face.
    package enum Event: Sendable {
        /// It watches this many folders; `limitation` is nil if the system reports all their changes. Comes again if
        /// the system runs out of watches.
        case started(folders: Int, limitation: WatchLimitation?)
        /// It heard of changes in documents it had not heard of since they were stored; this many documents wait.
        case changed(waiting: Int)
        /// A sync begins, and none has failed since the last one that succeeded. Its end follows, unless another command
        /// holds the library: then it begins again.
        case syncing
        /// A sync succeeded. The summary has only what earlier ones did not report, `whole` everything.
        case saved(Sync.Summary, whole: Sync.Summary, seconds: Double)
        /// A sync succeeded after one that failed. `isVaultBack`: as the vault could not be reached.
        case recovered(isVaultBack: Bool)
        /// A sync failed for a cause that may heal by itself. `nextTry`: the seconds until it is repeated; nil if the
        /// watcher stops.
        case offline(Failure, nextTry: Double?)
        /// A sync or a reading failed for a cause that does not heal by itself.
        case error(Failure)
        /// A sync or a reading failed again, for the cause that was reported last.
        case failedAgain(Failure)
        /// Work beside the sync failed: counting words, showing reminders, or extending locks.
        case asideFailed(Failure)
        /// It looks at everything soon, for a reason that belongs in the log.
        case rescan(RescanReason)
        /// Changed settings of `.cue/library.toml` are in effect; or, with a problem, the file is invalid and the old
        /// ones stay.
        case settings(problem: Failure?)
        /// A reminder or a notice was shown, or could not be.
        case reminded(Reminder, Notifier.Outcome)
        /// A further place of the vault is behind now, or has everything again; or something there does not open.
        case place(PlaceReport)
        /// A part of the vault was read back.
        case verified(RollingCheck.Report)
        /// The locks of objects of the vault were extended.
        case locked(LockUpkeep.Summary)
        /// A signal came, and the last save begins.
        case stopping
        /// The watcher ends, and this many documents that wait are known. Not everything was stored.
        case unsaved(Int)
        /// The watcher ends, and the library's folder was not there for the last save.
        case folderAway
    }

    /// The functions with which a face opens vaults, finds words and prints.
    package struct Helpers {
        /// Opens the vault of the library, and returns the place where; called before every sync and look at the vault.
        package var openVault: (OpenLibrary) throws -> (vault: Vault, place: VaultLocation)
        /// Opens the vault at a further place.
        package var openAt: (OpenLibrary, VaultLocation) throws -> Vault
        /// Opens further places of the vault.
        package var openPlace: VaultLocation.Opening
        /// Writes the text of a reminder.
        package var words: Notifier.Words
        /// Writes the line that is printed if a further signal ends the process at once, from the number of waiting
        /// documents and the phase.
        package var lastWords: (Int, WatchState.Phase) -> String
        /// Receives the events.
        package var tell: (Event) -> Void

        /// Memberwise.
        package init(
            openVault: @escaping (OpenLibrary) throws -> (vault: Vault, place: VaultLocation),
            openAt: @escaping (OpenLibrary, VaultLocation) throws -> Vault,
            openPlace: @escaping VaultLocation.Opening, words: @escaping Notifier.Words,
            lastWords: @escaping (Int, WatchState.Phase) -> String,
            tell: @escaping (Event) -> Void
        ) {
            (self.openVault, self.openAt) = (openVault, openAt)
            (self.openPlace, self.tell) = (openPlace, tell)
            (self.words, self.lastWords) = (words, lastWords)
        }
    }
}
