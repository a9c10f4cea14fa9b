package import CueBase
package import CueLibrary
import CueSodium

extension Event {
    /// Makes an event, with its id.
    package static func new(
        _ type: String, _ payload: JSON, at time: Timestamp, now: Timestamp
    ) throws(EventFormError) -> Event {
        guard Timestamp(iso8601: time.iso8601) == time else {
            throw EventFormError(reason: "the time lies outside of the years 0 to 9999")
        }
        var generator = SodiumGenerator()
        return try Event(
            checking: UUIDText.random(using: &generator), type: type, timestamp: time.iso8601, payload: payload,
            createdAt: now)
    }
}

extension LocalStore.Transaction {
    /// Notes what cue did.
    package func note(_ own: OwnEvent, at time: Timestamp) throws {
        _ = try add(try Event.new(own.type, own.payload, at: time, now: time))
    }
}

/// What cue itself writes into the log (docs/events.md).
package enum OwnEvent: Sendable {
    case saved(snapshot: CommitID, new: Int, changed: Int, renamed: Int, removed: Int)
    case restored(from: String?, documents: Int)
    case conflictFound(name: String)
    case conflictResolved(name: String, keep: String)
    /// Words that a document gained or lost in a day, which begins at six in the morning.
    case words(name: String, project: ProjectID, day: String, change: Int, total: Int)

    /// Those that come with every save.
    static let typesOfSaves = ("library_saved", "words_written")

    var type: String {
        switch self {
        case .saved: Self.typesOfSaves.0
        case .restored: "library_restored"
        case .conflictFound: "conflict_found"
        case .conflictResolved: "conflict_resolved"
        case .words: Self.typesOfSaves.1
        }
    }

    var payload: JSON {
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

/// Random UUIDs (RFC 9562, version 4) in lower case, as databases give them back.
package enum UUIDText {
    package static func random(using generator: inout some RandomNumberGenerator) -> String {
        let id = ID16(
            high: generator.next() & ~0xf000 | 0x4000, low: generator.next() & ~(0b11 << 62) | 0b10 << 62)
        let digits = Array(id.description)
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }
}
