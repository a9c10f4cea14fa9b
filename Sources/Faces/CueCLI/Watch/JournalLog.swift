import CueSystem
import Foundation
import Logging

/// Writes log lines to the standard error: with the time for people; with systemd's priority for the journal, which has
/// times of its own.
struct JournalLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .info
    /// Whether systemd has connected the standard error to its journal.
    private let isJournal = Environment["JOURNAL_STREAM"] != nil

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let text = Output.harmless(event.message.description)
        Output.complain(laidOut: isJournal ? "<\(Self.priority(event.level))>\(text)\n" : "\(Self.time())  \(text)\n")
    }

    /// The level as a number of sd-daemon(3).
    private static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .critical: 2
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug, .trace: 7
        }
    }

    /// Local time: `14:30:05`.
    private static func time() -> String {
        let parts = Calendar.current.dateComponents([.hour, .minute, .second], from: Date())
        return [parts.hour, parts.minute, parts.second].map { part in
            let number = part ?? 0
            return number < 10 ? "0\(number)" : "\(number)"
        }.joined(separator: ":")
    }
}
