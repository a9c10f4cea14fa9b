package import CueBase

/// A path that was left out, and why.
package struct SkippedPath: Sendable, Hashable, Codable {
    /// Relative to the library; nil if the reason concerns no path.
    package let path: RelativePath?
    /// Why it was left out.
    package let reason: SkipReason

    /// Memberwise.
    package init(path: RelativePath?, reason: SkipReason) { (self.path, self.reason) = (path, reason) }

    /// Whether it names a document or a folder, and not the whole library.
    package var isOfDocument: Bool { path.map { !$0.isRoot } ?? false }
}
