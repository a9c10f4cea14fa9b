import CueBase
import CueEngine
import CueLibrary
import CueTerminal
import Foundation

/// Parses the values that people type about reminders. Each function throws `CueError` with an example.
enum ReminderWords {
    /// A parsed deadline; nil for `none`, which removes one.
    struct Deadline { let time: Timestamp? }

    /// `none`, or a future time in whole minutes. A day alone means its last minute.
    static func deadline(_ text: String, _ now: Timestamp) throws -> Deadline {
        if text.lowercased() == "none" { return Deadline(time: nil) }
        guard let written = WrittenTime(text, now: now, toward: .future, in: .current) else {
            throw CueError(
                .usage, "\(text) is no deadline",
                "deadlines look like 2026-12-31, \"31 Dec 18:00\", \"next friday\" or \"in 3 weeks\"; none takes it away"
            )
        }
        guard written.end.milliseconds / 1000 <= ProjectSettings.latest.milliseconds / 1000 else {
            throw CueError(.usage, "\(text) is too far away for a deadline", "the last one is 9999-12-31")
        }
        let time = Timestamp(milliseconds: written.end.milliseconds / 60_000 * 60_000)
        guard time > now else {
            throw CueError(
                .usage, "the deadline \(text) is past; nothing was changed",
                "name a time to come; none takes a deadline away")
        }
        return Deadline(time: time)
    }

    /// A parsed way to nudge.
    enum Nudge: Equatable {
        case off
        case mode(ProjectSettings.NudgeMode)
    }

    /// `off`, or a mode in any case.
    static func nudge(_ text: String) throws -> Nudge {
        let word = text.lowercased()
        if word == "off" { return .off }
        guard let mode = ProjectSettings.NudgeMode.allCases.first(where: { $0.rawValue.lowercased() == word }) else {
            throw CueError(.usage, "\(text) is no way to nudge", "there are daily, afterInactivity and off")
        }
        return .mode(mode)
    }

    /// `9:00` or `21:30`.
    static func timeOfDay(_ text: String) throws -> (hour: Int, minute: Int) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { (1...2).contains($0.count) && $0.allSatisfy { ("0"..."9").contains($0) } }
        guard isPlain, parts.count == 2, parts[1].count == 2, let hour = Int(parts[0]), let minute = Int(parts[1]),
            hour < 24, minute < 60
        else { throw CueError(.usage, "\(text) is no time of day", "times look like 9:00 or 21:30, up to 23:59") }
        return (hour, minute)
    }

    /// The time of the nudge, such as `09:00`.
    static func timeOfDay(_ settings: ProjectSettings) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
        return "\(two(settings.nudgeHour)):\(two(settings.nudgeMinute))"
    }

    /// Whole hours within `ProjectSettings.hours`: `48`, `48h` or `2d`.
    static func hours(_ text: String) throws -> Int {
        guard let seconds = WrittenDuration(text, plain: .hour)?.seconds,
            let hours = Int(exactly: seconds / 3600), ProjectSettings.hours.contains(hours)
        else {
            throw CueError(
                .usage, "\(text) is no number of hours from 1 to 8760", "usual are 24, 48, 72, 120 and 168; 3d is 72")
        }
        return hours
    }

    /// The moment until which something is put off: `30m`, `2d`, `14:30` or `tomorrow`, of which a day means its 9:00.
    static func later(_ text: String, _ now: Timestamp) throws -> Timestamp {
        let range = 60.0...60 * 86_400
        var time = WrittenTime(text, now: now, toward: .future, in: .current)
        if time?.isDay == true { time = WrittenTime("\(text) 9:00", now: now, toward: .future, in: .current) }
        guard let start = time?.start, range.contains(Double(start.milliseconds - now.milliseconds) / 1000) else {
            throw CueError(
                .usage, "\(text) is no time to put something off",
                "such times look like 30m, 1h, 2d, 14:30 or tomorrow, \(DurationWords.range(range)) away")
        }
        return start
    }

    /// The status of a project whose nudge is overdue. `since`: the time of the last writing; nil if it is unknown.
    static func overdue(since: String?) -> String {
        "writing is overdue\(since.map { ": the last was on \($0)" } ?? "")"
    }

    /// A deadline, and how far it is.
    static func deadline(_ deadline: Timestamp, now: Timestamp) -> String {
        let clock = WallClock(.autoupdatingCurrent)
        let days = clock.day(of: deadline) - clock.day(of: now)
        let far =
            switch days {
            case _ where deadline <= now: ", it is over"
            case 0: ", today"
            case 1: ", tomorrow"
            case ...366: ", in \(Style.count(days, "day"))"
            // The year says it.
            default: ""
            }
        return deadline.shown + far
    }
}
