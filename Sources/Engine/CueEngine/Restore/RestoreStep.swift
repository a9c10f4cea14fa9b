import CueBase
import CueLibrary
import CueVault

/// A document or folder that a restore into a library brought, replaced or took away.
struct RestoreStep: Codable {
    let path: RelativePath
    /// The file of the bundle at `path`; nil for all of it.
    var file: RelativePath?
    let kind: ProjectKind
    /// The project that came, or that was taken away.
    let project: ProjectID
    /// The version that stood there; nil if nothing did.
    var before: VersionID?
    /// The version that came; nil if nothing did.
    var after: VersionID?
    /// Whether this device knew a document at the path.
    var wasKnown = false
    /// Whether the project was deleted in the vault.
    var wasDeleted = false

    /// The path at which something appeared or went.
    var place: RelativePath { file.map(path.appending) ?? path }
}
