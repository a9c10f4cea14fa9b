import CueBase
import CueLibrary
import Foundation
import Testing

@testable import CueEngine

/// Cases computed from the rules of the program that the seed describes.
@Suite("Reminders: known cases")
struct ReminderVectorTests {
    private static let id = ProjectID(commit: CommitID(7), number: 1)

    /// A project as the seed makes one, set up at the beginning of time.
    private static func project(
        edited: String, progress: String? = nil, deadline: String? = "2026-03-01T12:00:00Z", enabled: Bool = true,
        mode: ProjectSettings.NudgeMode = .afterInactivity, at: (Int, Int) = (9, 0), hours: Int = 48
    ) -> Reminders.Project {
        var settings = ProjectSettings(setAt: Timestamp(milliseconds: 0))
        (settings.nudgeEnabled, settings.nudgeMode, settings.maxInactivityHours) = (enabled, mode, hours)
        (settings.nudgeHour, settings.nudgeMinute) = at
        (settings.deadline, settings.lastProgressAt) = (deadline.map { moment($0) }, progress.map { moment($0) })
        return Reminders.Project(
            id: id, title: "Novel", path: .root, lastEditedAt: moment(edited), settings: settings)
    }

    /// The same, with settings made at `now`, as the cases mean it.
    private static func plan(_ project: Reminders.Project, _ now: String, _ zone: String) -> [Reminder] {
        var settings = project.settings
        settings.setAt = moment(now)
        let fresh = Reminders.Project(
            id: project.id, title: project.title, path: project.path, lastEditedAt: project.lastEditedAt,
            settings: settings)
        return Reminders.plan(Reminders.Situation(projects: [fresh]), now: moment(now), clock(zone))
    }

    struct NudgeCase: Sendable {
        let zone, now: String
        let project: Reminders.Project
        let expected: String?
    }

    static let nudges = [
        NudgeCase(
            zone: "UTC", now: "2026-01-12T20:00:00Z", project: project(edited: "2026-01-10T20:00:00Z"),
            expected: "2026-01-13T09:00:00Z"),
        NudgeCase(
            zone: "UTC", now: "2026-01-20T09:00:00Z", project: project(edited: "2026-01-10T20:00:00Z"),
            expected: "2026-01-21T09:00:00Z"),
        NudgeCase(
            zone: "UTC", now: "2026-01-11T08:00:00Z",
            project: project(edited: "2026-01-10T20:00:00Z", progress: "2026-01-11T07:00:00Z", hours: 24),
            expected: "2026-01-12T09:00:00Z"),
        NudgeCase(
            zone: "UTC", now: "2026-01-11T08:00:00Z",
            project: project(edited: "2026-01-10T20:00:00Z", at: (23, 30), hours: 168),
            expected: "2026-01-17T23:30:00Z"),
        NudgeCase(
            zone: "UTC", now: "2026-01-11T08:00:00Z", project: project(edited: "2026-01-10T20:00:00Z", enabled: false),
            expected: nil),
        NudgeCase(
            zone: "America/Chicago", now: "2026-01-11T08:00:00Z", project: project(edited: "2026-01-10T20:00:00Z"),
            expected: "2026-01-13T15:00:00Z"),
        NudgeCase(
            zone: "America/Chicago", now: "2026-01-12T20:00:00Z", project: project(edited: "2026-01-10T20:00:00Z"),
            expected: "2026-01-13T15:00:00Z"),
        NudgeCase(
            zone: "America/Chicago", now: "2026-01-11T08:00:00Z",
            project: project(edited: "2026-01-10T20:00:00Z", progress: "2026-01-11T07:00:00Z", hours: 24),
            expected: "2026-01-12T15:00:00Z"),
        NudgeCase(
            zone: "America/Chicago", now: "2026-01-11T08:00:00Z",
            project: project(edited: "2026-01-10T20:00:00Z", at: (23, 30), hours: 168),
            expected: "2026-01-18T05:30:00Z"),
        NudgeCase(
            zone: "Asia/Kathmandu", now: "2026-01-11T08:00:00Z", project: project(edited: "2026-01-10T20:00:00Z"),
            expected: "2026-01-13T03:15:00Z"),
        NudgeCase(
            zone: "Asia/Kathmandu", now: "2026-01-12T20:00:00Z", project: project(edited: "2026-01-10T20:00:00Z"),
            expected: "2026-01-13T03:15:00Z"),
        NudgeCase(
            zone: "Asia/Kathmandu", now: "2026-01-20T08:59:00Z", project: project(edited: "2026-01-10T20:00:00Z"),
            expected: "2026-01-21T03:15:00Z"),
        NudgeCase(
            zone: "Europe/Berlin", now: "2026-03-27T10:00:00Z", project: project(edited: "2026-03-27T09:00:00Z"),
            expected: "2026-03-30T07:00:00Z"),
    ]

    @Test("A nudge after inactivity comes at its time of day, after the hours without progress", arguments: nudges)
    func nudge(_ example: NudgeCase) {
        let nudge = Self.plan(example.project, example.now, example.zone).first { $0.kind == .nudge }

        #expect(nudge?.time == example.expected.map { moment($0) })
        #expect(nudge?.id == (example.expected == nil ? nil : "nudge-\(Self.id)"))
    }

    struct DeadlineCase: Sendable {
        let zone, now, deadline: String
        let expected: [String: String]
    }

    static let deadlines = [
        DeadlineCase(
            zone: "UTC", now: "2026-01-01T00:00:00Z", deadline: "2026-01-10T18:00:00Z",
            expected: [
                "24h": "2026-01-09T18:00:00Z", "morning": "2026-01-10T09:00:00Z", "overdue": "2026-01-11T09:00:00Z",
            ]),
        DeadlineCase(
            zone: "UTC", now: "2026-01-09T18:00:00Z", deadline: "2026-01-10T18:00:00Z",
            expected: ["morning": "2026-01-10T09:00:00Z", "overdue": "2026-01-11T09:00:00Z"]),
        DeadlineCase(
            zone: "UTC", now: "2026-01-10T10:00:00Z", deadline: "2026-01-10T18:00:00Z",
            expected: ["overdue": "2026-01-11T09:00:00Z"]),
        // The known case has 2026-01-10T09:00:00Z here, seven hours after the deadline: a fault, and not repeated.
        DeadlineCase(
            zone: "UTC", now: "2026-01-01T00:00:00Z", deadline: "2026-01-10T02:00:00Z",
            expected: [
                "24h": "2026-01-09T02:00:00Z", "morning": "2026-01-09T18:00:00Z", "overdue": "2026-01-11T09:00:00Z",
            ]),
        DeadlineCase(
            zone: "America/Chicago", now: "2026-01-09T18:00:00Z", deadline: "2026-01-10T18:00:00Z",
            expected: ["morning": "2026-01-10T15:00:00Z", "overdue": "2026-01-11T15:00:00Z"]),
        DeadlineCase(
            zone: "America/Chicago", now: "2026-01-12T10:00:00Z", deadline: "2026-01-10T18:00:00Z",
            expected: ["overdue": "2026-01-11T15:00:00Z"]),
    ]

    @Test("A deadline is said a day before, in the morning of its day, and on the day after", arguments: deadlines)
    func deadline(_ example: DeadlineCase) {
        let project = Self.project(edited: example.now, deadline: example.deadline, enabled: false)

        let reminders = Self.plan(project, example.now, example.zone)

        let expected = example.expected.map { ("deadline-\(Self.id)-\($0.key)", moment($0.value)) }
        #expect(
            Dictionary(uniqueKeysWithValues: reminders.map { ($0.id, $0.planned) })
                == Dictionary(uniqueKeysWithValues: expected))
    }

    struct StatusCase: Sendable {
        let zone, now: String
        let project: Reminders.Project
        let expected: NudgeStatus
    }

    static let statuses = [
        StatusCase(
            zone: "UTC", now: "2026-03-01T11:55:00Z", project: project(edited: "2026-01-10T20:00:00Z"),
            expected: .critical),
        StatusCase(
            zone: "UTC", now: "2026-03-01T12:06:00Z", project: project(edited: "2026-03-01T12:00:00Z"),
            expected: .active),
        StatusCase(
            zone: "UTC", now: "2026-01-11T08:00:00Z", project: project(edited: "2026-01-10T20:00:00Z"),
            expected: .active),
        StatusCase(
            zone: "UTC", now: "2026-01-12T17:59:00Z", project: project(edited: "2026-01-10T20:00:00Z"),
            expected: .active),
        StatusCase(
            zone: "UTC", now: "2026-01-12T21:00:00Z", project: project(edited: "2026-01-10T20:00:00Z"),
            expected: .approaching),
        StatusCase(
            zone: "UTC", now: "2026-01-13T10:00:00Z", project: project(edited: "2026-01-10T20:00:00Z"),
            expected: .approaching),
        StatusCase(
            zone: "UTC", now: "2026-01-11T10:01:00Z", project: project(edited: "2026-01-10T20:00:00Z", mode: .daily),
            expected: .overdue),
        StatusCase(
            zone: "UTC", now: "2026-01-10T23:00:00Z", project: project(edited: "2026-01-10T20:00:00Z", enabled: false),
            expected: .active),
        StatusCase(
            zone: "UTC", now: "2026-01-12T21:00:00Z", project: project(edited: "2026-01-10T20:00:00Z", enabled: false),
            expected: .approaching),
        StatusCase(
            zone: "UTC", now: "2026-01-13T20:00:00Z", project: project(edited: "2026-01-10T20:00:00Z", enabled: false),
            expected: .overdue),
    ]

    @Test("The status word says how a project stands", arguments: statuses)
    func status(_ example: StatusCase) {
        let status = NudgeStatus.of(example.project, now: moment(example.now), clock(example.zone))

        #expect(status == example.expected)
    }
}

func moment(_ text: String) -> Timestamp {
    let date = try? Date(text, strategy: .iso8601)
    return Timestamp(milliseconds: Int64((date?.timeIntervalSince1970 ?? 0) * 1000))
}

func clock(_ zone: String) -> WallClock { WallClock(TimeZone(identifier: zone) ?? .gmt) }
