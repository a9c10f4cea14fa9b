import CueBase
import CueCrypto
import CueLibrary
import CueStorage
import CueSystem
import CueTestSupport
import Testing

@testable import CueEngine
@testable import CueVault

/// A checkpoint by somebody who has the key, and what it says against the commits (docs/format.md §8).
@Suite("Checkpoints that lie")
struct LyingCheckpointTests {
    private let folder = TemporaryFolder()
    private let store = MemoryStore()

    private func device(_ name: String) throws -> SyncDevice { try SyncDevice(name, in: folder, on: store) }

    /// Sums up all commits, with heads that are changed.
    private func forge(_ change: ([VersionDraft]) -> [VersionDraft]) throws {
        let vault = TestLibrary.vault(on: store)
        let history = try History.load(vault)
        let heads = history.state().projects.values.flatMap(\.heads).sorted { $0.id < $1.id }
        let drafts = try heads.map { head in
            VersionDraft(
                project: head.header.project, parents: head.header.parents, path: head.header.path,
                kind: head.header.kind, edited: head.header.edited, isUnsettled: head.header.isUnsettled,
                body: head.header.isTombstone ? .tombstone : .full(try history.members(of: head.id)))
        }
        let tips = Dictionary(grouping: history.commits.keys, by: \.device).values.compactMap { $0.max() }
        var coverage = ByteWriter()
        coverage.marks(tips.sorted().map { CommitMark($0, history.digests[$0]) })
        let count = String(history.commits.count)
        let digits = String(repeating: "0", count: 12 - count.count) + count
        let name = ObjectName("checkpoints/\(digits)-ffffffffffffffff")
        var writer = FrameWriter(vault.context(.checkpoint, name))
        try writer.append(.coverage, coverage.bytes)
        for pack in history.packRecords { try writer.append(pack.kind, pack.encode()) }
        for (head, draft) in zip(heads, change(drafts)) {
            var body = ByteWriter()
            body.id(head.id)
            body.id(head.device)
            body.svarint(head.time.milliseconds)
            body.raw(draft.encode { _ in nil })
            try writer.append(.keptVersion, body.bytes)
        }
        let plaintext = try writer.finish(signedBy: TestKeys.key(of: tips[0].device)).rest
        store.set(name.text, to: vault.seal(plaintext, .checkpoint, name))
    }

    /// All documents are empty.
    private func emptied(_ drafts: [VersionDraft]) -> [VersionDraft] {
        drafts.map { draft in
            guard case .full(var members) = draft.body, draft.kind == .file else { return draft }
            members[0].content = .file(size: 0, chunks: [])
            var draft = draft
            draft.body = .full(members)
            return draft
        }
    }

    @Test("A new device takes what the commits say, and names the checkpoint that says otherwise")
    func join() throws {
        let (desk, laptop) = (try device("desk"), try device("laptop"))
        try desk.write("novel.txt", "the truth")
        try desk.sync()
        try forge(emptied)

        let summary = try laptop.sync()

        #expect(try laptop.read("novel.txt") == "the truth")
        #expect(summary.isDamaged)
        #expect(summary.backup.notArrived.contains { if case .checkpoint(.wrong) = $0 { true } else { false } })
    }

    @Test("So does a device that knows the library, of what is new to it")
    func known() throws {
        let (desk, laptop) = (try device("desk"), try device("laptop"))
        try desk.write("novel.txt", "one")
        try desk.sync()
        try laptop.sync()
        try desk.write("novel.txt", "and two")
        try desk.sync()
        try forge(emptied)

        let summary = try laptop.sync()

        #expect(try laptop.read("novel.txt") == "and two")
        #expect(summary.isDamaged)
    }

    @Test("A restore of what is now gives what the commits say, and names the lie")
    func restore() throws {
        let desk = try device("desk")
        try desk.write("novel.txt", "the truth")
        try desk.sync()
        try forge(emptied)

        let summary = try Restore.run(
            RestoreRequest(), VaultContext(desk.vault), to: .folder(folder.bytes.appending("out")))

        #expect(try folder.read("out/novel.txt") == "the truth")
        #expect(
            summary.isDamaged
                && summary.failed.contains { if case .gap(.checkpoint(.wrong)) = $0.reason { true } else { false } })
    }

    @Test("A true checkpoint is held against the commits once, and then spares reading them")
    func honest() throws {
        let (desk, laptop) = (try device("desk"), try device("laptop"))
        try desk.write("novel.txt", "the truth")
        try desk.sync()
        try forge { $0 }

        let summary = try laptop.sync()

        #expect(!summary.isDamaged && summary.waiting.isEmpty)
        #expect(try laptop.library.comparedCheckpoint()?.text.hasPrefix("checkpoints/") == true)
        #expect(try laptop.library.newest(of: laptop.vault).isSummary)
    }

    @Test("The next checkpoint does not go on from one that lies")
    func next() throws {
        let desk = try device("desk")
        try desk.write("novel.txt", "the truth")
        try desk.sync()
        try forge(emptied)

        let history = try History.loadForCheckpoint(desk.vault, from: try desk.library.comparedCheckpoint())

        #expect(!history.isSummary)
        #expect(try history.state().live.contains { try history.members(of: $0.shown.id).size == 9 })
    }
}
