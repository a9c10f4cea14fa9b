package import CueStorage

/// A commit that says another digest of a commit than that has (docs/format.md §12): one of them is not what it was.
package struct Contradiction: Hashable, Codable, Sendable {
    /// The commit that says it.
    package let by: LogPosition
    /// The commit of which it says it.
    package let of: LogPosition
}
