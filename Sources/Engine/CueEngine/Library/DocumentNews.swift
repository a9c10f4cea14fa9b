package import CueBase

/// What a backup stored of a document, or what a sync did to it here.
package struct DocumentNews: Sendable {
    /// The ways in which a document is news.
    package enum Kind: Sendable {
        /// Stored from this folder: for the first time, in another version, under another name, or as deleted.
        case new, changed, renamed, deleted
        /// Brought from another device: its content, another name, or its removal.
        case received, renamedHere, removedHere
    }

    package let kind: Kind
    /// The document's name now, or its last one.
    package let path: RelativePath
    /// Its name before, if it has another.
    package var before: RelativePath?
    /// The name of the device that wrote what was brought.
    package var device: String?
    /// The document, where its deletion is still to be looked up.
    var project: ProjectID?
}
