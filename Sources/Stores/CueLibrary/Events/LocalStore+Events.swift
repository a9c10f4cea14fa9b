package import CueBase
package import CueEvents
import GRDB

/// The log of events in the local store. Events in no batch of the vault wait to be pushed: those rows are the outbox.
extension LocalStore.Transaction {
    /// The result of adding an event.
    package enum Added: Sendable {
        /// The log did not have it, or has the same one already.
        case new, known
        /// Another event has its id. One of the two counts, and the other was set aside.
        case collides
    }

    /// Adds an event, made here or read from the batch `object`. Devices agree on an event by its client id alone.
    package func add(_ event: Event, in object: Int64? = nil) throws -> Added {
        guard let there = try self.event(event.clientID) else {
            try insert(event, object)
            return .new
        }
        if there.isSame(as: event) {
            if let object { try mark([event.clientID], in: object) }
            return .known
        }
        // Every device must choose the same of the two, whichever came first; and the vault must have the one that
        // counts.
        let (kept, other) = there.standsBefore(event) ? (there, event) : (event, there)
        // Without the time at which a log took it: with that, the event would be set aside again each time that it
        // comes.
        try setAside(Array(other.rowAsMade.canonical), from: .log, .idIsTaken)
        if !kept.isSame(as: there) { try replace(kept, object) }
        return .collides
    }

    private func insert(_ event: Event, _ object: Int64?) throws {
        try database.cachedStatement(
            sql:
                "INSERT INTO event (client_id, type, time, client_time, created, payload, object) VALUES (?, ?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [
            event.clientID, event.type, event.time.milliseconds, event.writtenTime, event.createdAt.milliseconds,
            String(decoding: event.payload.canonical, as: UTF8.self), object,
        ])
    }

    private func replace(_ event: Event, _ object: Int64?) throws {
        try database.execute(
            sql: "UPDATE event SET type = ?, time = ?, client_time = ?, payload = ?, object = ? WHERE client_id = ?",
            arguments: [
                event.type, event.time.milliseconds, event.writtenTime,
                String(decoding: event.payload.canonical, as: UTF8.self), object, event.clientID,
            ])
    }

    // MARK: Reading

    private static let columns = "client_id, type, time, client_time, created, payload, seq"

    /// The event with this id; nil if there is none.
    package func event(_ clientID: String) throws -> Event? {
        try Row.fetchOne(
            try database.cachedStatement(sql: "SELECT \(Self.columns) FROM event WHERE client_id = ?"),
            arguments: [clientID]
        ).map(Event.init(row:))
    }

    /// Calls `body` for every event since `start` in order, one at a time: a log may be larger than memory.
    package func forEachEvent(from start: Timestamp? = nil, _ body: (Event) throws -> Void) throws {
        let rows = try Row.fetchCursor(
            try database.cachedStatement(
                sql: "SELECT \(Self.columns) FROM event WHERE time >= ? ORDER BY time, client_id"),
            arguments: [start?.milliseconds ?? .min])
        while let row = try rows.next() { try body(Event(row: row)) }
    }

    /// The last `count` events, of one type if it is given, the newest last.
    package func lastEvents(_ count: Int, type: String? = nil) throws -> [Event] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT \(Self.columns) FROM event \(type == nil ? "" : "WHERE type = :type")
                ORDER BY time DESC, client_id DESC LIMIT :count
                """,
            arguments: type.map { ["type": $0, "count": count] } ?? ["count": count]
        ).reversed().map(Event.init(row:))
    }

    /// Events in the order in which this device came to know them, after `mark`; and the mark for the next call.
    package func events(knownAfter mark: Int64, limit: Int = 1_000) throws -> (events: [Event], mark: Int64) {
        let rows = try Row.fetchAll(
            database, sql: "SELECT \(Self.columns) FROM event WHERE seq > ? ORDER BY seq LIMIT ?",
            arguments: [mark, limit])
        return (try rows.map(Event.init(row:)), rows.last.map { $0[6] } ?? mark)
    }

    /// The mark after all events; 0 for an empty log.
    package func newestMark() throws -> Int64 { try Int64.fetchOne(database, sql: "SELECT MAX(seq) FROM event") ?? 0 }

    /// The number of events, and of those that wait to be pushed.
    package func eventCounts() throws -> (all: Int, waiting: Int) {
        (
            try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM event") ?? 0,
            try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM event WHERE object IS NULL") ?? 0
        )
    }

    /// The number of events that wait to be pushed, without those of two types.
    package func countOfWaitingEvents(otherThan types: (String, String)) throws -> Int {
        try Int.fetchOne(
            database, sql: "SELECT COUNT(*) FROM event WHERE object IS NULL AND type NOT IN (?, ?)",
            arguments: [types.0, types.1]) ?? 0
    }

    /// The types of events with their counts, the most frequent first.
    package func eventTypes() throws -> [(type: String, count: Int)] {
        try Row.fetchAll(database, sql: "SELECT type, COUNT(*) AS n FROM event GROUP BY type ORDER BY n DESC, type")
            .map { ($0[0], $0[1]) }
    }

    /// Whether a watcher or a backup is to push now: 100 events wait, or one of them is due.
    ///
    /// Events that cue notes at each save are due after an hour: a batch for each save would be thousands of objects a
    /// year, and a new device reads them all. All others are due at once; so are those from the future, after a clock
    /// was set back.
    package func hasDueEvents(now: Timestamp) throws -> Bool {
        let sql = """
            SELECT count(*) >= 100 OR count(*) FILTER (
                WHERE type NOT IN (?, ?) OR created NOT BETWEEN ? AND ?) > 0 FROM event WHERE object IS NULL
            """
        let types = OwnEvent.typesOfSaves
        return try Bool.fetchOne(
            database, sql: sql,
            arguments: [types.0, types.1, now.milliseconds - 3_600_000, now.milliseconds + 60_000]) ?? false
    }

    /// The next events to push, the oldest first: at most `count`, and about `bytes` bytes of payload.
    package func waitingEvents(_ count: Int, bytes: Int) throws -> [Event] {
        var (events, size): ([Event], Int) = ([], 0)
        let rows = try Row.fetchCursor(
            database, sql: "SELECT \(Self.columns) FROM event WHERE object IS NULL ORDER BY seq LIMIT ?",
            arguments: [count])
        while size < bytes, let row = try rows.next() {
            size += (row[5] as String).utf8.count + 200
            events.append(try Event(row: row))
        }
        return events
    }
}

extension Event {
    /// The client's time as it was written; nil if that is the form that cue writes.
    fileprivate var writtenTime: String? { clientTimestamp == time.iso8601 ? nil : clientTimestamp }

    fileprivate init(row: Row) throws {
        let time = Timestamp(milliseconds: row[2])
        let payload: String = row[5]
        self.init(
            clientID: row[0], type: row[1], time: time, clientTimestamp: row[3] ?? time.iso8601,
            payload: try JSON(parsing: Array(payload.utf8)), createdAt: Timestamp(milliseconds: row[4]))
    }
}
