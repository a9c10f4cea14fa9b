package import CueBase
package import CueLibrary

/// The sync status of one document. `cue status` lists synced documents only with `--all`.
package struct DocumentStatus: Sendable, Equatable {
    /// The states, the most urgent first: `cue status` lists documents in this order.
    package enum State: String, Sendable, CaseIterable {
        /// It has versions between which only a person can choose.
        case conflict
        /// It cannot be stored, or nothing can, for a reason that a retry does not mend.
        case error
        /// It kept changing while it was read: the stored version may never have been on the disk as a whole.
        case unsettled
        /// The vault cannot be reached.
        case offline
        /// `syncing`: a watcher is about to store it. `waiting`: it is new here or in the vault, and stays as it is
        /// until the next sync, or for the reason in `reason`.
        case syncing, waiting
        /// This device and the vault have the same.
        case synced
    }

    /// The difference between the folder and what this device last stored.
    package enum Change: String, Sendable { case new, changed, gone }

    /// Why the document is in its state.
    package enum Reason: Sendable, Equatable {
        /// A scan left it out, or the last sync did not touch it, for this reason.
        case skipped(SkipReason)
        /// A power cut or a failing disk cut it short.
        case cutShort
        /// Its deletion waits for a person's consent.
        case deletionHeldBack
        /// It kept changing while it was read.
        case keptChanging
        /// It was written in a moment ago: the watcher waits until it rests.
        case beingWritten
        /// The watcher fails, for the reason in its `WatchState`.
        case watcherFails
    }

    /// Its path as it is shown.
    package let path: String
    /// The most urgent state that holds for it.
    package let state: State
    /// nil if this device has nothing new of it.
    package let change: Change?
    /// nil if the state needs no explanation.
    package var reason: Reason?
    /// Since when this device and the vault have had the same version; nil if they never had, or it is unknown.
    package var synced: Timestamp?
}
