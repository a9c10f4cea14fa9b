package import CueBase
package import CueEvents

/// A file of JSON lines, in the row form of events.
package struct FileGardenLog: GardenLog {
    private let file: EventFile
    /// Whether a missing file is an empty log, to be made by the first event.
    private let isMade: Bool
    /// Those of the last reading.
    package private(set) var refused: [EventFile.Refused] = []

    /// `making`: whether the file may be missing.
    package init(file: EventFile, making: Bool) { (self.file, isMade) = (file, making) }

    /// Replays all events of the file.
    package mutating func garden() throws -> GardenReplay {
        if isMade, try !file.isThere { return GardenReplay() }
        let contents = try file.read()
        refused = contents.refused
        return GardenReplay(contents.events)
    }

    /// Reads the file anew under its lock, and adds a line.
    package mutating func append(
        to garden: inout GardenReplay, at time: Timestamp, _ make: (GardenReplay) throws -> GardenEvent.Action
    ) throws -> Event {
        try file.locked {
            garden = try self.garden()
            let event = try garden.event(of: try make(garden), at: time, now: file.now)
            try file.append(event.row)
            garden.append(event)
            return event
        }
    }
}
