package import CueBase
import GRDB

/// The state of reminders. It exists on this device only.
extension LocalStore.Transaction {
    // MARK: Snoozes, one a project at most

    /// The end of each project's snooze.
    package func snoozes() throws -> [ProjectID: Timestamp] {
        var snoozes: [ProjectID: Timestamp] = [:]
        let rows = try Row.fetchCursor(database, sql: "SELECT project, time FROM snooze")
        while let row = try rows.next() { snoozes[try row.versionID(0)] = Timestamp(milliseconds: row[1]) }
        return snoozes
    }

    /// Replaces the snooze of a project; it ends at `time`.
    package func setSnooze(_ time: Timestamp, of project: ProjectID) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO snooze VALUES (?, ?)", arguments: [project.column, time.milliseconds])
    }

    /// Removes the snooze that ends at `time`; a later one stays.
    package func removeSnooze(_ time: Timestamp, of project: ProjectID) throws {
        try database.execute(
            sql: "DELETE FROM snooze WHERE project = ? AND time = ?", arguments: [project.column, time.milliseconds])
    }

    // MARK: What was delivered, and when

    /// When each reminder was last shown, by its id.
    package func delivered() throws -> [String: Timestamp] {
        var delivered: [String: Timestamp] = [:]
        let rows = try Row.fetchCursor(database, sql: "SELECT id, time FROM delivered")
        while let row = try rows.next() { delivered[row[0]] = Timestamp(milliseconds: row[1]) }
        return delivered
    }

    /// Notes that a reminder was shown.
    package func setDelivered(_ id: String, at time: Timestamp) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO delivered VALUES (?, ?)", arguments: [id, time.milliseconds])
    }

    /// Forgets that a reminder was shown: its cause has ended, and a new one is shown again.
    package func removeDelivered(_ id: String) throws {
        try database.execute(sql: "DELETE FROM delivered WHERE id = ?", arguments: [id])
    }
}
