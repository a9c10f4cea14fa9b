import CueBase
import CueEngine
import CueLibrary
import CueTerminal
import Foundation

/// The result of `cue project` in JSON (docs/json.md).
struct ProjectResult: Encodable {
    let projects: [ProjectRow]
}

/// The settings and the status of a project, in JSON.
struct ProjectRow: Encodable {
    let path, nudge: String
    let set, archived: Bool
    let at: String?
    let inactivityHours: Int?
    let status: String?
    let deadline, lastEdited, lastProgress, next: Date?

    /// All projects with settings or a snooze.
    static func all(of library: OpenLibrary, _ now: Timestamp) throws -> [ProjectRow] {
        let reminders = try Reminders.of(library)
        return try Reminders.projects(of: library).map { project in
            ProjectRow(project, now, next: reminders.first { $0.project == project.id })
        }
    }

    private init(_ project: Reminders.Project, _ now: Timestamp, next: Reminder?) {
        let settings = project.settings
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
    init(unset project: LocalProject) {
        (path, nudge, set, archived) = (Display.text(project.path), "off", false, false)
        (at, inactivityHours, status, deadline, lastEdited, lastProgress, next) = (nil, nil, nil, nil, nil, nil, nil)
    }

    var line: String {
        guard set else { return "\(path): nothing is set" }
        var parts = [archived ? "archived" : "status \(status ?? "")"]
        if let deadline { parts.append("deadline \(deadline.shown)") }
        switch nudge {
        case "daily": parts.append("nudge daily at \(at ?? "")")
        case "off": parts.append("no nudge")
        default:
            parts.append("nudge after \(Style.count(inactivityHours ?? 0, "hour")) without progress, at \(at ?? "")")
        }
        if let next { parts.append("next reminder \(next.shown)") }
        return "\(path): \(parts.joined(separator: ", "))"
    }
}

extension Date {
    fileprivate var shown: String { Timestamp(self).shown }
}
