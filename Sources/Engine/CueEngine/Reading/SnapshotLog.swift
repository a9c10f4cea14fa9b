package import CueBase
import CueStorage
package import CueVault

/// The snapshots of a vault.
package struct SnapshotLog: Sendable {
    /// One snapshot.
    package struct Entry: Sendable {
        /// The commit that completed it.
        package let snapshot: CommitID
        /// By the clock of `device`.
        package let time: Timestamp
        /// The name of the device that made it.
        package let device: String
        /// How many versions it added.
        package let changes: Int
        /// Whether every file could be read.
        package let isWhole: Bool
    }

    /// The newest first.
    package let entries: [Entry]
    /// What of the history is missing or does not open.
    package let gaps: [HistoryGap]

    /// Reads all commits of a vault.
    package init(_ context: VaultContext) throws {
        let past = try FullHistory.load(context.vault)
        gaps = past.gaps
        entries = past.snapshots.reversed().map { commit in
            Entry(
                snapshot: commit.position.commit, time: commit.record.time,
                device: past.history.name(of: commit.position.device), changes: commit.versionCount,
                isWhole: !commit.record.isPartial)
        }
    }
}
