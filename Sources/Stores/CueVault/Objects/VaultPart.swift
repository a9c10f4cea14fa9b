public import CueBase

/// The part of a vault that an error is about.
public enum VaultPart: Sendable, Hashable, Codable {
    /// An object, by its name.
    case object(String)
    /// A version of a document.
    case version(VersionID)
    /// A version against which another one is written.
    case base(VersionID)
    /// A piece of content that no commit places.
    case unplacedContent
    /// A document or a file of it, by its path.
    case document(RelativePath)
    /// The last version of a document before its deletion.
    case beforeDeletion(RelativePath)
}
