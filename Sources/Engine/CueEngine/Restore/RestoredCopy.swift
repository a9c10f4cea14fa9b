package import CueBase

/// A document or folder that comes back under another name than its own.
package struct RestoredCopy: Sendable {
    package enum Reason: Sendable {
        /// The other version of a document in conflict, beside the one that has the name.
        case conflict
        /// Something else has its name, or that of a folder that it is in.
        case nameTaken
    }

    package let path: RelativePath
    package let original: RelativePath
    package let reason: Reason
}
