package import CueStorage

/// A commit of which its own object and a run do not say the same (docs/format.md §12).
package struct RunFinding: Sendable, Hashable, Codable {
    /// The commit.
    package let position: LogPosition
    /// The run that holds it too.
    package let run: ObjectName
    /// Why its own object was not read, so that the run counts; nil if the object counts, and the run holds another
    /// commit.
    package let damage: VaultError?
}
