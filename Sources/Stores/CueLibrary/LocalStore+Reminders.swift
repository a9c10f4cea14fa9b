package import CueBase
import Foundation
import GRDB

/// What the store keeps for reminders, on this device alone.
extension LocalStore.Transaction {
    // MARK: Settings

    /// What was set for a project; nil if nothing ever was.
    package func settings(of project: ProjectID) throws -> ProjectSettings? {
        try settingsText(of: project).map { ProjectSettings(parsing: $0) }
    }

    package func settings() throws -> [ProjectID: ProjectSettings] {
        var settings: [ProjectID: ProjectSettings] = [:]
        let rows = try Row.fetchCursor(database, sql: "SELECT project, value FROM project_setting")
        while let row = try rows.next() { settings[try project(row[0])] = ProjectSettings(parsing: row[1]) }
        return settings
    }

    package func set(_ settings: ProjectSettings, of project: ProjectID) throws {
        let text = try settings.text(over: settingsText(of: project))
        try database.execute(
            sql: "INSERT OR REPLACE INTO project_setting VALUES (?, ?)", arguments: [key(project), text])
    }

    private func settingsText(of project: ProjectID) throws -> String? {
        try String.fetchOne(
            database, sql: "SELECT value FROM project_setting WHERE project = ?", arguments: [key(project)])
    }

    // MARK: Snoozes, one a project at most

    package func snoozes() throws -> [ProjectID: Timestamp] {
        var snoozes: [ProjectID: Timestamp] = [:]
        let rows = try Row.fetchCursor(database, sql: "SELECT project, time FROM snooze")
        while let row = try rows.next() { snoozes[try project(row[0])] = Timestamp(milliseconds: row[1]) }
        return snoozes
    }

    package func setSnooze(_ time: Timestamp, of project: ProjectID) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO snooze VALUES (?, ?)", arguments: [key(project), time.milliseconds])
    }

    /// Removes the snooze that ends at `time`; a later one stays.
    package func removeSnooze(_ time: Timestamp, of project: ProjectID) throws {
        try database.execute(
            sql: "DELETE FROM snooze WHERE project = ? AND time = ?", arguments: [key(project), time.milliseconds])
    }

    // MARK: What was delivered, and when

    package func delivered() throws -> [String: Timestamp] {
        var delivered: [String: Timestamp] = [:]
        let rows = try Row.fetchCursor(database, sql: "SELECT id, time FROM delivered")
        while let row = try rows.next() { delivered[row[0]] = Timestamp(milliseconds: row[1]) }
        return delivered
    }

    package func setDelivered(_ id: String, at time: Timestamp) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO delivered VALUES (?, ?)", arguments: [id, time.milliseconds])
    }

    /// What ended may be said again when it comes again.
    package func removeDelivered(_ id: String) throws {
        try database.execute(sql: "DELETE FROM delivered WHERE id = ?", arguments: [id])
    }

    private func project(_ data: Data) throws -> ProjectID {
        var reader = ByteReader(Array(data))
        return try reader.versionID()
    }
}
