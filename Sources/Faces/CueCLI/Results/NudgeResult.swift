import CueBase
import CueEngine
import Foundation

/// The result of `cue nudge` in JSON (docs/json.md).
struct NudgeResult: Encodable {
    let due, next: [ReminderRow]
    let commandNotAllowed: String?
}

/// The result of `cue nudge --snooze` in JSON.
struct SnoozeResult: Encodable {
    let snoozed: ReminderRow
}

/// The result of `cue nudge --allow-command` in JSON.
struct AllowResult: Encodable {
    let allowed: String
}

/// A reminder in JSON.
struct ReminderRow: Encodable {
    let id, kind, title, body: String
    let path: String?
    let time: Date

    init(_ reminder: Reminder, path: String?) {
        (id, kind, title) = (reminder.id, reminder.kind.rawValue, reminder.message.title)
        (body, self.path, time) = (reminder.message.body, path, reminder.time.date)
    }

    var shown: String { Timestamp(time).shown }
}
