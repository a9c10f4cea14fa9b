public import CueBase

/// The part of a vault that an error is about.
public enum VaultPart: Sendable, Hashable, Codable {
    /// An object, by its whole name.
    case object(String)
    /// A version of a document.
    case version(VersionID)
    /// A version against which another one is written.
    case base(VersionID)
    /// A chunk for which no pack record has a place.
    case unplacedContent
    /// A document or a file of it, by its path.
    case document(RelativePath)
    /// The last version of a document before its deletion.
    case beforeDeletion(RelativePath)
}
