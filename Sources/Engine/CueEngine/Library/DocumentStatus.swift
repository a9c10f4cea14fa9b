package import CueBase
package import CueLibrary

/// The sync status of one document. `cue status` lists synced documents only with `--all`.
package struct DocumentStatus: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        case conflict
        /// It cannot be stored, or nothing can, for a reason that does not go away by itself.
        case error
        /// It kept changing while it was read; stored is what was there then.
        case unsettled
        /// The vault cannot be reached.
        case offline
        case syncing, waiting
        case synced
    }

    package enum Change: String, Sendable { case new, changed, gone }

    /// Why the document is in its state.
    package enum Reason: Sendable, Equatable {
        /// A scan left it out, or the last sync left it as it is.
        case skipped(SkipReason)
        /// A power cut or a failing disk cut it short.
        case cutShort
        /// Its deletion waits for a person's consent.
        case deletionHeldBack
        /// It kept changing while it was read.
        case keptChanging
        /// A program writes in it.
        case beingWritten
        /// The watcher fails, for the reason in its `WatchState`.
        case watcherFails
    }

    /// As it is shown.
    package let path: String
    package let state: State
    /// nil where this device has nothing new of it.
    package let change: Change?
    package var reason: Reason?
    /// When this device and the vault last came to have the same of it; nil where they never had, or it is unknown.
    package var synced: Timestamp?
}
