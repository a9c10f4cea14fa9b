package import CueBase

/// A conflict that was answered.
package struct ResolvedConflict: Sendable {
    package let conflict: Conflict
    package let kept: Conflict.Side
    /// The names under which the others stand beside it now, after `both`.
    package let copies: [RelativePath]
}
