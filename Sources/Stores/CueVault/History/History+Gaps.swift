package import CueBase
import CueStorage

extension History {
    /// All gaps: damaged objects, missing commits, and the checkpoint if it differs from the commits.
    package var gaps: [HistoryGap] { gaps(missing: missing) }

    /// As `gaps`, with only those missing commits that may still arrive at this time; nil for `time` leaves them all
    /// out.
    package func gapsThatMayClose(at time: Timestamp?) -> [HistoryGap] {
        gaps(missing: time.map { awaited(at: $0) } ?? [])
    }

    /// The ids of the inline blocks of the commits that do not open.
    package var unreadInline: [PackID] { unread.map { PackID(inlineIn: $0.commit) } }

    /// The ids of the inline blocks of commits whose own objects do not open, while their records stand in runs.
    package var lostInline: Set<PackID> { Set(standIns.map { PackID(inlineIn: $0.position.commit) }) }

    private func gaps(missing: Set<LogPosition>) -> [HistoryGap] {
        damaged.map { .damaged($0) } + missing.sorted().map { .missing($0) }
            + (checkpointProblem.map { [.checkpoint($0)] } ?? [])
    }
}
