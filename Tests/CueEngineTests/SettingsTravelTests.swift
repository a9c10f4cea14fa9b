import CueBase
import CueStorage
import CueSystem
import CueTestSupport
import CueVault
import Foundation
import Testing

@testable import CueEngine
@testable import CueLibrary

/// What a person sets for a project (docs/format.md §13), from one device to another.
@Suite("Settings that travel")
struct SettingsTravelTests {
    private let folder = TemporaryFolder()
    private let store = MemoryStore()

    private func device(_ name: String) throws -> SyncDevice { try SyncDevice(name, in: folder, on: store) }

    /// Two devices that have a document.
    private func pair() throws -> (SyncDevice, SyncDevice) {
        let (laptop, desk) = (try device("laptop"), try device("desk"))
        try laptop.write("Salt.md", "salt")
        try laptop.sync()
        try desk.sync()
        return (laptop, desk)
    }

    private static func moment(_ seconds: Int64) -> Timestamp {
        Timestamp(milliseconds: 1_900_000_000_000 + seconds * 1000)
    }

    /// The settings records of the vault that count for the document.
    private func heads() throws -> [SettingsRecord] {
        Array(try History.load(TestLibrary.vault(on: store)).settings.values.joined())
    }

    private func count() throws -> Int {
        try History.load(TestLibrary.vault(on: store)).notes.count {
            if case .settings = $0.content { true } else { false }
        }
    }

    @Test("A deadline and a title come to another device, and to one that begins anew")
    func travels() throws {
        let (laptop, desk) = try pair()

        try laptop.set {
            ($0.title, $0.deadline, $0.nudgeMode) = ("Salt and Iron", Self.moment(9), .daily)
        }
        try laptop.sync()
        try desk.sync()
        let third = try device("third")
        try third.sync()

        for other in [desk, third] {
            let settings = try #require(try other.settings())
            #expect(settings.title == "Salt and Iron" && settings.deadline == Self.moment(9))
            #expect(try settings.nudgeMode == .daily && settings.setAt == laptop.settings()?.setAt)
            #expect(try Reminders.projects(of: other.library).map(\.title) == ["Salt and Iron"])
        }
    }

    @Test("A change of settings alone is a commit of its own, and is written once")
    func alone() throws {
        let (laptop, _) = try pair()
        try laptop.set { $0.archived = true }
        #expect(try laptop.library.store.read { try $0.hasWaitingSettings() })

        let summary = try Backup.run(laptop.context)
        #expect(summary.settings == 1 && summary.addedBytes > 0)
        #expect(try !laptop.library.store.read { try $0.hasWaitingSettings() })
        #expect(try Backup.run(laptop.context).addedBytes == 0)
        #expect(try laptop.sync().backup.settings == 0)
        #expect(try count() == 1)
        #expect(try laptop.settings()?.archived == true)
    }

    @Test("A project began when the files of its first version were written, whatever device says so")
    func created() throws {
        let laptop = try device("laptop")
        try laptop.write("Salt.md", "salt")
        let began = Date(timeIntervalSince1970: 1_700_000_000)
        try FileManager.default.setAttributes([.modificationDate: began], ofItemAtPath: laptop.path + "/Salt.md")
        try laptop.sync()
        let desk = try device("desk")
        try desk.sync()
        try desk.write("Salt.md", "salt and iron")
        try desk.sync()

        try desk.set { $0.archived = true }
        try desk.sync()
        try laptop.sync()

        #expect(try laptop.settings()?.created == Timestamp(milliseconds: 1_700_000_000_000))
        let first = try #require(try heads().first)
        try laptop.set { $0.archived = false }
        try laptop.sync()
        let next = try #require(try heads().first)
        #expect(next.note.created == first.note.created && next.note.parents == [first.id])
    }

    @Test("Of two changes at once the newest counts on both devices, both are kept and named, and one more settles it")
    func twoAtOnce() throws {
        let (laptop, desk) = try pair()
        try laptop.set { $0.deadline = Self.moment(1) }
        try desk.set(later: 1) { $0.deadline = Self.moment(2) }
        try laptop.sync()
        try desk.sync()
        try laptop.sync()

        #expect(try heads().count == 2)
        for each in [laptop, desk] {
            #expect(try each.settings()?.deadline == Self.moment(2))
            let dispute = try #require(try SettingsDispute.all(in: each.library).first)
            #expect(
                dispute.settings == [.deadline]
                    && dispute.sides.map(\.settings.deadline) == [Self.moment(2), Self.moment(1)])
        }
        #expect(try SettingsDispute.all(in: laptop.library).first?.sides.map(\.device) == ["desk", nil])
        #expect(try SettingsDispute.all(in: desk.library).first?.sides.map(\.device) == [nil, "laptop"])

        try laptop.set { $0.deadline = Self.moment(3) }
        #expect(try SettingsDispute.all(in: laptop.library).isEmpty)
        try laptop.sync()
        try desk.sync()

        #expect(try heads().map(\.note.parents.count) == [2])
        #expect(try desk.settings()?.deadline == Self.moment(3))
        #expect(try SettingsDispute.all(in: desk.library).isEmpty)
    }

    @Test("A change that waited names what was known when it was made: another that came before it is kept beside it")
    func offline() throws {
        let (laptop, desk) = try pair()
        try laptop.set { $0.deadline = Self.moment(1) }
        try laptop.sync()
        try desk.sync()

        try desk.set { $0.nudgeHour = 7 }
        try laptop.set(later: 5) { $0.nudgeHour = 8 }
        try laptop.sync()
        try desk.sync()

        let first = try #require(try heads().first?.note.parents)
        #expect(try heads().map(\.note.parents) == [first, first])
        #expect(try desk.settings()?.nudgeHour == 8 && desk.settings()?.deadline == Self.moment(1))
        #expect(try SettingsDispute.all(in: desk.library).first?.settings == [.at])
    }

    @Test("Different settings that two devices make at once both count, where the second waits as the first arrives")
    func merged() throws {
        let (laptop, desk) = try pair()
        try laptop.set { $0.nudgeHour = 7 }
        try laptop.sync()
        try desk.sync()

        try desk.set { $0.title = "Salt" }
        try laptop.set(later: 5) { $0.deadline = Self.moment(1) }
        try laptop.sync()
        try desk.sync()
        try laptop.sync()

        #expect(try heads().count == 1)
        for each in [laptop, desk] {
            let settings = try each.settings()
            #expect(settings?.title == "Salt" && settings?.deadline == Self.moment(1) && settings?.nudgeHour == 7)
            #expect(try SettingsDispute.all(in: each.library).isEmpty)
        }
    }

    @Test("Of settings that both made only that one is disputed which both made differently")
    func mergedInPart() throws {
        let (laptop, desk) = try pair()
        try desk.set { $0.deadline = Self.moment(2) }
        try laptop.set(later: 5) { ($0.title, $0.deadline) = ("Salt", Self.moment(1)) }
        try laptop.sync()
        try desk.sync()

        #expect(try heads().count == 2)
        let dispute = try #require(try SettingsDispute.all(in: desk.library).first)
        #expect(dispute.settings == [.deadline] && dispute.sides.map(\.settings.title) == ["Salt", "Salt"])
    }

    @Test("The same set on two devices is no dispute")
    func agreed() throws {
        let (laptop, desk) = try pair()
        try laptop.set { $0.deadline = Self.moment(1) }
        try desk.set(later: 1) { $0.deadline = Self.moment(1) }
        try laptop.sync()
        try desk.sync()

        #expect(try heads().count == 2)
        #expect(try SettingsDispute.all(in: desk.library).isEmpty)
    }

    @Test(
        "Wherever a run is cut off, a change is written once and not lost",
        arguments: [FaultyStore.Fault.gone, .dropAnswer])
    func cutOff(fault: FaultyStore.Fault) throws {
        let (laptop, desk) = try pair()
        let start = store.copy()
        let counting = FaultyStore(start)
        try laptop.set { $0.deadline = Self.moment(0) }
        try laptop.sync(on: counting)
        store.merge(start)
        for call in 1...counting.calls {
            let before = try count()
            try laptop.set { $0.deadline = Self.moment(Int64(call)) }
            _ = try? laptop.sync(on: FaultyStore(store, failingAt: call, with: fault))
            try laptop.sync()
            try desk.sync()

            #expect(try count() == before + 1, "call \(call)")
            #expect(try heads().count == 1 && desk.settings()?.deadline == Self.moment(Int64(call)), "call \(call)")
        }
    }

    @Test("A change after a run that was killed before it noted its commit goes on from that commit")
    func changedAfterKill() throws {
        let (laptop, desk) = try pair()
        try laptop.set { $0.deadline = Self.moment(1) }
        var (device, writer) = (
            try laptop.library.device(), CommitWriter(context: laptop.context, id: Vault.newCommitID())
        )
        writer.notes = try WaitingNotes(laptop.context).contents
        _ = try writer.write(as: &device)
        #expect(try laptop.library.store.read { try $0.hasWaitingSettings() })
        try laptop.set { $0.nudgeHour = 6 }
        try laptop.sync()
        try desk.sync()

        #expect(try heads().count == 1)
        #expect(try desk.settings()?.deadline == Self.moment(1) && desk.settings()?.nudgeHour == 6)
    }

    @Test("A checkpoint keeps what counts, and a device that begins with it has it")
    func checkpoint() throws {
        let (laptop, _) = try pair()
        for second in 1...3 {
            try laptop.set { $0.deadline = Self.moment(Int64(second)) }
            try laptop.sync()
        }
        let history = try History.load(laptop.vault)
        _ = try Checkpoint.write(history, to: laptop.vault, by: laptop.library.device().key)

        let third = try device("third")
        try third.sync()

        #expect(try third.settings()?.deadline == Self.moment(3))
        #expect(try History.loadLatest(third.vault).settings.values.joined().map(\.id) == heads().map(\.id))
    }

    @Test("Settings of a deleted document stay, and nothing is said of them; they are there when it comes back")
    func deleted() throws {
        let (laptop, desk) = try pair()
        try laptop.set { $0.deadline = Self.moment(1) }
        try desk.set(later: 1) { $0.deadline = Self.moment(2) }
        try laptop.sync()
        try laptop.remove("Salt.md")
        try laptop.sync()
        try desk.sync()
        try laptop.sync()

        for each in [laptop, desk] {
            #expect(try SettingsDispute.all(in: each.library).isEmpty && Reminders.projects(of: each.library).isEmpty)
        }
        #expect(try heads().count == 2)
    }

    @Test("A device that forgets its vault stores again what was set; a vault that still has it gets nothing to settle")
    func forgotten() throws {
        let (laptop, desk) = try pair()
        try laptop.set { $0.deadline = Self.moment(1) }
        try laptop.sync()
        try laptop.library.store.write { try $0.releaseSettings() }
        #expect(try laptop.settings()?.deadline == Self.moment(1))

        try laptop.sync()
        try desk.sync()

        #expect(try heads().count == 1 && desk.settings()?.deadline == Self.moment(1))
    }

    @Test("A record whose JSON is none is no settings, is never fatal, and is replaced by the next change")
    func badJSON() throws {
        let (laptop, desk) = try pair()
        try laptop.set { $0.deadline = Self.moment(1) }
        try laptop.sync()
        for json in ["", "[1]", "{", #"{"deadline":1,"deadline":2}"#, "\u{0}"] {
            try laptop.library.store.write { transaction in
                let known = try #require(try transaction.knownSettings().values.first?.records.first?.record)
                try transaction.setWaiting(
                    SettingsNote(
                        project: known.note.project, parents: [], time: Self.moment(900), json: Array(json.utf8)))
            }
            try laptop.sync()
            try desk.sync()
            #expect(try desk.settings()?.deadline == Self.moment(1) && SettingsDispute.all(in: desk.library).isEmpty)
        }

        try desk.set { $0.deadline = Self.moment(2) }
        try desk.sync()

        #expect(try heads().count == 1)
    }
}

extension SyncDevice {
    /// The id of the only document.
    private func project() throws -> ProjectID {
        try #require(try library.store.read { try $0.localProjects() }.first { $0.kind.isDocument }).id
    }

    fileprivate func settings() throws -> ProjectSettings? {
        let project = try project()
        return try library.store.read { try $0.settings(of: project) }
    }

    /// Changes the settings of the only document, as `cue project set` does. `later`: how many seconds this clock is
    /// ahead.
    fileprivate func set(later seconds: Int64 = 0, _ change: (inout ProjectSettings) -> Void) throws {
        let project = try project()
        let now = Timestamp(milliseconds: library.clock.now.milliseconds + seconds * 1000)
        try library.store.write { transaction in
            var settings = try transaction.settings(of: project) ?? ProjectSettings(setAt: now)
            change(&settings)
            settings.setAt = now
            try transaction.set(settings, of: project)
        }
    }
}
