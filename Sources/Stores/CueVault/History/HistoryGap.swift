package import CueStorage

/// A part of the history that is missing or cannot be read. The state that is shown may then be incomplete.
package enum HistoryGap: Sendable, Hashable {
    /// An object that does not open.
    case damaged(VaultError)
    /// A commit that others name and that is not there.
    case missing(LogPosition)
    /// The newest checkpoint differs from the commits.
    case checkpoint(CheckpointProblem)
}

extension HistoryGap: Codable {}
