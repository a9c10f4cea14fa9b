package import CueBase

/// The place of one commit in its device's log.
package struct LogPosition: Hashable, Comparable, Sendable {
    package let device: DeviceID
    package let generation: UInt64
    package let commit: CommitID

    package init(device: DeviceID, generation: UInt64, commit: CommitID) {
        (self.device, self.generation, self.commit) = (device, generation, commit)
    }

    package static func < (x: LogPosition, y: LogPosition) -> Bool {
        (x.device, x.generation, x.commit) < (y.device, y.generation, y.commit)
    }
}

/// One sealed record of a log.
package struct LogEntry: Hashable, Sendable {
    package let position: LogPosition
    /// In bytes, sealed.
    package let size: Int

    package init(position: LogPosition, size: Int) { (self.position, self.size) = (position, size) }
}
