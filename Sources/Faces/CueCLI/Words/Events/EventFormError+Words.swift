import CueBase
import CueEventLog
import CueEvents
import CueLibrary

extension EventFormError {
    /// The reason, completing "… is no event: …".
    var words: String {
        switch self {
        case .notAnObject: "not an object"
        case .missing(let key): "no \(key)"
        case .empty(let part): "\(part.words) is empty"
        case .tooLong(let part, let limit): "\(part.words) is over \(limit) bytes"
        case .controlCharacter(let part): "\(part.words) holds a control character"
        case .notUTF8(let part): "\(part.words) is not UTF-8"
        case .noTime: "the time is none of RFC 3339"
        case .timeOutside: "the time lies outside of the years 0 to 9999"
        case .tooDeep: "the payload has more than \(Event.payloadLevels) levels"
        case .payloadTooLarge: "the payload is over 1 MiB"
        case .payloadNotJSON(let flaw): "the payload is not JSON: \(flaw.words)"
        case .notJSON(let flaw): "it is not JSON: \(flaw.words)"
        }
    }
}

extension EventPart {
    /// The name of the part.
    fileprivate var words: String {
        switch self {
        case .id: "the id"
        case .type: "the type"
        case .time: "the time"
        }
    }
}

extension EventPlace {
    /// The place, as the subject of a sentence.
    var words: String {
        switch self {
        case .line(let number): "line \(number)"
        case .number(let number): "number \(number)"
        }
    }
}

extension AsideSource {
    /// The origin, before a colon.
    var words: String {
        switch self {
        case .file(let name, let place): "\(name), \(place.words)"
        case .device(let device): "device \(device)"
        case .log: "the log"
        }
    }
}

extension AsideReason {
    /// The reason, completing "SOURCE: …".
    var words: String {
        switch self {
        case .record(let error): error.words
        case .form(let error): error.words
        case .idIsTaken: "another event has its id"
        }
    }
}

extension EventImportError {
    /// The reason, completing "FILE cannot be imported: …".
    var words: String {
        switch self {
        case .arrayTooLong: "it is an array of more than 256 MiB; one event a line may be longer"
        case .lineTooLong(let line, isImported: false): "line \(line) is over 4 MiB; nothing was imported"
        case .lineTooLong(let line, isImported: true):
            "line \(line) is over 4 MiB; what stands before it is imported"
        case .notJSON(let flaw, let offset): "it is not JSON: \(flaw.words) at byte \(offset); nothing was imported"
        case .empty: "it is empty"
        case .noEvent(let place, let error):
            "nothing in it is an event (\(place.words): \(error.words)); nothing was imported"
        }
    }
}
