package import CueBase
package import CueEvents

/// The reasons why a value that came as an event does not count. The local store keeps them: a changed case needs
/// another version of `FactCode`.
package enum AsideReason: Hashable, Sendable, Codable {
    /// A record of a batch breaks the format.
    case record(FormatError)
    /// The value is no event.
    case form(EventFormError)
    /// Another event has its id, and counts.
    case idIsTaken
}

/// The origin of a value that was set aside.
package enum AsideSource: Hashable, Sendable, Codable {
    /// A file, by its name for people.
    case file(String, EventPlace)
    /// A batch of this device.
    case device(DeviceID)
    /// The log, where another event with its id replaced it.
    case log
}

/// The place of a value in a file of events, from 1.
package enum EventPlace: Hashable, Sendable, Codable {
    /// A line of the file.
    case line(Int)
    /// A number in the array that the file is.
    case number(Int)
}
