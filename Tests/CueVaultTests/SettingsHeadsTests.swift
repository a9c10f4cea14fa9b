import CueBase
import CueCrypto
import CueSodium
import CueStorage
import CueTestSupport
import Testing

@testable import CueVault

/// Which settings records count, and the UUID of a project (docs/format.md §13).
@Suite("Settings in the vault")
struct SettingsHeadsTests {
    private static let project = ProjectID(commit: CommitID(1), number: 0)
    private static let other = ProjectID(commit: CommitID(1), number: 1)

    private static func id(_ number: UInt64) -> NoteID { NoteID(commit: CommitID(number), number: 0) }

    /// The record of a number, which replaces those of other numbers.
    private static func note(
        _ number: UInt64, _ parents: UInt64..., time: Int64 = 0, of project: ProjectID = project
    ) -> Note {
        Note(
            position: LogPosition(device: .test(1), generation: number, commit: CommitID(number)), number: 0,
            content: .settings(
                SettingsNote(
                    project: project, parents: parents.map(id), time: Timestamp(milliseconds: time), json: [])))
    }

    private static func counting(_ notes: [Note]) -> [UInt64] {
        SettingsHeads(notes).records[project, default: []].map(\.id.commit.value)
    }

    @Test("Records count that no other replaces, the newest first by time and then by id, in whatever order they come")
    func heads() {
        let notes = [Self.note(10), Self.note(11, 10, time: 5), Self.note(12, 10, time: 7), Self.note(13, 10, time: 7)]

        for notes in [notes, notes.reversed()] {
            #expect(Self.counting(notes) == [13, 12, 11])
        }
        #expect(Self.counting(notes + [Self.note(14, 11, 12, 13, time: -1)]) == [14])
    }

    @Test("A parent that is not there, or of another project, replaces nothing")
    func strangers() {
        let notes = [Self.note(10), Self.note(11, 10, 99, of: Self.other), Self.note(12, 99)]

        #expect(Set(Self.counting(notes)) == [10, 12])
        #expect(SettingsHeads(notes).ids.count == 3)
    }

    @Test("Records that are their own ancestors replace nothing, so each project with settings has some that count")
    func circles() {
        #expect(Self.counting([Self.note(10, 10)]) == [10])
        #expect(Set(Self.counting([Self.note(10, 11), Self.note(11, 10)])) == [10, 11])
        // A circle of three, with a record before it and one after it.
        let notes = [
            Self.note(9), Self.note(10, 12, 9), Self.note(11, 10), Self.note(12, 11), Self.note(13, 12),
        ]
        #expect(Set(Self.counting(notes)) == [9, 10, 11, 13])
        let long = (0..<50_000).map { Self.note(100 + $0, 100 + ($0 + 1) % 50_000) }
        #expect(SettingsHeads(long).ids.count == 50_000)
    }

    @Test("A checkpoint keeps what counts, also of a circle, and a reader that starts from it finds the same")
    func checkpoint() throws {
        let test = TestVault()
        var device = TestVault.Device(1)
        let first = try test.commit(&device, [TestVault.draft("novel")])
        let project = TestVault.version(first)
        var parents: [NoteID] = []
        for time in 1...3 {
            parents = [
                try test.settings(&device, of: project, parents: parents, time: Int64(time), "{}")
            ]
        }
        let history = try History.load(test.vault)
        _ = try Checkpoint.write(history, to: test.vault, by: TestKeys.key(of: device.id))

        let latest = try History.loadLatest(test.vault)
        #expect(latest.isSummary && latest.settings[project]?.map(\.id) == parents)
        #expect(history.settings[project]?.map(\.id) == parents)
        let last = try test.settings(&device, of: project, parents: parents, time: 4, "{}")
        #expect(try History.loadLatest(test.vault).settings[project]?.map(\.id) == [last])
    }

    @Test("What a shut out device set after its last commit that counts is set aside")
    func shutOut() throws {
        let test = TestVault()
        var (own, thief) = (TestVault.Device(1), TestVault.Device(2))
        let first = try test.commit(&own, [TestVault.draft("novel")])
        let project = TestVault.version(first)
        let good = try test.settings(&own, of: project, parents: [], time: 1, "{}")
        _ = try test.settings(&thief, of: project, parents: [good], time: 2, #"{"archived":true}"#)
        #expect(try History.load(test.vault).settings[project]?.count == 1)

        _ = try test.notes(&own, [.shutOut(ShutOut(thief.id, after: nil, batch: nil))])

        #expect(try History.load(test.vault).settings[project]?.map(\.id) == [good])
    }

    @Test("JSON of more than 16 KiB is never written; anything up to that is read, whatever it says")
    func sizes() throws {
        let test = TestVault()
        var device = TestVault.Device(1)
        let longest = String(repeating: "\u{0}", count: SettingsNote.size)

        let id = try test.settings(&device, of: Self.project, parents: [], time: 1, longest)
        #expect(try History.load(test.vault).settings[Self.project]?.map(\.id) == [id])
        #expect(throws: FormatError.self) {
            try test.settings(&device, of: Self.project, parents: [], time: 1, longest + " ")
        }
    }

    @Test("The UUID of a project is the one in docs/format.md, and another in each vault")
    func uuid() {
        let vault = VaultID(high: 0x1111_1111_1111_1111, low: 0x1111_1111_1111_1111)
        let key = VaultKey(SecretBytes(copying: Array(0..<32).span), vault: vault)

        #expect(key.uuid(of: Self.project).uuidText == "f5969d27-149b-8335-bfa1-5dbbb23d1364")
        #expect(key.uuid(of: Self.other) != key.uuid(of: Self.project))
        #expect(TestVault().vault.uuid(of: Self.project) != key.uuid(of: Self.project))
    }
}

extension TestVault {
    /// Writes a commit with one settings record.
    fileprivate func settings(
        _ device: inout Device, of project: ProjectID, parents: [NoteID], time: Int64, _ json: String
    ) throws -> NoteID {
        let note = SettingsNote(
            project: project, parents: parents, time: Timestamp(milliseconds: time), json: Array(json.utf8))
        return NoteID(commit: try notes(&device, [.settings(note)]).commit, number: 0)
    }

    /// Writes a commit with these notes and nothing else.
    fileprivate func notes(_ device: inout Device, _ notes: [Note.Content]) throws -> LogPosition {
        let generation = (device.last?.generation ?? 0) + 1
        var draft = CommitDraft(
            CommitRecord(
                previous: device.last?.commit ?? .none, previousDigest: device.digest,
                time: Timestamp(milliseconds: 0), isSnapshot: true, isPartial: false, seen: []))
        if generation == 1 {
            draft.devices = [DeviceRecord(id: device.id, name: "device", made: Timestamp(milliseconds: 0))]
        }
        draft.notes = notes
        let position = LogPosition(device: device.id, generation: generation, commit: Vault.newCommitID())
        device.digest = try vault.append(draft, at: position, by: TestKeys.key(of: device.id)).digest
        device.last = position
        device.known.insert(position)
        return position
    }
}
