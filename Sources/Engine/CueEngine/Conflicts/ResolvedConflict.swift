package import CueBase

/// A conflict that was answered.
package struct ResolvedConflict: Sendable {
    /// The conflict as it was before the answer.
    package let conflict: Conflict
    /// The side whose content and name the document has now.
    package let kept: Conflict.Side
    /// The paths of the new documents that hold the other sides, after `Keep.both`; else empty.
    package let copies: [RelativePath]
}
