package import CueBase

/// A document that was in the way of a restore, and was stored before it was replaced.
package struct StoredFirst: Sendable {
    /// Its path in the library.
    package let path: RelativePath
    /// The version that holds it as it was.
    package let version: VersionID
}
