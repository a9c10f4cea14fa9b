package import CueBase
package import CueLibrary

/// What is in the way of a restore could not be stored first, so nothing was replaced.
package struct NotStored: Error {
    /// The reasons.
    package enum Cause: Sendable {
        /// The vault, or the local store, did not take it.
        case failed(any Error)
        /// It was left out.
        case skipped(SkipReason)
        /// The rules of the library leave it out, or the folder in which it is.
        case ignored
        /// It changed while it was read.
        case unsettled
    }

    /// The documents that are in no version, sorted by path.
    package let documents: [RelativePath]
    /// The reason for the first of them.
    package let cause: Cause
}
