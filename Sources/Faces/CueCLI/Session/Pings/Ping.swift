import CueEngine

/// What a monitor hears (docs/json.md). It holds no name, path or id, as a monitor may be a stranger's.
struct Ping: Encodable, Equatable, Sendable {
    enum Event: String, Encodable, Sendable {
        case start, ok, fail

        /// What stands at the end of the address' path; nil for nothing.
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

    /// Whether what is in the folder is in the vault. That a part was left out, or that a conflict waits, needs a person
    /// and is no backup that did not happen.
    private static func isBackedUp(_ code: Int32) -> Bool {
        [Outcome.done, .incomplete, .conflict].map(\.rawValue).contains(code)
    }
}
