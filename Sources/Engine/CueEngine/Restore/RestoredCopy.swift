package import CueBase

/// A document or folder that is restored under another name than its own.
package struct RestoredCopy: Sendable {
    /// The reasons for another name.
    package enum Reason: Sendable {
        /// The other version of a document in conflict, beside the one that has the name.
        case conflict
        /// Something else has its name, or the name of a folder above it.
        case nameTaken
    }

    /// The path under which it is restored.
    package let path: RelativePath
    /// Its path in the vault.
    package let original: RelativePath
    /// Why it has another name.
    package let reason: Reason
}
