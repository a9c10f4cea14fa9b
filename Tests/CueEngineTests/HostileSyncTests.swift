import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueTestSupport
import CueVault
import Testing

@testable import CueEngine

/// Versions that no cue writes, where a sync would bring them to a disk.
@Suite("Syncs of hostile versions")
struct HostileSyncTests {
    private let folder = TemporaryFolder()
    private let store = MemoryStore()

    /// Adds a version that goes on from a document's head.
    private func plant(on path: String, _ kind: ProjectKind, _ members: [Member]) throws {
        let vault = TestLibrary.vault(on: store)
        let head = try #require(
            try History.load(vault).state().live.first { Display.text($0.shown.header.path) == path }?.shown)
        var draft = CommitDraft(
            CommitRecord(
                previous: .none, time: Timestamp(milliseconds: 0), isSnapshot: true, isPartial: false, seen: []))
        draft.versions = [
            VersionDraft(
                project: head.header.project, parents: [head.id], path: head.header.path, kind: kind,
                edited: Timestamp(milliseconds: 0), isUnsettled: false, body: .full(members))
        ]
        let position = LogPosition(device: DeviceID(high: 9, low: 9), generation: 1, commit: CommitID(9))
        _ = try vault.append(draft, at: position)
    }

    private static func member(_ content: Content) -> Member {
        Member(
            path: .root, mode: 0o644, modified: FileTime(seconds: 1, nanoseconds: 0), attributes: [], content: content)
    }

    @Test("A document that comes back as one of another kind stays as it is here, and is named")
    func otherKind() throws {
        let desk = try SyncDevice("desk", in: folder, on: store)
        try desk.write("novel.rtfd/text", "one")
        try desk.write("letters.txt", "two")
        try desk.sync()

        try plant(on: "novel.rtfd", .file, [Self.member(.file(size: 0, chunks: []))])
        let first = try desk.sync()

        #expect(first.waiting.contains { $0.path == RelativePath(trusted: Array("novel.rtfd".utf8)) })
        #expect(try desk.read("novel.rtfd/text") == "one")
        #expect(try desk.read("letters.txt") == "two")
    }

    @Test("So does a file that comes back as a bundle")
    func fileAsBundle() throws {
        let desk = try SyncDevice("desk", in: folder, on: store)
        try desk.write("letters.txt", "two")
        try desk.sync()

        try plant(on: "letters.txt", .bundle, [Self.member(.folder)])
        let summary = try desk.sync()

        #expect(summary.waiting.contains { $0.path == RelativePath(trusted: Array("letters.txt".utf8)) })
        #expect(try desk.read("letters.txt") == "two")
    }
}
