package import CueBase

/// A new version of a document that has earlier ones.
package struct StoredDocument: Sendable {
    /// The project.
    package let project: ProjectID
    /// The new version.
    package let version: VersionID
    /// The version that it came from.
    package let parent: VersionID
    /// Its path in the library.
    package let path: RelativePath
    /// When a writer last changed it.
    package let edited: Timestamp
    /// A keyed hash of its content, without times and modes.
    let content: UInt64
}
