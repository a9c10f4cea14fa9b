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

/// The reasons why a file of events is not imported, or not to its end.
package enum EventImportError: Error, Hashable, Sendable {
    /// The file is one array, over 256 MiB long.
    case arrayTooLong
    /// The line of this number is over 4 MiB; `isImported`: what stands before it is imported.
    case lineTooLong(Int, isImported: Bool)
    /// The array is not JSON; with the offset of the flaw in bytes.
    case notJSON(JSONFlaw, at: Int)
    /// There is nothing in the file.
    case empty
    /// Nothing in the file is an event, beginning with this value.
    case noEvent(EventPlace, EventFormError)
}
