package import CueBase
import CueLibrary
import CueSystem
package import Foundation

extension Reminders {
    /// The reminders that are due, and the next ones. Reads the local store and times of files; never the vault.
    package static func of(_ library: OpenLibrary, zone: TimeZone = .autoupdatingCurrent) throws -> [Reminder] {
        plan(try situation(of: library), now: library.clock.now, WallClock(zone))
    }

    /// Notes that a reminder was shown, so that it does not come again.
    package static func markDelivered(_ reminder: Reminder, in library: OpenLibrary) throws {
        let now = library.clock.now
        try library.store.write { try $0.markDelivered(reminder, at: now) }
    }

    /// Shows what is due, for ten seconds at most, and notes what was shown. A reminder that could not be shown stays
    /// due: callers wait before they try again.
    package static func deliverDue(
        in library: OpenLibrary, through notifier: Notifier, zone: TimeZone = .autoupdatingCurrent
    ) throws -> [(reminder: Reminder, outcome: Notifier.Outcome)] {
        let clock = library.clock
        let end = clock.seconds + Notifier.limit
        var told: [(Reminder, Notifier.Outcome)] = []
        for reminder in try of(library, zone: zone) where reminder.isDue {
            let left = end - clock.seconds
            // The first gets the whole time; the others may wait for the next call.
            guard told.isEmpty || left > 1 else { break }
            let outcome = notifier.deliver(reminder, within: left)
            if outcome == .delivered { try markDelivered(reminder, in: library) }
            told.append((reminder, outcome))
        }
        return told
    }

    /// Puts off what is due for a project, and returns the reminder that comes at `end`.
    package static func snooze(
        _ project: LocalProject, until end: Timestamp, in library: OpenLibrary, zone: TimeZone = .autoupdatingCurrent
    ) throws -> Reminder {
        let now = library.clock.now
        // Whole seconds, as the id has them.
        let end = Timestamp(milliseconds: end.milliseconds / 1000 * 1000)
        let due = try of(library, zone: zone).filter { $0.isDue && $0.project == project.id }
        let title = try library.store.write { transaction in
            for reminder in due { try transaction.markDelivered(reminder, at: now) }
            try transaction.setSnooze(end, of: project.id)
            return try transaction.settings(of: project.id)?.title ?? project.title
        }
        return Reminder(
            snoozeID(project.id, end), .snooze, of: project.id, .snoozed(title: title), planned: end, now: now)
    }

    /// Notes progress on a project: half a minute of writing or more, with a changed text at the end.
    package static func noteProgress(on project: ProjectID, at time: Timestamp, in library: OpenLibrary) throws {
        try library.store.write { transaction in
            // A project without settings has no reminders.
            if try transaction.settings(of: project) != nil { try transaction.noteProgress(on: project, at: time) }
        }
    }

    /// The projects of this device that have settings or a snooze, by path.
    package static func projects(of library: OpenLibrary) throws -> [Project] {
        try situation(of: library).projects
    }

    /// Reads all facts that the plan needs.
    private static func situation(of library: OpenLibrary) throws -> Situation {
        // Edits on the disk may be newer than the vault: a person may write while the vault is away.
        var times = EditTimes(library.root)
        return try library.store.read { transaction in
            let settings = try transaction.settings()
            let snoozes = try transaction.snoozes()
            let wanted = Set(settings.keys).union(snoozes.keys)
            let all = wanted.isEmpty ? [] : try transaction.localProjects()
            let projects = try all.filter { wanted.contains($0.id) }.map { project in
                Project(
                    id: project.id, title: settings[project.id]?.title ?? project.title, path: project.path,
                    lastEditedAt: try times.lastEdit(of: project, among: all, transaction),
                    settings: settings[project.id] ?? .silent)
            }
            return Situation(
                projects: projects, snoozes: snoozes, delivered: try transaction.delivered(),
                backup: try backupRule(library, transaction))
        }
    }

    /// A library without a backup counts from the day on which it became one. nil if that is unknown too.
    private static func backupRule(
        _ library: OpenLibrary, _ transaction: LocalStore.Transaction
    ) throws -> BackupRule? {
        let last = try transaction.value(.lastBackup)
        let made = try? library.root.folder(LibraryMarker.folder).info().modified.timestamp
        return (last ?? made).map { BackupRule(last: $0, days: library.marker.backupDays) }
    }
}

extension ProjectSettings {
    /// For a project that has a snooze but no settings.
    fileprivate static var silent: ProjectSettings {
        var settings = ProjectSettings(setAt: Timestamp(milliseconds: 0))
        settings.nudgeEnabled = false
        return settings
    }
}

extension LocalStore.Transaction {
    /// Notes a reminder as shown: a snooze is removed, any other gets its time.
    fileprivate func markDelivered(_ reminder: Reminder, at time: Timestamp) throws {
        if reminder.kind == .snooze, let project = reminder.project {
            try removeSnooze(reminder.planned, of: project)
        } else {
            try setDelivered(reminder.id, at: max(time, reminder.planned))
        }
    }
}
