import CueBase
import CueLibrary
import CueSystem
import CueTestSupport
import CueVault
import Foundation
import Testing

@testable import CueEngine

@Suite("Notifier", .serialized)
struct NotifierTests {
    private let folder = TemporaryFolder()
    /// Begins now, as the times of files do.
    private let clock = TestClock(at: Environment.now)

    private static let reminder = Reminder(
        "nudge-1", .nudge, of: nil, .snoozed(title: "Novel"), planned: Timestamp(milliseconds: 0),
        now: Timestamp(milliseconds: 0))
    private static let text = Notifier.Text(
        title: "-x \"; touch $HOME/evil #", body: "a < b & 'c' $(touch evil)")

    private static func notifier(_ way: Notifier.Way) -> Notifier { Notifier(way) { _ in text } }

    @Test("A command gets title, text and id in its environment, and they are no part of it")
    func variables() throws {
        let out = folder.appending("out")
        let notifier = Self.notifier(.command("printf '%s|%s|%s' \"$CUE_TITLE\" \"$CUE_BODY\" \"$CUE_ID\" > '\(out)'"))

        let outcome = notifier.deliver(Self.reminder)

        #expect(outcome == .delivered)
        #expect(try folder.read("out") == "\(Self.text.title)|\(Self.text.body)|nudge-1")
    }

    @Test("A command that fails is a value that says how")
    func failing() {
        #expect(
            Self.notifier(.command("exit 3")).deliver(Self.reminder)
                == .failed(.command, .exited(3)))
        #expect(
            Self.notifier(.command("kill -9 $$")).deliver(Self.reminder)
                == .failed(.command, .signal(9)))
        #expect(
            Self.notifier(.command("/nothing/here")).deliver(Self.reminder)
                == .failed(.command, .exited(127)))
    }

    @Test("A command that takes too long is stopped with all that it started, and what it prints blocks nobody")
    func bounded() throws {
        let start = Environment.monotonicSeconds

        let outcome = Self.notifier(
            .command("(sleep 2; touch '\(folder.appending("late"))') & yes; sleep 60")
        ).deliver(Self.reminder, within: 0.5)

        #expect(outcome == .failed(.command, .tookTooLong))
        #expect(Environment.monotonicSeconds - start < 5)
        Wait.milliseconds(2500)
        #expect(!folder.exists("late"))
    }

    @Test("notify-send gets title and text as words of their own, the text as markup")
    func desktop() throws {
        let program = folder.appending("notify-send")
        try folder.write("notify-send", "#!/bin/sh\nprintf '%s\\n' \"$@\" > '\(folder.appending("said"))'\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)

        let outcome = Self.notifier(.desktop(program)).deliver(Self.reminder)

        #expect(outcome == .delivered)
        #expect(
            try folder.read("said")
                == "--app-name=cue\n--\n\(Self.text.title)\na &lt; b &amp; 'c' $(touch evil)\n")
    }

    @Test("Without command and notify-send nothing is run, and the reminder stays due")
    func noWay() throws {
        let test = try TestLibrary(clock: clock.clock)
        let project = try overdue(in: test)

        let told = try Reminders.deliverDue(in: test.library, through: Self.notifier(.none), zone: .gmt)

        #expect(told.map(\.outcome) == [.noWay] && told.map(\.reminder.project) == [project])
        #expect(try Reminders.of(test.library, zone: .gmt).filter(\.isDue).count == 1)
    }

    @Test("A reminder that was delivered is delivered once; a snooze stays until it was")
    func once() throws {
        let test = try TestLibrary(clock: clock.clock)
        let id = try overdue(in: test)
        let project = try #require(try test.library.store.read { try $0.localProjects() }.first { $0.id == id })
        let end = Timestamp(milliseconds: clock.now.milliseconds + 3_600_000)
        func deliver(_ way: Notifier.Way) throws -> [String] {
            try Reminders.deliverDue(in: test.library, through: Self.notifier(way), zone: .gmt)
                .map(\.reminder.kind.rawValue)
        }

        #expect(try deliver(.command("true")) == ["nudge"])
        #expect(try deliver(.command("true")) == [])
        _ = try Reminders.snooze(project, until: end, in: test.library, zone: .gmt)
        #expect(try deliver(.command("true")) == [])
        clock.advance(by: 3600)
        #expect(try deliver(.command("false")) == ["snooze"])
        // Another process, as after a restart.
        let again = OpenLibrary(
            path: test.library.path, root: test.library.root, marker: test.library.marker,
            store: try LocalStore(in: test.library.state.library(test.library.marker.library)),
            state: test.library.state, surroundings: test.library.surroundings)
        let told = try Reminders.deliverDue(in: again, through: Self.notifier(.command("true")), zone: .gmt)
        #expect(told.map(\.reminder.id) == ["snooze-\(id)-\(end.milliseconds / 1000)"])
        #expect(try deliver(.command("true")) == [])
    }

    @Test("A command that nobody allowed on this device is not run, nor one that was changed since")
    func allowed() throws {
        let test = try TestLibrary()
        func library(_ command: String) -> OpenLibrary {
            var marker = test.library.marker
            marker.notifyCommand = command
            return test.library.with(marker: marker)
        }

        #expect(try Notifier(for: library("one")) { _ in Self.text }.way == .notAllowed("one"))
        #expect(try Notifier.allowCommand(of: library("one")) == "one")
        #expect(try Notifier(for: library("one")) { _ in Self.text }.way == .command("one"))
        #expect(try Notifier(for: library("two")) { _ in Self.text }.deliver(Self.reminder) == .notAllowed("two"))
    }

    @Test("Edits count from the folder, before they are in the vault; progress counts before edits")
    func activity() throws {
        let test = try TestLibrary(clock: clock.clock)
        let id = try overdue(in: test)

        try test.write("Novel.scriv/1.rtf", "more")
        let edited = try Reminders.of(test.library, zone: .gmt)
        #expect(edited.allSatisfy { !$0.isDue })

        let progress = Timestamp(milliseconds: clock.now.milliseconds - 86_400_000 * 5)
        try Reminders.noteProgress(on: id, at: progress, in: test.library)
        #expect(try Reminders.of(test.library, zone: .gmt).filter(\.isDue).map(\.kind) == [.nudge])
        #expect(try Reminders.projects(of: test.library).first?.settings.lastProgressAt == progress)
    }

    /// Makes a bundle that nobody has touched for long: its nudge is due, and nothing else.
    private func overdue(in test: TestLibrary) throws -> ProjectID {
        try test.write("Novel.scriv/1.rtf", "one")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -30 * 86_400)],
            ofItemAtPath: test.folder.appending("library/Novel.scriv/1.rtf"))
        try test.backup()
        let now = clock.now
        return try test.library.store.write { transaction in
            let project = try #require(try transaction.localProjects().first { $0.kind == .bundle })
            try transaction.set(
                ProjectSettings(setAt: Timestamp(milliseconds: now.milliseconds - 40 * 86_400_000)), of: project.id)
            return project.id
        }
    }
}
