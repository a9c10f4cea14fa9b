package import CueBase
import CueLibrary
import CueSystem
package import Foundation

extension Reminders {
    /// What is due in a library, and what comes next. Reads the local store and times of files; never the vault.
    package static func of(
        _ library: OpenLibrary, now: Timestamp = Environment.now, zone: TimeZone = .autoupdatingCurrent
    ) throws -> [Reminder] {
        plan(try situation(of: library), now: now, WallClock(zone))
    }

    /// Remembers that a reminder was shown, so that it does not come again.
    package static func markDelivered(
        _ reminder: Reminder, in library: OpenLibrary, at time: Timestamp = Environment.now
    ) throws {
        try library.store.write { try $0.markDelivered(reminder, at: time) }
    }

    /// Shows what is due, for ten seconds at most, and remembers what was shown. What could not be shown stays due: whoever calls
    /// again waits a while.
    package static func deliverDue(
        in library: OpenLibrary, through notifier: Notifier, now: Timestamp = Environment.now,
        zone: TimeZone = .autoupdatingCurrent
    ) throws -> [(reminder: Reminder, outcome: Notifier.Outcome)] {
        let end = Environment.monotonicSeconds + Notifier.limit
        var told: [(Reminder, Notifier.Outcome)] = []
        for reminder in try of(library, now: now, zone: zone) where reminder.isDue {
            let left = end - Environment.monotonicSeconds
            // The first has all the time there is; the others may be left for the next call.
            guard told.isEmpty || left > 1 else { break }
            let outcome = notifier.deliver(reminder, within: left)
            if outcome == .delivered { try markDelivered(reminder, in: library, at: now) }
            told.append((reminder, outcome))
        }
        return told
    }

    /// Puts off what is due for a project, and reminds once more at `end`.
    package static func snooze(
        _ project: LocalProject, until end: Timestamp, in library: OpenLibrary, now: Timestamp = Environment.now,
        zone: TimeZone = .autoupdatingCurrent
    ) throws -> Reminder {
        // To the second, as its id.
        let end = Timestamp(milliseconds: end.milliseconds / 1000 * 1000)
        let due = try of(library, now: now, zone: zone).filter { $0.isDue && $0.project == project.id }
        try library.store.write { transaction in
            for reminder in due { try transaction.markDelivered(reminder, at: now) }
            try transaction.setSnooze(end, of: project.id)
        }
        return Reminder(
            snoozeID(project.id, end), .snooze, of: project.id, title: project.title, body: snoozed, planned: end,
            now: now)
    }

    /// Notes that somebody wrote on a project: half a minute or more, with another content at the end.
    package static func noteProgress(on project: ProjectID, at time: Timestamp, in library: OpenLibrary) throws {
        try library.store.write { try $0.noteProgress(on: project, at: time) }
    }

    /// The projects of this device that somebody set something for, by path.
    package static func projects(of library: OpenLibrary) throws -> [Project] {
        try situation(of: library).projects
    }

    private static func situation(of library: OpenLibrary) throws -> Situation {
        // What is on the disk may be newer than what the vault has: somebody may write while it is away.
        var times = EditTimes(library.root)
        return try library.store.read { transaction in
            let settings = try transaction.settings()
            let snoozes = try transaction.snoozes()
            let wanted = Set(settings.keys).union(snoozes.keys)
            let all = wanted.isEmpty ? [] : try transaction.localProjects()
            let projects = try all.filter { wanted.contains($0.id) }.map { project in
                Project(
                    id: project.id, title: project.title, path: project.path,
                    lastEditedAt: try times.lastEdit(of: project, among: all, transaction),
                    settings: settings[project.id] ?? .silent)
            }
            return Situation(
                projects: projects, snoozes: snoozes, delivered: try transaction.delivered(),
                backup: try backupRule(library, transaction))
        }
    }

    /// A library that was never backed up counts from when it became one.
    private static func backupRule(
        _ library: OpenLibrary, _ transaction: LocalStore.Transaction
    ) throws -> BackupRule? {
        let last = try transaction.text("last backup").flatMap { Int64($0) }.map(Timestamp.init(milliseconds:))
        let made = try? library.root.folder(LibraryMarker.folder).info().modified.timestamp
        return (last ?? made).map { BackupRule(last: $0, days: library.marker.backupDays) }
    }
}

extension ProjectSettings {
    /// Of a project for which only a snooze was asked.
    fileprivate static var silent: ProjectSettings {
        var settings = ProjectSettings(setAt: Timestamp(milliseconds: 0))
        settings.nudgeEnabled = false
        return settings
    }
}

extension LocalStore.Transaction {
    fileprivate func markDelivered(_ reminder: Reminder, at time: Timestamp) throws {
        if reminder.kind == .snooze, let project = reminder.project {
            try removeSnooze(reminder.planned, of: project)
        } else {
            try setDelivered(reminder.id, at: max(time, reminder.planned))
        }
    }
}
