import CueCurl
import CueTerminal

extension HTTPLine {
    /// Such as `PUT packs/ab/abcd 200, 3.1 MB up, 12 bytes down, 87 ms`.
    var words: String {
        let result = status.map { "\($0)" } ?? error?.words ?? ""
        return
            "cue: \(method) \(label) \(result), \(Style.bytes(Int64(sent))) up, \(Style.bytes(Int64(received))) down, \(milliseconds) ms"
    }
}

extension HTTPError {
    /// In place of a status.
    var words: String {
        switch self {
        case .unresolved: "no such host"
        case .noConnection: "no connection"
        case .noTLS: "no TLS"
        case .timedOut: "too slow"
        case .broken: "broken off"
        case .untrusted: "not trusted"
        case .tooLarge: "too long an answer"
        case .redirected(let host): "sent to \(host)"
        case .badAddress: "no address"
        case .interrupted: "stopped"
        case .noMemory: "no memory"
        case .other(let text): text
        }
    }
}
