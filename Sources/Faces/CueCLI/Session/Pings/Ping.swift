import CueEngine

/// A message to a monitor (docs/json.md). It holds no name, path or id: the monitor may belong to a stranger.
struct Ping: Encodable, Equatable, Sendable {
    enum Event: String, Encodable, Sendable {
        case start, ok, fail

        /// The text at the end of the address' path; nil for none.
        var ending: String? { self == .ok ? nil : rawValue }
    }

    /// The numbers of a command's result.
    struct Counts: Equatable, Sendable {
        /// Documents that the library has.
        var documents: Int?
        /// Documents that this device stored.
        var stored: Int?
        /// Documents that came from other devices; nil for a backup.
        var received: Int?
        /// Documents in conflict; nil for a backup.
        var conflicts: Int?

        /// Nothing is known.
        init() {}

        /// Those of a backup.
        init(_ summary: Backup.Summary) {
            (documents, stored) = (summary.documents, summary.new + summary.changed + summary.renamed)
        }

        /// Those of a sync.
        init(_ summary: Sync.Summary) {
            self.init(summary.backup)
            (received, conflicts) = (summary.received.count, summary.conflicts.count)
        }
    }

    let event: Event
    let command: String
    private let seconds: Double?
    private let documents: Int?
    private let stored: Int?
    private let received: Int?
    private let conflicts: Int?
    /// nil for a start.
    let exitCode: Int32?

    /// The command begins.
    static func start(_ command: String) -> Ping { Ping(.start, command, nil, nil, Counts()) }

    /// The command ended with an exit code, after so many seconds.
    static func end(_ command: String, _ code: Int32, seconds: Double?, _ counts: Counts = Counts()) -> Ping {
        Ping(isBackedUp(code) ? .ok : .fail, command, code, seconds, counts)
    }

    private init(_ event: Event, _ command: String, _ code: Int32?, _ seconds: Double?, _ counts: Counts) {
        (self.event, self.command, exitCode) = (event, command, code)
        self.seconds = seconds.map { ($0 * 1000).rounded() / 1000 }
        (documents, stored) = (counts.documents, counts.stored)
        (received, conflicts) = (counts.received, counts.conflicts)
    }

    /// Whether the folder is in the vault. A backup that left a part out, or that has a conflict, counts as one: it
    /// needs a person, but it happened.
    private static func isBackedUp(_ code: Int32) -> Bool {
        [Outcome.done, .incomplete, .conflict].map(\.rawValue).contains(code)
    }
}
