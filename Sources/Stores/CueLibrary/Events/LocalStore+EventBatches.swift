import CueBase
package import CueStorage
import GRDB

/// The batches of events that the vault holds, as this device knows them.
extension LocalStore.Transaction {
    /// The batches that were read or written, with their sizes in bytes. They are the cursor of a pull: no clock can
    /// confuse it.
    package func eventObjects() throws -> [LogPosition: (id: Int64, size: Int)] {
        var objects: [LogPosition: (id: Int64, size: Int)] = [:]
        let rows = try Row.fetchCursor(database, sql: "SELECT device, generation, batch, id, size FROM event_object")
        while let row = try rows.next() { objects[try row.position()] = (row[3], row[4]) }
        return objects
    }

    /// Notes a batch as read or written, with its size in bytes. Returns its id in this store.
    package func addEventObject(_ position: LogPosition, size: Int) throws -> Int64 {
        try database.execute(
            sql: "INSERT INTO event_object (device, generation, batch, size) VALUES (?, ?, ?, ?)",
            arguments: position.columns + [size])
        return database.lastInsertedRowID
    }

    /// Forgets a batch that is gone from the vault or damaged. Its events wait again, and the next batch reports it as
    /// replaced.
    package func removeEventObject(_ id: Int64, _ position: LogPosition) throws {
        try database.execute(sql: "UPDATE event SET object = NULL WHERE object = ?", arguments: [id])
        try database.execute(sql: "DELETE FROM event_object WHERE id = ?", arguments: [id])
        try addReplaced(position, isTold: false)
    }

    // MARK: Batches whose events are stored again

    /// Notes a batch as replaced. `isTold`: a batch in the vault reports it already; else the next one of this device
    /// does.
    package func addReplaced(_ position: LogPosition, isTold: Bool) throws {
        try database.execute(
            sql: """
                INSERT INTO event_replaced VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET is_told = is_told OR excluded.is_told
                """, arguments: position.columns + [isTold])
    }

    /// The replaced batches; with `isTold` only those that a batch reports already, or not yet.
    package func replacedBatches(isTold: Bool? = nil) throws -> Set<LogPosition> {
        var positions: Set<LogPosition> = []
        let rows = try Row.fetchCursor(database, sql: "SELECT device, generation, batch, is_told FROM event_replaced")
        while let row = try rows.next() {
            if let isTold, isTold != row[3] as Bool { continue }
            positions.insert(try row.position())
        }
        return positions
    }

    /// Marks waiting events as held by a batch.
    package func mark(_ clientIDs: some Sequence<String>, in object: Int64) throws {
        let statement = try database.cachedStatement(
            sql: "UPDATE event SET object = ? WHERE client_id = ? AND object IS NULL")
        for id in clientIDs { try statement.execute(arguments: [object, id]) }
    }
}
