package import CueBase
import Foundation
import GRDB

/// A place of the vault, as this device knows it.
package struct KnownPlace: Sendable {
    /// As the marker writes it.
    package let place: String
    /// The `vaultMark` of the time when the place last had everything that this device knew; nil before the first time.
    package var mark: String?
    /// When that was.
    package var complete: Timestamp?
    /// When this device last tried to reach it.
    package var tried: Timestamp?
    /// Why the last try failed; nil if it did not.
    package var trouble: FactCode?

    /// A place that was never tried.
    package init(_ place: String) { self.place = place }
}

extension LocalStore.Transaction {
    /// The places at which this device keeps the vault, beside the one of the marker's `vault`, in the order in which
    /// they were added. The place of `vault` is among them once a run has brought something there from another.
    package func places() throws -> [KnownPlace] {
        try Row.fetchAll(database, sql: "SELECT place, mark, complete, tried, trouble FROM place ORDER BY id").map {
            row in
            var place = KnownPlace(row[0])
            place.mark = row[1]
            place.complete = (row[2] as Int64?).map(Timestamp.init(milliseconds:))
            place.tried = (row[3] as Int64?).map(Timestamp.init(milliseconds:))
            place.trouble = (row[4] as String?).flatMap { FactCode(factText: $0) }
            return place
        }
    }

    /// Adds a place behind all others, or updates one that is known.
    package func set(_ place: KnownPlace) throws {
        try database.execute(
            sql: """
                INSERT INTO place (place, mark, complete, tried, trouble) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (place) DO UPDATE SET mark = excluded.mark, complete = excluded.complete,
                    tried = excluded.tried, trouble = excluded.trouble
                """,
            arguments: [
                place.place, place.mark, place.complete?.milliseconds, place.tried?.milliseconds,
                place.trouble?.factText,
            ])
    }

    /// Forgets a place. One that is unknown is no error.
    package func removePlace(_ place: String) throws {
        try database.execute(sql: "DELETE FROM place WHERE place = ?", arguments: [place])
    }

    /// A text that changes whenever this device stores something in the vault, or learns of something there: commits,
    /// batches of events, key slots.
    package func vaultMark() throws -> String {
        let row = try Row.fetchOne(
            database,
            sql: """
                SELECT (SELECT COUNT(*) FROM seen), (SELECT COUNT(*) || ' ' || COALESCE(MAX(id), 0) FROM event_object),
                    (SELECT COALESCE(GROUP_CONCAT(name || ' ' || standing), '')
                        FROM (SELECT name, standing FROM key_slot ORDER BY id))
                """)
        return row.map { "\($0[0] as Int) \($0[1] as String) \($0[2] as String)" } ?? ""
    }
}
