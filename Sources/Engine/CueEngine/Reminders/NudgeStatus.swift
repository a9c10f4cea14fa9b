package import CueBase
import CueLibrary

/// The state of a project, in one word. The names are part of the JSON output.
package enum NudgeStatus: String, Sendable, CaseIterable {
    /// The next nudge is far, near, or past.
    case active, approaching, overdue
    /// The deadline is within five minutes.
    case critical

    private static let minute: Int64 = 60_000
    private static let hour: Int64 = 3_600_000

    /// The status at `now`. It and the nudges use the same time: the last progress, else the last edit.
    package static func of(_ project: Reminders.Project, now: Timestamp, _ clock: WallClock) -> NudgeStatus {
        let settings = project.settings
        if let deadline = settings.deadline, abs(deadline.milliseconds - now.milliseconds) <= 5 * minute {
            return .critical
        }
        let activity = project.activity(now)
        let days = clock.day(of: now) - clock.day(of: activity)
        guard settings.nudgeEnabled else { return days == 0 ? .active : days < 3 ? .approaching : .overdue }
        switch settings.nudgeMode {
        case .afterInactivity: return afterInactivity(settings, activity, now, clock)
        case .daily: return daily(settings, wroteToday: days == 0, now, clock)
        }
    }

    /// Approaching from two hours before the inactivity is too long, overdue an hour after the nudge.
    private static func afterInactivity(
        _ settings: ProjectSettings, _ activity: Timestamp, _ now: Timestamp, _ clock: WallClock
    ) -> NudgeStatus {
        let threshold = activity.adding(hours: settings.maxInactivityHours)
        if threshold.milliseconds - now.milliseconds >= 2 * hour { return .active }
        let nudge = clock.next(settings.nudgeHour, settings.nudgeMinute, after: threshold)
        return now.milliseconds <= nudge.milliseconds + 60 * minute ? .approaching : .overdue
    }

    /// With writing today: approaching in the hour before the nudge, else active. Without: approaching until an hour
    /// after the nudge, then overdue.
    private static func daily(
        _ settings: ProjectSettings, wroteToday: Bool, _ now: Timestamp, _ clock: WallClock
    ) -> NudgeStatus {
        let nudge = clock.time(settings.nudgeHour, settings.nudgeMinute, on: clock.day(of: now))
        let left = nudge.milliseconds - now.milliseconds
        if wroteToday { return left > 0 && left <= 60 * minute ? .approaching : .active }
        return left < -60 * minute ? .overdue : .approaching
    }
}

extension Timestamp {
    func adding(hours: Int) -> Timestamp { Timestamp(milliseconds: milliseconds + Int64(hours) * 3_600_000) }
}
