package import CueBase

/// The reasons why something is not an event.
package enum EventFormError: Error, Hashable, Sendable, Codable {
    /// It is no JSON object.
    case notAnObject
    /// The object lacks this member, or has another kind of value there.
    case missing(String)
    /// A part has no bytes.
    case empty(EventPart)
    /// A part has more bytes than the limit.
    case tooLong(EventPart, limit: Int)
    /// A part holds a control character.
    case controlCharacter(EventPart)
    /// A part is not UTF-8.
    case notUTF8(EventPart)
    /// The time is not in the form of RFC 3339.
    case noTime
    /// The time lies outside of the years 0 to 9999.
    case timeOutside
    /// The payload has more than `Event.payloadLevels` levels.
    case tooDeep
    /// The payload is over `Event.payloadLimit`.
    case payloadTooLarge
    /// The payload is not JSON.
    case payloadNotJSON(JSONFlaw)
    /// The text is not JSON.
    case notJSON(JSONFlaw)
}

/// The parts of an event that are texts.
package enum EventPart: String, Hashable, Sendable, Codable {
    case id, type, time
}
