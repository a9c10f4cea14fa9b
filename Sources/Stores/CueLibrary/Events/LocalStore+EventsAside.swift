package import CueBase
import CueSystem
import Foundation
import GRDB

/// Values that came as events and do not count.
extension LocalStore.Transaction {
    /// A value that came as an event but is none, or lost to another event of its id. It is kept, so that nothing is
    /// lost.
    package struct EventAside: Sendable {
        /// The file and line, or the device that it came from.
        package let source: AsideSource
        /// Why it does not count.
        package let reason: AsideReason
        /// When it was set aside.
        package let time: Timestamp
        /// As it came; at most the first 2 MiB of a record from the vault.
        package let body: [UInt8]
    }

    /// Keeps a value that is no event. The same value is kept once.
    package func setAside(_ body: [UInt8], from source: AsideSource, _ reason: AsideReason) throws {
        try database.execute(
            sql: "INSERT OR IGNORE INTO event_aside (source, reason, time, body) VALUES (?, ?, ?, ?)",
            arguments: [
                FactCode(source).factText, FactCode(reason).factText, Environment.now.milliseconds,
                Data(body),
            ])
    }

    /// All values that were set aside, the oldest first. Those of an earlier version's form are left out.
    package func eventsAside() throws -> [EventAside] {
        try Row.fetchAll(database, sql: "SELECT source, reason, time, body FROM event_aside ORDER BY id").compactMap {
            row in
            guard let source: AsideSource = FactCode(factText: row[0])?.value(),
                let reason: AsideReason = FactCode(factText: row[1])?.value()
            else { return nil }
            return EventAside(
                source: source, reason: reason, time: Timestamp(milliseconds: row[2]), body: Array(row[3] as Data))
        }
    }

    /// Forgets all values that were set aside, and returns their number.
    package func forgetEventsAside() throws -> Int {
        try database.execute(sql: "DELETE FROM event_aside")
        return database.changesCount
    }

    /// The number of values that were set aside.
    package func countOfEventsAside() throws -> Int {
        try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM event_aside") ?? 0
    }
}
