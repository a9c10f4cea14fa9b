package import CueBase
import CueLibrary

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

    /// As it is shown.
    package let path: String
    package let state: State
    /// nil where this device has nothing new of it.
    package let change: Change?
    package var reason: String?
    /// When this device and the vault last came to have the same of it; nil where they never had, or nobody knows.
    package var synced: Timestamp?
}
