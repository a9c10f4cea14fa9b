import CueBase
import CueStorage
import CueTestSupport
import CueVault
import Foundation
import GRDB
import Testing

@testable import CueLibrary

@Suite("ProjectSettings")
struct ProjectSettingsTests {
    private static let project = ProjectID(commit: CommitID(7), number: 1)
    private static let time = Timestamp(milliseconds: 1_768_125_600_123)
    private let folder = TemporaryFolder()

    private static func parse(_ json: String) -> ProjectSettings? {
        ProjectSettings(json: Array(json.utf8), setAt: time)
    }

    private static func json(_ settings: ProjectSettings, replacing bases: String..., limit: Int = 1 << 14) -> String {
        String(decoding: settings.json(replacing: bases.map { Array($0.utf8) }, upTo: limit), as: UTF8.self)
    }

    /// A record of another device.
    private static func record(
        _ number: UInt64, time: Int64, parents: [NoteID] = [], _ json: String
    ) -> (record: SettingsRecord, deviceName: String) {
        let note = SettingsNote(
            project: project, parents: parents, time: Timestamp(milliseconds: time), json: Array(json.utf8))
        let id = NoteID(commit: CommitID(number), number: 0)
        return (SettingsRecord(id: id, device: DeviceID(high: 0, low: number), note: note), "device \(number)")
    }

    @Test("Settings are kept as they were set, and by project")
    func kept() throws {
        var settings = ProjectSettings(setAt: Self.time)
        (settings.deadline, settings.lastProgressAt) = (Self.time, Self.time)
        (settings.title, settings.created) = ("Salt and Iron", Self.time)
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
        #expect(Self.json(settings) == "{}")
    }

    @Test("What a later cue keeps beside them, and values that this one does not take, survive a change by this one")
    func unknownKeys() throws {
        let later = #"{"color":{"a":[1,true,null,"x"]},"flag":true,"nudgeHour":7,"nudgeMode":"weekly"}"#
        var settings = try #require(Self.parse(later))
        #expect(settings.nudgeHour == 7 && settings.nudgeMode == .afterInactivity)

        settings.nudgeHour = 8
        settings.archived = true

        #expect(
            Self.json(settings, replacing: later, #"{"flag":false,"nudgeHour":5,"more":1}"#) == """
                {"archived":true,"color":{"a":[1,true,null,"x"]},"flag":true,"more":1,"nudgeHour":8,"nudgeMode":"weekly"}
                """)
        settings.archived = false
        #expect(
            Self.json(settings, replacing: #"{"archived":true,"flag":true}"#, limit: 40)
                == #"{"archived":false,"nudgeHour":8}"#)
    }

    @Test("What makes no sense has its usual value")
    func nonsense() {
        for text in [
            "{}", #"{"nudgeHour":24,"nudgeMinute":-1,"maxInactivityHours":0,"nudgeMode":"often"}"#,
            #"{"deadline":-1,"created":1e30,"nudgeHour":"9","archived":"yes","title":"a\nb"}"#,
            #"{"title":""}"#, #"{"title":"\#(String(repeating: "é", count: 513))"}"#,
        ] {
            #expect(Self.parse(text) == ProjectSettings(setAt: Self.time), "\(text)")
        }
        for text in ["", "[]", "nonsense", "{", #"{"archived":true,"archived":true}"#] {
            #expect(Self.parse(text) == nil, "\(text)")
        }
        #expect(Self.parse(#"{"title":"\#(String(repeating: "é", count: 512))"}"#)?.title != nil)
    }

    @Test("The newest of several records counts, a change replaces all that are known, and waits")
    func graph() throws {
        let store = try LocalStore(in: folder.bytes)
        let records = [Self.record(1, time: 5, #"{"nudgeHour":1}"#), Self.record(2, time: 9, #"{"nudgeHour":2}"#)]
        try store.write { transaction in
            try transaction.setSettings(records)
            var settings = try #require(try transaction.settings(of: Self.project))
            #expect(settings.nudgeHour == 2 && settings.setAt.milliseconds == 9)
            #expect(try !transaction.hasWaitingSettings())
            settings.setAt = Self.time
            settings.archived = true
            try transaction.set(settings, of: Self.project)
        }

        let waiting = try #require(try store.read { try $0.waitingSettings() }.first)
        #expect(waiting.parents == records.map(\.record.id) && waiting.time == Self.time)
        #expect(String(decoding: waiting.json, as: UTF8.self) == #"{"archived":true,"nudgeHour":2}"#)
    }

    @Test("A change that came while another was written goes on from that one; else nothing waits any more")
    func written() throws {
        let store = try LocalStore(in: folder.bytes)
        func set(_ hour: Int) throws {
            try store.write { transaction in
                var settings = ProjectSettings(setAt: Self.time)
                settings.nudgeHour = hour
                try transaction.set(settings, of: Self.project)
            }
        }
        func waiting() throws -> SettingsNote? { try store.read { try $0.waitingSettings() }.first }
        func write(_ note: SettingsNote, _ number: UInt64) throws -> NoteID {
            let id = NoteID(commit: CommitID(number), number: 0)
            let record = SettingsRecord(id: id, device: DeviceID(high: 0, low: 1), note: note)
            try store.write { try $0.addWritten([record], by: "here") }
            return id
        }
        try set(1)
        let first = try #require(try waiting())
        // In the same millisecond, by the clock.
        try set(2)
        let id = try write(first, 3)

        let second = try #require(try waiting())
        #expect(second.parents == [id] && second.time > first.time)
        #expect(try store.read { try $0.settings(of: Self.project)?.nudgeHour } == 2)
        _ = try write(second, 4)
        #expect(try waiting() == nil)
        let known = try #require(try store.read { try $0.knownSettings(of: Self.project)[Self.project] })
        #expect(known.records.map(\.record.id.commit.value) == [4] && known.inForce?.nudgeHour == 2)
    }

    @Test("A device that forgets its vault keeps what was set; a snooze ends once, and a later one stays")
    func snoozes() throws {
        let store = try LocalStore(in: folder.bytes)
        let later = Timestamp(milliseconds: Self.time.milliseconds + 1)
        try store.write { transaction in
            try transaction.setSettings([Self.record(1, time: 5, #"{"nudgeHour":1}"#)])
            try transaction.setSnooze(Self.time, of: Self.project)
            try transaction.setSnooze(later, of: Self.project)
            try transaction.setDelivered("nudge-1", at: Self.time)
            try transaction.forgetVault()
            try transaction.removeSnooze(Self.time, of: Self.project)
        }

        try store.read { transaction throws in
            #expect(try transaction.settings()[Self.project]?.nudgeHour == 1)
            #expect(try transaction.waitingSettings().count == 1)
            #expect(try transaction.snoozes() == [Self.project: later])
            #expect(try transaction.delivered() == ["nudge-1": Self.time])
        }
    }

    @Test("What an earlier cue kept on this device alone waits to be stored, and progress stays here")
    func upgrade() throws {
        let old = try DatabaseQueue(path: folder.appending("store.db"))
        try LocalStore.migrator.migrate(old, upTo: "16")
        let value =
            #"{"archived":false,"deadline":1768125600123,"flag":1,"lastProgressAt":77,"nudgeHour":6,"setAt":55}"#
        try old.write { database in
            let id = Data([0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1])
            try database.execute(sql: "INSERT INTO project_setting VALUES (?, ?)", arguments: [id, value])
            try database.execute(sql: "INSERT INTO project_setting VALUES (?, 'nonsense')", arguments: [Data([1])])
        }
        try old.close()

        try LocalStore(in: folder.bytes).read { transaction throws in
            let settings = try #require(try transaction.settings(of: Self.project))
            #expect(settings.deadline == Self.time && settings.nudgeHour == 6 && settings.setAt.milliseconds == 55)
            #expect(settings.lastProgressAt?.milliseconds == 77)
            let waiting = try transaction.waitingSettings()
            #expect(waiting.map(\.parents) == [[]])
            #expect(
                waiting.map { String(decoding: $0.json, as: UTF8.self) } == [
                    #"{"archived":false,"deadline":1768125600123,"flag":1,"nudgeHour":6}"#
                ])
        }
    }
}
