package import CueBase
package import CueEvents

/// The log from which a garden grows: that of a library, or a file.
package protocol GardenLog {
    /// Replays all events, of every type.
    mutating func garden() throws -> GardenReplay

    /// Entries that are no events: their number, from 1, and the reason.
    var refused: [EventFile.Refused] { get }

    /// Adds the event that `make` decides on for the current garden, and applies it to `garden`. This is the only way
    /// to change a garden; no other process can add an event in between. Throws `EngineError.clockBehind`.
    mutating func append(
        to garden: inout GardenReplay, at time: Timestamp, _ make: (GardenReplay) throws -> GardenEvent.Action
    ) throws -> Event
}

extension GardenReplay {
    /// The event of an action that is done at `time` and written into the log at `now`.
    func event(of action: GardenEvent.Action, at time: Timestamp, now: Timestamp) throws -> Event {
        try Event.new(action.type, action.payload, at: try self.time(of: action, now: time), now: now)
    }

    /// The time of an event that is made now. It is never before the newest event of its subject: replayed before that,
    /// it would have no effect. A fast clock of another device is followed for a day; beyond that it throws
    /// `EngineError.clockBehind`.
    private func time(of action: GardenEvent.Action, now: Timestamp) throws -> Timestamp {
        guard let newest = newestTime(of: action), newest >= now else { return now }
        guard newest.milliseconds - now.milliseconds < 86_400_000 else {
            throw EngineError.clockBehind(newest, now: now)
        }
        return Timestamp(milliseconds: newest.milliseconds + 1)
    }
}
