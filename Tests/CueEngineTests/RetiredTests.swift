import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueTestSupport
import CueVault
import Testing

@testable import CueEngine

/// Vaults that were pruned (docs/format.md §14). No command does it yet; every device obeys it.
@Suite("What was given up", .contentInPacks)
struct RetiredTests {
    private let folder = TemporaryFolder()
    private let store = MemoryStore()

    private func device(_ name: String) throws -> SyncDevice { try SyncDevice(name, in: folder, on: store) }

    /// Writes a commit of a device of its own that says these things.
    @discardableResult
    private func say(_ notes: [Note.Content], as number: UInt64 = 40) throws -> LogPosition {
        let vault = TestLibrary.vault(on: store)
        var draft = CommitDraft(
            CommitRecord(
                previous: .none, time: Timestamp(milliseconds: 1), isSnapshot: false, isPartial: false, seen: []))
        let position = LogPosition(device: .test(number), generation: 1, commit: CommitID(number))
        draft.devices = [DeviceRecord(id: position.device, name: "pruner", made: Timestamp(milliseconds: 1))]
        draft.notes = notes
        try vault.append(draft, at: position)
        return position
    }

    /// A document of two versions, each in a pack of its own; returns the first version and its pack.
    private func twoVersions(_ device: SyncDevice) throws -> (version: VersionID, pack: PackID) {
        try device.write("a.md", "the first words")
        try device.sync()
        let packs = Set(store.names.filter { $0.hasPrefix("packs/") })
        let first = try #require(try History.load(device.vault).state().live.first { $0.shown.header.kind == .file })
        Wait.milliseconds(40)
        try device.write("a.md", "quite other words, so that nothing is shared")
        try device.sync()
        let pack = try #require(packs.compactMap { PackRecord.id(of: ObjectName($0)) }.first)
        return (first.shown.id, pack)
    }

    private func retirement(_ version: VersionID, _ pack: PackID) -> Note.Content {
        var retired = Retirement()
        (retired.versions, retired.packs) = ([version], [pack])
        return .retired(retired)
    }

    @Test("A version that was given up and whose pack is gone is no damage, and is not offered")
    func given() throws {
        let desk = try device("desk")
        let (version, pack) = try twoVersions(desk)
        store.set(PackRecord.name(of: pack).text, to: nil)
        #expect(!(try Check.run(desk.context.ofVault, readData: true).damagedDocuments.isEmpty))

        try say([retirement(version, pack)])

        let report = try Check.run(desk.context.ofVault, readData: true)
        #expect(report.problems == [.noKeySlot] && report.damagedDocuments.isEmpty && report.pruned == 1)
        let page = try #require(try DocumentLog.page(of: "a.md", limit: 9, all: true, desk.context.ofVault))
        #expect(page.entries.count == 1)
        #expect(throws: EngineError.versionGivenUp(version.short)) {
            try RestorePlan.version(version.short, in: try FullHistory.load(desk.vault))
        }
    }

    @Test("What a document is now, and what is pinned, is not given up by a record")
    func heads() throws {
        let desk = try device("desk")
        let (version, pack) = try twoVersions(desk)
        let history = try FullHistory.load(desk.vault)
        let head = try #require(history.state(at: nil).live.first { $0.shown.header.kind == .file }?.shown.id)
        var retired = Retirement()
        retired.versions = [version, head]
        try say([.retired(retired), .pinned(Pin(.version(version), label: "the first"))])
        #expect(try FullHistory.load(desk.vault).retiredVersions.isEmpty)

        let pins = try History.load(desk.vault).pins
        try say([.unpinned(pins.map(\.id))], as: 41)
        #expect(try FullHistory.load(desk.vault).retiredVersions == [version])
        _ = pack
    }

    @Test("Content that stands in a pack that was given up alone is stored again, and each device says that it knows")
    func again() throws {
        let (desk, laptop) = (try device("desk"), try device("laptop"))
        let (version, pack) = try twoVersions(desk)
        try laptop.sync()
        let position = try say([retirement(version, pack)])
        try desk.sync()
        Wait.milliseconds(40)

        try desk.write("b.md", "the first words")
        try desk.sync()
        store.set(PackRecord.name(of: pack).text, to: nil)

        #expect(try Check.run(desk.context.ofVault, readData: true).damagedDocuments.isEmpty)
        let other = try device("other")
        try other.sync()
        #expect(try other.read("b.md") == "the first words")
        let id = NoteID(commit: position.commit, number: 0)
        let device = try desk.library.device().id
        #expect(try History.load(desk.vault).acknowledged(by: device) == [id])
        // Once is enough.
        Wait.milliseconds(40)
        try desk.write("b.md", "more")
        try desk.sync()
        let said = try History.load(desk.vault).notes.count { note in
            if case .acknowledged = note.content { note.position.device == device } else { false }
        }
        #expect(said == 1)
    }
}
