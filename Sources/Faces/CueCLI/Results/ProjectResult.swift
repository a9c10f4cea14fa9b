import CueBase
import CueEngine
import CueLibrary
import CueSystem
import CueTerminal
import Foundation

/// The result of `cue project` in JSON (docs/json.md).
struct ProjectResult: Encodable {
    let projects: [ProjectRow]
    let disputes: [SettingsDisputeRow]
}

/// The settings and the status of a project, in JSON.
struct ProjectRow: Encodable {
    let path, nudge: String
    let set, archived: Bool
    let at: String?
    let inactivityHours: Int?
    let status: String?
    let deadline, lastEdited, lastProgress, next: Date?
    let title: String
    let chosenTitle: String?
    let createdAt, firstStoredAt, lastEditedAt, lastSyncedAt: Date?
    let needsSync: Bool

    /// All projects with settings or a snooze.
    static func all(of library: OpenLibrary, _ now: Timestamp) throws -> [ProjectRow] {
        let reminders = try Reminders.of(library)
        let stored = try StoredProjects(library)
        return try Reminders.projects(of: library).map { project in
            ProjectRow(project, now, next: reminders.first { $0.project == project.id }, stored)
        }
    }

    private init(_ project: Reminders.Project, _ now: Timestamp, next: Reminder?, _ stored: StoredProjects) {
        let settings = project.settings
        (title, chosenTitle) = (project.title, settings.title)
        (firstStoredAt, lastEditedAt) = (stored.created(project.id)?.date, project.lastEditedAt.date)
        createdAt = settings.created?.date ?? firstStoredAt
        (lastSyncedAt, needsSync) = (
            stored.synced(project.path)?.date, stored.needsSync(project.path, settingsOf: project.id)
        )
        path = Display.text(project.path)
        nudge = settings.nudgeEnabled ? settings.nudgeMode.rawValue : "off"
        (set, archived) = (true, settings.archived)
        at = ReminderWords.timeOfDay(settings)
        inactivityHours = settings.maxInactivityHours
        let status = NudgeStatus.of(project, now: now, WallClock(.autoupdatingCurrent))
        self.status = settings.archived ? nil : status.rawValue
        deadline = settings.deadline?.date
        (lastEdited, lastProgress) = (project.lastEditedAt.date, settings.lastProgressAt?.date)
        self.next = next?.time.date
    }

    /// A project without settings.
    init(unset project: LocalProject, _ stored: StoredProjects) {
        (title, chosenTitle) = (project.title, nil)
        firstStoredAt = stored.created(project.id)?.date
        (createdAt, lastEditedAt) = (firstStoredAt, nil)
        (lastSyncedAt, needsSync) = (stored.synced(project.path)?.date, stored.needsSync(project.path))
        (path, nudge, set, archived) = (Display.text(project.path), "off", false, false)
        (at, inactivityHours, status, deadline, lastEdited, lastProgress, next) = (nil, nil, nil, nil, nil, nil, nil)
    }

    /// How the writing stands, which is not how the deadline does; in words where a writing is overdue.
    private var writing: String {
        guard status == NudgeStatus.overdue.rawValue else { return status ?? "" }
        return ReminderWords.overdue(since: (lastProgress ?? lastEdited)?.shown)
    }

    /// What is set, and how it stands; the name comes first.
    var lines: [String] {
        var rows: [(String, String)] = []
        if !set { rows.append(("set", "nothing; `cue project set` sets a deadline or a nudge")) }
        if let chosenTitle { rows.append(("title", chosenTitle)) }
        if set { rows.append(("status", archived ? "archived: cue is silent about it" : writing)) }
        if let deadline { rows.append(("deadline", ReminderWords.deadline(Timestamp(deadline), now: Environment.now))) }
        if set {
            switch nudge {
            case "daily": rows.append(("nudge", "daily at \(at ?? "")"))
            case "off": rows.append(("nudge", "none"))
            default:
                let hours = Style.count(inactivityHours ?? 0, "hour")
                rows.append(("nudge", "after \(hours) without progress, at \(at ?? "")"))
            }
        }
        if let next { rows.append(("reminder", "next \(next.shown)")) }
        if let createdAt {
            let isStored = createdAt == firstStoredAt
            rows.append(("created", "\(createdAt.shown)\(isStored ? ", when it was first stored" : "")"))
        }
        if let lastEditedAt { rows.append(("edited", lastEditedAt.shown)) }
        let synced = lastSyncedAt.map { "since \($0.shown)" } ?? "yes"
        rows.append(("stored", needsSync ? "not as it is now: `cue backup`" : synced))
        return [path] + rows.map { "  \(Style.left($0.0, 9)) \($0.1)" }
    }
}

extension Date {
    fileprivate var shown: String { Timestamp(self).shown }
}
