package import CueBase

/// The place of a commit, or of a batch of events, in its device's log (docs/format.md §2).
package struct LogPosition: Hashable, Comparable, Sendable {
    /// The device that wrote it.
    package let device: DeviceID
    /// The place in the device's log, counted from 1. A fork has two commits of one generation.
    package let generation: UInt64
    /// The random id in the name; for events the batch id.
    package let commit: CommitID

    /// A position of these parts; none is checked.
    package init(device: DeviceID, generation: UInt64, commit: CommitID) {
        (self.device, self.generation, self.commit) = (device, generation, commit)
    }

    /// By device, then by generation, then by the bytes of the id.
    package static func < (x: LogPosition, y: LogPosition) -> Bool {
        (x.device, x.generation, x.commit) < (y.device, y.generation, y.commit)
    }
}

extension LogPosition {
    /// True if a run may hold the record, by the name of the run.
    package func mayStand(in run: RunEntry) -> Bool {
        device == run.device && (run.first...run.last).contains(generation)
    }
}

/// A sealed record as a log lists it; it has not been read yet.
package struct LogEntry: Hashable, Sendable {
    /// The place in the log.
    package let position: LogPosition
    /// In bytes, sealed. It is the store's claim until the record is read. Of a record in a run, its share of that.
    package let size: Int
    /// The run in which it stands; nil for a record that is an object, or a row, of its own.
    package let run: RunEntry?
    /// Further runs that list it.
    package let copies: [RunEntry]

    /// An entry of these parts.
    package init(position: LogPosition, size: Int, in run: RunEntry? = nil, copies: [RunEntry] = []) {
        (self.position, self.size, self.run, self.copies) = (position, size, run, copies)
    }

    /// All runs that list it.
    package var runs: [RunEntry] { (run.map { [$0] } ?? []) + copies }
}
