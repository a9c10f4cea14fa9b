package import CueBase
import CueSodium

extension Event {
    /// Makes an event with a new random id.
    ///
    /// `time` is when it happened, `now` when the log takes it. Throws if `time` is outside of the years 0 to 9999, or
    /// if a part breaks a limit.
    package static func new(
        _ type: String, _ payload: JSON, at time: Timestamp, now: Timestamp
    ) throws(EventFormError) -> Event {
        guard Timestamp(iso8601: time.iso8601) == time else {
            throw EventFormError.timeOutside
        }
        var generator = SodiumGenerator()
        return try Event(
            checking: UUIDText.random(using: &generator), type: type, timestamp: time.iso8601, payload: payload,
            createdAt: now)
    }
}

/// The events that cue itself writes into the log (docs/events.md §3).
package enum OwnEvent: Sendable {
    /// A backup ended with a snapshot; the numbers count documents.
    case saved(snapshot: CommitID, new: Int, changed: Int, renamed: Int, removed: Int)
    /// A restore ended; nil for the newest state.
    case restored(from: String?, documents: Int)
    /// A sync found a conflict of the document of this name.
    case conflictFound(name: String)
    /// A person decided a conflict; `keep` is the answer.
    case conflictResolved(name: String, keep: String)
    /// The words that a document gained or lost in a day, which begins at six in the morning; `total` is its count now.
    case words(name: String, project: ProjectID, day: String, change: Int, total: Int)

    /// The types of the events that come with every save.
    package static let typesOfSaves = ("library_saved", "words_written")

    /// The `type` in the log.
    package var type: String {
        switch self {
        case .saved: Self.typesOfSaves.0
        case .restored: "library_restored"
        case .conflictFound: "conflict_found"
        case .conflictResolved: "conflict_resolved"
        case .words: Self.typesOfSaves.1
        }
    }

    /// The `payload` in the log.
    package var payload: JSON {
        func number(_ value: Int) -> JSON { .integer(Int64(value)) }
        return switch self {
        case .saved(let snapshot, let new, let changed, let renamed, let removed):
            .fields([
                "snapshot": .string(snapshot.description), "new": number(new), "changed": number(changed),
                "renamed": number(renamed), "removed": number(removed),
            ])
        case .restored(let from, let documents):
            .fields(["from": from.map { .string($0) }, "documents": number(documents)])
        case .conflictFound(let name): .fields(["document": .string(name)])
        case .conflictResolved(let name, let keep): .fields(["document": .string(name), "keep": .string(keep)])
        case .words(let name, let project, let day, let change, let total):
            .fields([
                "document": .string(name), "project": .string(project.description), "day": .string(day),
                "words": number(change), "total": number(total),
            ])
        }
    }
}
