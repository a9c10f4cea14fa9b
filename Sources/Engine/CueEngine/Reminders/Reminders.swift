package import CueBase
package import CueLibrary

/// Decides which reminders there are, and when, from values alone.
package enum Reminders {
    /// A project with settings or a snooze.
    package struct Project: Sendable {
        /// Its id in the vault.
        package let id: ProjectID
        /// Its name for people.
        package let title: String
        /// In the library.
        package let path: RelativePath
        /// The newest time of its files. It may be wrong: see `activity`.
        package let lastEditedAt: Timestamp
        /// Silent ones if it has only a snooze.
        package let settings: ProjectSettings

        /// Memberwise.
        package init(
            id: ProjectID, title: String, path: RelativePath, lastEditedAt: Timestamp, settings: ProjectSettings
        ) {
            (self.id, self.title, self.path) = (id, title, path)
            (self.lastEditedAt, self.settings) = (lastEditedAt, settings)
        }

        /// When a person last worked on it. File times may be anything, so the result is kept between 1970 and `now`.
        func activity(_ now: Timestamp) -> Timestamp {
            let progress = settings.lastProgressAt.flatMap { $0.isPlausible(now) ? $0 : nil }
            let time = progress ?? lastEditedAt
            return max(Timestamp(milliseconds: 0), min(time, now))
        }
    }

    /// When to remind of a missing backup.
    package struct BackupRule: Sendable {
        /// When everything was last in the vault.
        package let last: Timestamp
        /// Days without a backup until the reminder; 0 for never.
        package let days: Int

        /// Memberwise.
        package init(last: Timestamp, days: Int) { (self.last, self.days) = (last, days) }
    }

    /// Everything that the plan depends on.
    package struct Situation: Sendable {
        /// Those with settings or a snooze.
        package var projects: [Project]
        /// The end of each project's snooze.
        package var snoozes: [ProjectID: Timestamp]
        /// When each reminder was last shown, by its id.
        package var delivered: [String: Timestamp]
        /// nil for no reminder of backups.
        package var backup: BackupRule?

        /// Memberwise.
        package init(
            projects: [Project], snoozes: [ProjectID: Timestamp] = [:], delivered: [String: Timestamp] = [:],
            backup: BackupRule? = nil
        ) {
            (self.projects, self.snoozes, self.delivered, self.backup) = (projects, snoozes, delivered, backup)
        }
    }

    /// The reminders that are due, and the next one of each kind, the earliest first. Ids are unique.
    package static func plan(_ situation: Situation, now: Timestamp, _ clock: WallClock) -> [Reminder] {
        let planner = Planner(
            delivered: situation.delivered.filter { $0.value.isPlausible(now) }, now: now, clock: clock)
        var reminders: [Reminder] = []
        // An archived project has no reminders at all; its settings wait.
        for project in situation.projects where !project.settings.archived {
            reminders += planner.deadlines(of: project)
            if let nudge = planner.nudge(of: project) { reminders.append(nudge) }
            if let end = situation.snoozes[project.id] { reminders += planner.snooze(of: project, until: end) }
        }
        if let rule = situation.backup, rule.days > 0 { reminders.append(planner.backup(rule)) }
        return reminders.sorted { ($0.time, $0.planned, $0.id) < ($1.time, $1.planned, $1.id) }
    }
}

/// Plans the reminders of one moment.
private struct Planner {
    let delivered: [String: Timestamp]
    let now: Timestamp
    let clock: WallClock

    /// When the settings were made; 1970 if a wrong clock set that time.
    private func setAt(_ settings: ProjectSettings) -> Timestamp {
        settings.setAt.isPlausible(now) ? settings.setAt : Timestamp(milliseconds: 0)
    }

    // MARK: Nudges

    /// Daily: the next time of day. After inactivity: the first time of day after so many hours without progress, and
    /// again after as many.
    func nudge(of project: Reminders.Project) -> Reminder? {
        let settings = project.settings
        guard settings.nudgeEnabled else { return nil }
        let id = "nudge-\(project.id)"
        let activity = project.activity(now)
        var floors = [setAt(settings)]
        if let last = delivered[id] { floors.append(last) }
        if settings.nudgeMode == .afterInactivity {
            floors.append(activity.adding(hours: settings.maxInactivityHours))
            // An hour less: after a nudge at nine the next one comes at nine, even if the clock was changed in between.
            if let last = delivered[id] { floors.append(last.adding(hours: settings.maxInactivityHours - 1)) }
        }
        let planned = clock.next(settings.nudgeHour, settings.nudgeMinute, after: floors.max() ?? now)
        let days = clock.day(of: max(planned, now)) - clock.day(of: activity)
        return Reminder(
            id, .nudge, of: project.id,
            .nudge(
                title: project.title, settings.nudgeMode, days: days,
                choice: clock.day(of: planned) + Int(project.id.number % 1000)),
            planned: planned, now: now)
    }

    // MARK: Deadlines

    /// A day before; in the morning of the day, or on the evening before if the morning is too late; and on the morning
    /// after.
    func deadlines(of project: Reminders.Project) -> [Reminder] {
        guard let deadline = project.settings.deadline else { return [] }
        let day = clock.day(of: deadline)
        let morning = clock.time(9, 0, on: day)
        let stages = [
            ("24h", deadline.adding(hours: -24)),
            ("morning", morning < deadline ? morning : clock.time(18, 0, on: day - 1)),
            ("overdue", clock.time(9, 0, on: day + 1)),
        ]
        return stages.indices.compactMap { i in
            let (stage, planned) = stages[i]
            let id = "deadline-\(project.id)-\(stage)"
            if let last = delivered[id], planned <= last { return nil }
            let isLast = stage == "overdue"
            if !isLast {
                // Do not make up for a stage that had passed when the deadline was set, or that a later stage replaces.
                if planned <= setAt(project.settings) || planned <= now && now >= deadline { return nil }
                if stages[(i + 1)...].contains(where: { $0.1 <= now }) { return nil }
            }
            return Reminder(
                id, .deadline, of: project.id,
                message(deadline, of: project, seenAt: max(planned, now)), planned: planned, now: now)
        }
    }

    private func message(
        _ deadline: Timestamp, of project: Reminders.Project, seenAt time: Timestamp
    ) -> ReminderMessage {
        .deadline(
            title: project.title, inDays: clock.day(of: deadline) - clock.day(of: time), isPast: time >= deadline,
            day: clock.shownDay(deadline), time: clock.shownTime(deadline))
    }

    // MARK: The others

    /// One reminder at the end of the snooze, unless it was shown.
    func snooze(of project: Reminders.Project, until end: Timestamp) -> [Reminder] {
        let id = Reminders.snoozeID(project.id, end)
        if let last = delivered[id], end <= last { return [] }
        return [Reminder(id, .snooze, of: project.id, .snoozed(title: project.title), planned: end, now: now)]
    }

    /// At nine after so many days, then every day at nine until there is a backup.
    func backup(_ rule: Reminders.BackupRule) -> Reminder {
        let last = max(Timestamp(milliseconds: 0), min(rule.last, now))
        let floor = max(last.adding(hours: 24 * rule.days), delivered["backup"] ?? last)
        let planned = clock.next(9, 0, after: floor)
        let days = clock.day(of: max(planned, now)) - clock.day(of: last)
        return Reminder(
            "backup", .backup, of: nil, .backup(days: days, last: clock.shownDay(last)), planned: planned, now: now)
    }
}

extension Timestamp {
    /// Whether the time may have been noted by `now`. A clock that was years ahead for a while must not silence cue for
    /// years. A day is allowed, so that nothing comes twice after a clock is set back by hours.
    fileprivate func isPlausible(_ now: Timestamp) -> Bool { self <= now.adding(hours: 24) }
}

extension Reminders {
    /// The id of a reminder after a snooze; `end` counts in whole seconds.
    static func snoozeID(_ project: ProjectID, _ end: Timestamp) -> String {
        "snooze-\(project)-\(end.milliseconds / 1000)"
    }
}
