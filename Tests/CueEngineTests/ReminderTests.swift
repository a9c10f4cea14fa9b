import CueBase
import CueLibrary
import CueTestSupport
import CueVault
import Foundation
import Testing

@testable import CueEngine

@Suite("Reminders")
struct ReminderTests {
    private static let start = moment("2026-01-10T20:00:00Z")

    private static func project(
        _ number: UInt32 = 1, edited: Timestamp = start, setAt: Timestamp = start,
        _ change: (inout ProjectSettings) -> Void = { _ in }
    ) -> Reminders.Project {
        var settings = ProjectSettings(setAt: setAt)
        change(&settings)
        return Reminders.Project(
            id: ProjectID(commit: CommitID(7), number: number), title: "Novel", path: .root, lastEditedAt: edited,
            settings: settings)
    }

    private static func plan(
        _ projects: [Reminders.Project], _ now: String, snoozes: [ProjectID: Timestamp] = [:],
        delivered: [String: Timestamp] = [:], backup: Reminders.BackupRule? = nil
    ) -> [Reminder] {
        Reminders.plan(
            Reminders.Situation(projects: projects, snoozes: snoozes, delivered: delivered, backup: backup),
            now: moment(now), clock("UTC"))
    }

    // MARK: The faults of the program that the seed describes

    @Test("Status and nudge go by the same time: the progress, where there was some")
    func sameTime() {
        let project = Self.project { $0.lastProgressAt = moment("2026-01-12T19:00:00Z") }
        let now = "2026-01-13T12:00:00Z"

        let nudge = Self.plan([project], now)[0]

        #expect(nudge.planned == moment("2026-01-15T09:00:00Z") && !nudge.isDue)
        #expect(NudgeStatus.of(project, now: moment(now), clock("UTC")) == .active)
    }

    @Test("An archived project is silent in every way")
    func archived() {
        let project = Self.project {
            ($0.archived, $0.deadline) = (true, moment("2026-01-20T12:00:00Z"))
        }

        let reminders = Self.plan([project], "2026-02-01T09:00:00Z", snoozes: [project.id: Self.start])

        #expect(reminders.isEmpty)
    }

    @Test("Looking again drops no snooze, also one that ended while nobody looked")
    func snooze() {
        let project = Self.project()
        let end = moment("2026-01-11T10:00:00Z")

        for (now, isDue) in [
            ("2026-01-11T09:00:00Z", false), ("2026-01-11T10:00:00Z", true), ("2026-01-15T10:00:00Z", true),
        ] {
            let snooze = Self.plan([project], now, snoozes: [project.id: end]).first { $0.kind == .snooze }
            #expect(snooze?.isDue == isDue && snooze?.id == "snooze-\(project.id)-1768125600", "\(now)")
        }
    }

    @Test(
        "A deadline early in the morning is said in the evening before, and never late",
        arguments: ["00:00", "02:00", "09:00"])
    func earlyDeadline(time: String) {
        let project = Self.project { ($0.deadline, $0.nudgeEnabled) = (moment("2026-01-20T\(time):00Z"), false) }

        let morning = Self.plan([project], "2026-01-12T00:00:00Z").first { $0.id.hasSuffix("-morning") }

        #expect(morning?.planned == moment("2026-01-19T18:00:00Z"))
        #expect(
            morning?.message
                == .deadline(title: "Novel", inDays: 1, isPast: false, day: "2026-01-20", time: time))
    }

    // MARK: What a sleeping machine missed

    @Test("A nudge that was missed is due once; then it comes again after as many hours without progress")
    func missedNudge() {
        let project = Self.project()
        let now = "2026-01-17T14:00:00Z"

        let due = Self.plan([project], now)[0]
        let next = Self.plan([project], now, delivered: [due.id: moment(now)])[0]

        #expect(due.isDue && due.time == moment(now))
        guard case .nudge("Novel", .afterInactivity, days: 7, _) = due.message else {
            Issue.record("\(due.message)")
            return
        }
        #expect(!next.isDue && next.planned == moment("2026-01-20T09:00:00Z"))
    }

    @Test("A nudge that was said at nine is said at nine again, two days later")
    func repeated() {
        let delivered = ["nudge-\(Self.project().id)": moment("2026-01-13T09:00:40Z")]

        let next = Self.plan([Self.project()], "2026-01-13T09:01:00Z", delivered: delivered)[0]

        #expect(next.planned == moment("2026-01-15T09:00:00Z"))
    }

    @Test(
        "Of the reminders of one deadline that were missed, only the last is said; after the deadline none but the last"
    )
    func missedDeadline() {
        let project = Self.project { ($0.deadline, $0.nudgeEnabled) = (moment("2026-01-20T18:00:00Z"), false) }
        func due(_ now: String) -> [String] {
            Self.plan([project], now).filter(\.isDue).compactMap { $0.id.split(separator: "-").last.map(String.init) }
        }

        #expect(due("2026-01-19T17:59:59Z") == [])
        #expect(due("2026-01-20T08:00:00Z") == ["24h"])
        #expect(due("2026-01-20T10:00:00Z") == ["morning"])
        #expect(due("2026-01-20T18:00:01Z") == [])
        #expect(due("2026-01-21T09:00:00Z") == ["overdue"])
        #expect(due("2026-03-21T09:00:00Z") == ["overdue"])
    }

    @Test("A daily nudge comes also on a day on which somebody wrote")
    func daily() {
        let project = Self.project(edited: moment("2026-01-11T08:00:00Z")) { $0.nudgeMode = .daily }

        let nudge = Self.plan([project], "2026-01-11T09:00:00Z")[0]

        #expect(nudge.isDue && nudge.planned == moment("2026-01-11T09:00:00Z"))
    }

    @Test("Days without a backup are said at nine, and every day from then on; never, if that was asked for")
    func backup() {
        let rule = Reminders.BackupRule(last: Self.start, days: 7)
        let due = Self.plan([], "2026-01-18T09:00:00Z", backup: rule)
        let next = Self.plan(
            [], "2026-01-18T10:00:00Z", delivered: ["backup": moment("2026-01-18T09:00:05Z")], backup: rule)

        #expect(Self.plan([], "2026-01-18T08:59:59Z", backup: rule)[0].isDue == false)
        #expect(due[0].isDue && due[0].message == .backup(days: 8, last: "2026-01-10"))
        #expect(next[0].planned == moment("2026-01-19T09:00:00Z"))
        #expect(Self.plan([], "2026-05-18T09:00:00Z", backup: .init(last: Self.start, days: 0)).isEmpty)
    }

    @Test("That words fell sharply names the version that is kept")
    func wordsFell() {
        let version = VersionID(commit: CommitID(9), number: 3)

        let reminder = Reminder.wordsFell(
            of: version, title: "Novel", path: .root, from: 81_000, to: 1, kept: version, now: Self.start)

        #expect(reminder.isDue && reminder.id == "words-\(version)")
        #expect(
            reminder.message == .wordsFell(title: "Novel", path: .root, from: 81_000, to: 1, kept: version))
    }

    @Test("A clock that was years ahead for a while silences nothing")
    func clockAhead() {
        let ahead = moment("2040-01-01T00:00:00Z")
        let project = Self.project(setAt: ahead) { $0.lastProgressAt = ahead }
        let delivered = ["nudge-\(project.id)": ahead]

        let due = Self.plan([project], "2026-01-20T12:00:00Z", delivered: delivered)[0]
        let next = Self.plan(
            [project], "2026-01-20T12:00:00Z", delivered: [due.id: moment("2026-01-20T12:00:00Z")])[0]

        #expect(due.isDue)
        #expect(next.planned == moment("2026-01-23T09:00:00Z"))
    }

    @Test("A clock that is set back by an hour makes nothing come twice")
    func clockBack() {
        let project = Self.project { $0.nudgeMode = .daily }
        let delivered = ["nudge-\(project.id)": moment("2026-01-13T09:00:05Z")]

        let next = Self.plan([project], "2026-01-13T08:00:05Z", delivered: delivered)[0]

        #expect(next.planned == moment("2026-01-14T09:00:00Z"))
    }

    // MARK: Properties

    private static let zones = [
        "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Kathmandu", "UTC",
    ]

    /// What was done lies before `base`, what was asked for on both sides of it.
    private static func random(_ generator: inout SeededGenerator, around base: Int64) -> Reminders.Situation {
        func time(_ generator: inout SeededGenerator, until days: Int64 = 0) -> Timestamp {
            Timestamp(milliseconds: base + Int64.random(in: -20 * 86_400_000...days * 86_400_000, using: &generator))
        }
        let projects = (1...3 as ClosedRange<UInt32>).map { number in
            let edited = time(&generator)
            let setAt = Timestamp(milliseconds: base - Int64.random(in: 0...10 * 86_400_000, using: &generator))
            let (deadline, progress) = (time(&generator, until: 20), time(&generator))
            let dice = (0..<6).map { _ in Int.random(in: 0...59, using: &generator) }
            return project(number, edited: edited, setAt: setAt) {
                $0.deadline = dice[0] < 40 ? deadline : nil
                $0.lastProgressAt = dice[1] < 20 ? progress : nil
                $0.nudgeMode = dice[2] < 30 ? .daily : .afterInactivity
                ($0.nudgeHour, $0.nudgeMinute) = (dice[3] % 24, dice[4])
                $0.maxInactivityHours = 1 + dice[5] * 4
                $0.archived = dice[0] == 59
            }
        }
        let snoozes = [projects[0].id: time(&generator, until: 20)]
        return Reminders.Situation(
            projects: projects, snoozes: snoozes,
            backup: Reminders.BackupRule(last: time(&generator), days: Int.random(in: 0...9, using: &generator)))
    }

    /// Calls with many situations, some of them on the days on which clocks change.
    private static func forAll(_ body: (Reminders.Situation, Timestamp, WallClock, UInt64) -> Void) {
        let bases = ["2026-03-28", "2026-10-25", "2018-11-03", "2018-02-17", "2026-04-05", "2026-06-15"]
        for seed in 1...300 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let base = moment(bases[Int(seed) % bases.count] + "T12:00:00Z").milliseconds
            let now = Timestamp(milliseconds: base + Int64.random(in: 0...2 * 86_400_000, using: &generator))
            body(random(&generator, around: base), now, clock(zones[Int(seed / 7) % zones.count]), seed)
        }
    }

    @Test("No reminder lies in the past, ids are unique, and computing twice gives the same")
    func wellFormed() {
        Self.forAll { situation, now, clock, seed in
            let reminders = Reminders.plan(situation, now: now, clock)

            #expect(reminders.allSatisfy { $0.time >= now && $0.isDue == ($0.time == now) }, "seed \(seed)")
            #expect(Set(reminders.map(\.id)).count == reminders.count, "seed \(seed)")
            #expect(Reminders.plan(situation, now: now, clock) == reminders, "seed \(seed)")
            #expect(reminders.map(\.time) == reminders.map(\.time).sorted(), "seed \(seed)")
        }
    }

    @Test("What was delivered does not come again")
    func deliveredOnce() {
        Self.forAll { situation, now, clock, seed in
            var after = situation
            for reminder in Reminders.plan(situation, now: now, clock) where reminder.isDue {
                after.delivered[reminder.id] = now
            }

            let again = Reminders.plan(after, now: now, clock).filter(\.isDue)

            #expect(again.isEmpty, "seed \(seed): \(again.map(\.id))")
        }
    }

    @Test("What was to come is due when its time is there, unless something later of the same deadline took its place")
    func comes() {
        Self.forAll { situation, now, clock, seed in
            for reminder in Reminders.plan(situation, now: now, clock) {
                let then = Reminders.plan(situation, now: reminder.time, clock)

                #expect(then.contains { $0.id == reminder.id && $0.isDue }, "seed \(seed): \(reminder.id)")
            }
        }
    }

    @Test("However often one looks, every reminder of two months is delivered once for each of its times")
    func watched() {
        Self.forAll { situation, now, clock, seed in
            guard seed % 10 == 0 else { return }
            var generator = SeededGenerator(seed: seed)
            var (state, time, said) = (situation, now, [String]())
            while time.milliseconds < now.milliseconds + 60 * 86_400_000 {
                for reminder in Reminders.plan(state, now: time, clock) where reminder.isDue {
                    state.delivered[reminder.id] = time
                    said.append("\(reminder.id) \(reminder.planned.milliseconds)")
                }
                time = Timestamp(milliseconds: time.milliseconds + Int64.random(in: 1...7_200_000, using: &generator))
            }
            #expect(Set(said).count == said.count, "seed \(seed)")
            let deadlines = said.filter { $0.hasPrefix("deadline") }.map { $0.split(separator: " ")[0] }
            #expect(Set(deadlines).count == deadlines.count, "seed \(seed)")
        }
    }
}
