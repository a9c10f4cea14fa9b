import CueBase
import CueTestSupport
import CueVault
import Foundation
import Testing

@testable import CueLibrary

@Suite("ProjectSettings")
struct ProjectSettingsTests {
    private static let project = ProjectID(commit: CommitID(7), number: 1)
    private static let time = Timestamp(milliseconds: 1_768_125_600_123)

    @Test("Settings are kept as they were set, and by project")
    func kept() throws {
        let folder = TemporaryFolder()
        var settings = ProjectSettings(setAt: Self.time)
        (settings.deadline, settings.lastProgressAt) = (Self.time, Self.time)
        (settings.nudgeEnabled, settings.nudgeMode, settings.archived) = (false, .daily, true)
        (settings.nudgeHour, settings.nudgeMinute, settings.maxInactivityHours) = (23, 59, 8760)

        try LocalStore(in: folder.bytes).write { try $0.set(settings, of: Self.project) }

        try LocalStore(in: folder.bytes).read { transaction throws in
            #expect(try transaction.settings() == [Self.project: settings])
            #expect(try transaction.settings(of: Self.project) == settings)
            #expect(try transaction.settings(of: ProjectID(commit: CommitID(7), number: 2)) == nil)
        }
    }

    @Test("New settings are those of the seed")
    func usual() {
        let settings = ProjectSettings(setAt: Self.time)

        #expect(settings.deadline == nil && settings.lastProgressAt == nil && !settings.archived)
        #expect(settings.nudgeEnabled && settings.nudgeMode == .afterInactivity)
        #expect(settings.nudgeHour == 9 && settings.nudgeMinute == 0 && settings.maxInactivityHours == 48)
    }

    @Test("What a later cue keeps beside them survives a change by this one")
    func unknownKeys() throws {
        let later = #"{"color":{"a":[1,true,null,"x"]},"flag":true,"nudgeHour":7,"setAt":5}"#
        var settings = ProjectSettings(parsing: later)
        #expect(settings.nudgeHour == 7)

        settings.deadline = Self.time
        settings.deadline = nil
        settings.nudgeHour = 8
        let text = try settings.text(over: later)

        #expect(text.contains(#""color":{"a":[1,true,null,"x"]}"#) && text.contains(#""flag":true"#), "\(text)")
        #expect(text.contains(#""nudgeHour":8"#) && text.contains(#""nudgeEnabled":true"#), "\(text)")
        #expect(!text.contains("deadline"))
    }

    @Test(
        "What makes no sense has its usual value",
        arguments: [
            "", "[]", "nonsense", #"{"nudgeHour":24,"nudgeMinute":-1,"maxInactivityHours":0,"nudgeMode":"often"}"#,
            #"{"deadline":-1,"lastProgressAt":1e30,"nudgeHour":"9","archived":"yes","setAt":99999999999999999}"#,
        ])
    func nonsense(text: String) {
        #expect(ProjectSettings(parsing: text) == ProjectSettings(setAt: Timestamp(milliseconds: 0)))
    }

    @Test("A device that forgets its vault keeps what was set; a snooze ends once, and a later one stays")
    func snoozes() throws {
        let folder = TemporaryFolder()
        let store = try LocalStore(in: folder.bytes)
        let later = Timestamp(milliseconds: Self.time.milliseconds + 1)
        try store.write { transaction in
            try transaction.set(ProjectSettings(setAt: Self.time), of: Self.project)
            try transaction.setSnooze(Self.time, of: Self.project)
            try transaction.setSnooze(later, of: Self.project)
            try transaction.setDelivered("nudge-1", at: Self.time)
            try transaction.forgetVault()
            try transaction.removeSnooze(Self.time, of: Self.project)
        }

        try store.read { transaction throws in
            #expect(try transaction.settings().count == 1)
            #expect(try transaction.snoozes() == [Self.project: later])
            #expect(try transaction.delivered() == ["nudge-1": Self.time])
        }
    }
}
