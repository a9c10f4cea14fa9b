import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueTestSupport
import CueVault
import Testing

@testable import CueEngine

/// What a check says of commits in runs, and of what devices wrote that were shut out (docs/format.md §11 and §12).
@Suite("Checks of runs and of devices that were shut out", .contentInPacks)
struct RunCheckTests {
    private let folder = TemporaryFolder()
    private let store = MemoryStore()

    /// A device that has stored two versions, and its commits.
    private func stored() throws -> (desk: SyncDevice, commits: [LogPosition]) {
        let desk = try SyncDevice("desk", in: folder, on: store, hasRows: false)
        for text in ["the first words", "quite other words"] {
            try desk.write("a.md", text)
            try desk.sync()
            Wait.milliseconds(40)
        }
        return (desk, try desk.vault.commits().map(\.position))
    }

    private func cut(_ name: String) { store.set(name, to: store.bytes(of: name)?.dropLast(9)) }

    @Test("A damaged commit that a run holds is named, and nothing is lost")
    func damagedCommit() throws {
        let (desk, commits) = try stored()
        let run = try TestRun.write(commits, in: desk.vault, store)
        #expect(try Check.run(desk.context.ofVault, readData: true).problems == [.noKeySlot])
        cut(ObjectRecordLog.name(of: commits[0]).text)

        let report = try Check.run(desk.context.ofVault, readData: true)

        let named = report.problems.compactMap { if case .heldByRun(let found) = $0 { found } else { nil } }
        #expect(named.map(\.position) == [commits[0]] && named.map(\.run) == [run])
        #expect(report.problems.count == 2 && !report.isContentHarmed && report.damagedDocuments.isEmpty)
        // Another device joins, and this one goes on.
        let other = try SyncDevice("other", in: folder, on: store, hasRows: false)
        try other.sync()
        #expect(try other.read("a.md") == "quite other words")
        try desk.write("b.md", "more")
        try desk.sync()
    }

    @Test("A run that lists commits and does not open hides from no sync that they are gone")
    func emptyPromise() throws {
        let (desk, commits) = try stored()
        let run = try TestRun.write(commits, in: desk.vault, store)
        for commit in commits { store.set(ObjectRecordLog.name(of: commit).text, to: nil) }
        try desk.sync()
        cut(run.text)

        #expect(throws: VaultError.self) { try desk.sync() }
    }

    @Test("A damaged run is named once, whether its commits stand by themselves or not", arguments: [false, true])
    func damagedRun(isAlone: Bool) throws {
        let (desk, commits) = try stored()
        let run = try TestRun.write(commits, in: desk.vault, store)
        cut(run.text)
        if isAlone { for commit in commits { store.set(ObjectRecordLog.name(of: commit).text, to: nil) } }

        let report = try Check.run(desk.context.ofVault, readData: false)

        let about = report.problems.filter { problem in
            switch problem {
            case .damage(let error), .gap(.damaged(let error)): error.isAbout(run)
            default: false
            }
        }
        #expect(about.count == 1 && report.isContentHarmed == isAlone)
    }

    @Test("A run's packs are read while its commits stand by themselves")
    func packs() throws {
        let (desk, commits) = try stored()
        let name = try #require(store.names.first { $0.hasPrefix("packs/") })
        let packs = try History.load(desk.vault).packRecords.filter { $0.name.text == name }
        try TestRun.write(commits, packs: packs, in: desk.vault, store)
        let lost = PackRecord(
            id: PackID(high: 1, low: 1), size: 4_096,
            blocks: [
                BlockRecord(
                    codec: .stored, storedLength: 3, rawLength: 3,
                    chunks: [ChunkEntry(id: ChunkID(a: 1, b: 1, c: 1, d: 1), length: 3)])
            ])
        try TestRun.write(commits, packs: [lost], in: desk.vault, store)

        let report = try Check.run(desk.context.ofVault, readData: false)

        #expect(report.problems.contains(.damage(.missing(.object(lost.name.text)))))
    }

    @Test("What a batch names that is passed over is not missing")
    func passedOver() throws {
        let (desk, _) = try stored()
        let vault = desk.vault
        let late = LogPosition(device: .test(9), generation: 3, commit: CommitID(5))
        _ = try vault.append(
            events: [], at: late, previous: CommitID(4), time: Timestamp(milliseconds: 1), by: TestKeys.key(9))
        #expect(try Check.run(desk.context.ofVault, readData: false).problems.count == 2)
        var draft = CommitDraft(
            CommitRecord(
                previous: .none, time: Timestamp(milliseconds: 1), isSnapshot: false, isPartial: false, seen: []))
        draft.notes = [.shutOut(ShutOut(.test(9), after: nil, batch: nil))]
        try vault.append(draft, at: LogPosition(device: .test(8), generation: 1, commit: CommitID(8)))

        #expect(try Check.run(desk.context.ofVault, readData: false).problems == [.noKeySlot])
    }

    @Test("The name of a run says which commits it may hold, for a search that has no key")
    func names() {
        let entry = RunEntry(device: .test(1), first: 2, last: 4, id: CommitID(1), size: 0)
        let inside = (1...5).map { LogPosition(device: .test(1), generation: $0, commit: CommitID(9)) }

        #expect(inside.map { $0.mayStand(in: entry) } == [false, true, true, true, false])
        #expect(!LogPosition(device: .test(2), generation: 3, commit: CommitID(9)).mayStand(in: entry))
    }
}
