import CueBase
package import CueVault

extension Watcher {
    package typealias Options = WatchOptions

    /// What a watcher tells whoever listens.
    package enum Event: Sendable {
        case started(folders: Int, limitation: WatchLimitation?)
        case saved(Sync.Summary, seconds: Double)
        /// What was offline, or in error, is so no more.
        case recovered
        /// `nextTry`: in how many seconds it tries again; nil where it stops and does not.
        case offline(String, nextTry: Double?)
        case error(String, hints: [String] = [])
        case rescan(RescanReason)
        /// What `.cue/library.toml` says counts from now on; or what is wrong with it, and that it does not count.
        case settings(problem: String?)
        case reminded(Reminder, Notifier.Outcome)
        /// A part of the vault was read back.
        case verified(RollingCheck.Report)
        case stopping
        /// What waited could not be stored any more.
        case unsaved(Int)
        /// The folder is not there to be looked at.
        case folderAway
    }

    /// Another library stands where the watched one was.
    package struct OtherLibrary: Error {
        package let path: String
    }

    /// How a failure is told, and whether it may go away by itself.
    package struct Failure: Sendable {
        package let message: String
        /// What to do about it.
        package let hints: [String]
        package let heals: Bool

        package init(message: String, hints: [String] = [], heals: Bool) {
            (self.message, self.hints, self.heals) = (message, hints, heals)
        }
    }

    /// What the watcher leaves to the face that runs it.
    package struct Helpers {
        package var openVault: (OpenLibrary) throws -> Vault
        package var describe: (any Error, OpenLibrary) -> Failure
        /// The text of a reminder.
        package var words: Notifier.Words
        /// The line for a process that ends at once; takes the number of waiting documents.
        package var lastWords: (Int, WatchState.Phase) -> String
        package var tell: (Event) -> Void

        package init(
            openVault: @escaping (OpenLibrary) throws -> Vault,
            describe: @escaping (any Error, OpenLibrary) -> Failure, words: @escaping Notifier.Words,
            lastWords: @escaping (Int, WatchState.Phase) -> String,
            tell: @escaping (Event) -> Void
        ) {
            (self.openVault, self.describe, self.tell) = (openVault, describe, tell)
            (self.words, self.lastWords) = (words, lastWords)
        }
    }
}
