package import CueStorage

/// The ways in which a checkpoint differs from the commits.
package enum CheckpointProblem: Sendable, Hashable {
    /// Commits that the checkpoint sums up are not there.
    case incomplete(ObjectName)
    /// The checkpoint claims what the commits do not say.
    case wrong(ObjectName)
}

extension CheckpointProblem: Codable {}
