package import CueBase

/// A path that was left out, and why.
package struct SkippedPath: Sendable {
    /// Relative to the library.
    package let path: RelativePath
    /// Completes the sentence "PATH: …".
    package let reason: String

    /// Memberwise.
    package init(path: RelativePath, reason: String) { (self.path, self.reason) = (path, reason) }
}
