package import CueBase
package import CueVault
import Foundation
import GRDB

/// The settings of projects. The vault holds them; changes of this device wait here until a commit takes them.
extension LocalStore.Transaction {
    // MARK: What counts

    /// The settings of a project that count; nil if none were ever made.
    package func settings(of project: ProjectID) throws -> ProjectSettings? {
        var settings = try knownSettings(of: project)[project]?.inForce
        settings?.lastProgressAt = try progress(of: project)[project]
        return settings
    }

    /// The settings of all projects that have some.
    package func settings() throws -> [ProjectID: ProjectSettings] {
        let progress = try progress()
        var settings: [ProjectID: ProjectSettings] = [:]
        for (project, known) in try knownSettings() {
            settings[project] = known.inForce
            settings[project]?.lastProgressAt = progress[project]
        }
        return settings
    }

    /// What this device knows of the settings of one project, or of all.
    package func knownSettings(of project: ProjectID? = nil) throws -> [ProjectID: KnownSettings] {
        var known: [ProjectID: KnownSettings] = [:]
        let rows = try fetch("note, project, device, name, time, json, parents FROM settings_record", of: project)
        while let row = try rows.next() {
            let note = try row.settings(1, 6, 4, 5)
            let record = SettingsRecord(id: try row.versionID(0), device: try row.id16(2), note: note)
            known[note.project, default: KnownSettings()].records.append((record, row[3]))
        }
        for project in known.keys {
            known[project]?.records.sort {
                ($0.record.note.time, $0.record.id) > ($1.record.note.time, $1.record.id)
            }
        }
        for note in try waitingSettings(of: project) { known[note.project, default: KnownSettings()].waiting = note }
        return known
    }

    // MARK: Changes of this device

    /// Changes the settings of a project on this device; the next commit takes them. Keys that a later cue wrote stay.
    package func set(_ settings: ProjectSettings, of project: ProjectID) throws {
        let known = try knownSettings(of: project)[project] ?? KnownSettings()
        try setWaiting(known.changed(to: settings, of: project))
        if let time = settings.lastProgressAt { try noteProgress(on: project, at: time) }
    }

    /// The changes that are in no commit yet.
    package func waitingSettings() throws -> [SettingsNote] { try waitingSettings(of: nil) }

    /// Whether there is one.
    package func hasWaitingSettings() throws -> Bool {
        try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM settings_waiting)") ?? false
    }

    private func waitingSettings(of project: ProjectID?) throws -> [SettingsNote] {
        let rows = try fetch("project, parents, time, json FROM settings_waiting", of: project)
        var notes: [SettingsNote] = []
        while let row = try rows.next() { notes.append(try row.settings(0, 1, 2, 3)) }
        return notes
    }

    func setWaiting(_ note: SettingsNote) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO settings_waiting VALUES (?, ?, ?, ?)",
            arguments: [
                note.project.column, note.parents.column, note.time.milliseconds, Data(note.json),
            ])
    }

    // MARK: Records of the vault

    /// Notes records that this device has written itself: they no longer wait. A change that came since then continues
    /// from them.
    package func addWritten(_ records: [SettingsRecord], by deviceName: String) throws {
        for record in records {
            for parent in record.note.parents {
                try database.execute(sql: "DELETE FROM settings_record WHERE note = ?", arguments: [parent.column])
            }
            try add(record, deviceName)
            guard let waiting = try waitingSettings(of: record.note.project).first else { continue }
            guard waiting.time > record.note.time else {
                try database.execute(
                    sql: "DELETE FROM settings_waiting WHERE project = ?", arguments: [record.note.project.column])
                continue
            }
            let parents = Set(waiting.parents).subtracting(record.note.parents).union([record.id]).sorted()
            try setWaiting(
                SettingsNote(project: waiting.project, parents: parents, time: waiting.time, json: waiting.json))
        }
    }

    /// Replaces the records of all projects by those that count in the vault. A change that waits is carried over to a
    /// record that another device made of the same settings.
    package func setSettings(_ records: [(record: SettingsRecord, deviceName: String)]) throws {
        if try hasWaitingSettings() {
            let known = try knownSettings()
            for (project, records) in Dictionary(grouping: records, by: \.record.note.project) where records.count == 1
            {
                if let carried = known[project]?.carried(over: records[0].record) { try setWaiting(carried) }
            }
        }
        try database.execute(sql: "DELETE FROM settings_record")
        for (record, name) in records { try add(record, name) }
    }

    private func add(_ record: SettingsRecord, _ deviceName: String) throws {
        try database.cachedStatement(sql: "INSERT OR REPLACE INTO settings_record VALUES (?, ?, ?, ?, ?, ?, ?)")
            .execute(
                arguments: [
                    record.id.column, record.note.project.column, record.device.column, deviceName,
                    record.note.time.milliseconds, Data(record.note.json), record.note.parents.column,
                ])
    }

    /// Lets the settings that count wait to be stored again: the vault of the library may have them no longer.
    func releaseSettings() throws {
        for (project, known) in try knownSettings() where known.waiting == nil {
            if let settings = known.inForce { try setWaiting(known.changed(to: settings, of: project)) }
        }
        try database.execute(sql: "DELETE FROM settings_record")
    }

    // MARK: Progress, which each device notes for itself

    /// Notes progress on a project.
    package func noteProgress(on project: ProjectID, at time: Timestamp) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO progress VALUES (?, ?)", arguments: [project.column, time.milliseconds])
    }

    private func progress(of project: ProjectID? = nil) throws -> [ProjectID: Timestamp] {
        var times: [ProjectID: Timestamp] = [:]
        let rows = try fetch("project, time FROM progress", of: project)
        while let row = try rows.next() { times[try row.versionID(0)] = Timestamp(milliseconds: row[1]) }
        return times
    }

    /// The rows of a table with a column `project`: those of one project, or all.
    private func fetch(_ what: String, of project: ProjectID?) throws -> RowCursor {
        guard let project else { return try Row.fetchCursor(database, sql: "SELECT \(what)") }
        return try Row.fetchCursor(database, sql: "SELECT \(what) WHERE project = ?", arguments: [project.column])
    }

    // MARK: Settings of an earlier cue

    /// Takes over the settings that a store had before they travelled: all of them wait to be stored.
    func takeOverSettings() throws {
        for row in try Row.fetchAll(database, sql: "SELECT project, value FROM project_setting") {
            let text: String = row[1]
            guard let project = try? row.versionID(0), let json = try? JSON(parsing: Array(text.utf8)),
                let members = json.members
            else { continue }
            let own: Set<String> = ["setAt", "lastProgressAt"]
            let time = { (key: String) in
                json[key]?.integer.flatMap { (0...ProjectSettings.latest.milliseconds).contains($0) ? $0 : nil }
            }
            let settings = JSON.object(members.filter { !own.contains($0.key) })
            try setWaiting(
                SettingsNote(
                    project: project, parents: [], time: Timestamp(milliseconds: time("setAt") ?? 0),
                    json: settings.canonical))
            if let progress = time("lastProgressAt") {
                try noteProgress(on: project, at: Timestamp(milliseconds: progress))
            }
        }
    }
}

extension Row {
    /// A note whose project, parents, time and JSON are these columns.
    fileprivate func settings(
        _ project: Int, _ parents: Int, _ time: Int, _ json: Int
    ) throws(FormatError) -> SettingsNote {
        var reader = ByteReader(Array(self[parents] as Data))
        var ids: [NoteID] = []
        while !reader.isAtEnd { ids.append(try reader.versionID()) }
        return SettingsNote(
            project: try versionID(project), parents: ids, time: Timestamp(milliseconds: self[time]),
            json: Array(self[json] as Data))
    }
}

extension [NoteID] {
    /// The ids as `Row.settings` reads them.
    fileprivate var column: Data {
        var writer = ByteWriter()
        for id in self { writer.id(id) }
        return Data(writer.bytes)
    }
}
