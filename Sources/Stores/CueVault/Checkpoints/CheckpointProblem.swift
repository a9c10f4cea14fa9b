package import CueStorage

/// The ways in which a checkpoint differs from the commits.
package enum CheckpointProblem: Sendable, Hashable {
    /// Commits that the checkpoint covers are not there.
    case incomplete(ObjectName)
    /// The commits contradict the checkpoint.
    case wrong(ObjectName)
}

extension CheckpointProblem: Codable {}
