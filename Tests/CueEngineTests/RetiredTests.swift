import CueBase
import CueLibrary
import CueSearch
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

    @Test("A state of the past names what was given up, and a restore and an export make the rest")
    func past() throws {
        let desk = try device("desk")
        try desk.write("b.md", "stays as it is")
        let (version, pack) = try twoVersions(desk)
        let snapshots = try FullHistory.load(desk.vault).snapshots.map(\.position.commit.description)
        try say([retirement(version, pack)])

        var request = RestoreRequest()
        request.at = snapshots[0]
        let plan = try RestorePlan.make(request, try History.load(desk.vault), at: desk.context.clock.now)
        #expect(plan.failed.map(\.reason) == [.givenUp(version)])
        #expect(plan.placed.filter(\.isDocument).map(\.path) == [RelativePath(trusted: Array("b.md".utf8))])

        var export = ExportRequest(nil)
        export.at = snapshots[0]
        let then = try Export.run(export, desk.context.ofVault, to: folder.bytes.appending("then"))
        #expect(then.failed.map(\.reason) == [.givenUp(version)] && !then.isDamaged)
        export = ExportRequest(nil)
        export.allVersions = true
        let all = try Export.run(export, desk.context.ofVault, to: folder.bytes.appending("all"))
        #expect(all.failed.isEmpty)
        #expect(throws: EngineError.versionGivenUp(version.short)) {
            try Cat.run("a.md", at: snapshots[0], version: nil, as: .bytes, desk.context.ofVault) { _ in
            } tell: { _ in
            }
        }
    }

    @Test("What a deleted document was may be given up; then it is no more among the deleted ones")
    func deleted() throws {
        let desk = try device("desk")
        let (first, pack) = try twoVersions(desk)
        try desk.remove("a.md")
        try desk.sync()
        let history = try FullHistory.load(desk.vault)
        let last = try #require(
            history.versions.values.first { $0.header.parents == [first] && !$0.header.isTombstone }?.id)
        #expect(try Listing.deleted(at: nil, all: false, desk.context.ofVault).deleted.count == 1)

        try say([retirement(first, pack), retirement(last, pack)])

        #expect(try Listing.deleted(at: nil, all: false, desk.context.ofVault).deleted.isEmpty)
        var request = RestoreRequest()
        request.names = ["a.md"]
        let plan = try RestorePlan.make(request, try History.load(desk.vault), at: desk.context.clock.now)
        #expect(plan.failed.map(\.reason) == [.givenUp(last)] && plan.placed.isEmpty)
    }

    @Test("A search finds nothing of what was given up, and comes to its end")
    func search() throws {
        let desk = try device("desk")
        let (version, pack) = try twoVersions(desk)
        func find() throws -> Search.Result {
            try Search.run("first words", isNow: false, rebuilds: false, desk.context.ofVault, desk.library)
        }
        #expect(try find().passages.count == 1)
        store.set(PackRecord.name(of: pack).text, to: nil)

        try say([retirement(version, pack)])

        #expect(try find().passages.isEmpty)
        let rebuilt = try Search.run(
            "first words", isNow: false, rebuilds: true, desk.context.ofVault, desk.library)
        #expect(rebuilt.passages.isEmpty && rebuilt.unread == 0)
        // All is read: the vault is not asked again.
        let commits = try SearchIndex(
            in: desk.library.state.library(desk.library.marker.library), of: desk.vault.id.description
        ).commits()
        #expect(try desk.vault.commits().allSatisfy { commits.contains($0.position.commit) })
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
