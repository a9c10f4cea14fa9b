package import CueBase

/// A new version of a document that had one.
package struct StoredDocument: Sendable {
    package let project: ProjectID
    package let version: VersionID
    package let parent: VersionID
    package let path: RelativePath
    package let edited: Timestamp
    /// A hash of what it holds, without times and modes.
    let content: UInt64
}
