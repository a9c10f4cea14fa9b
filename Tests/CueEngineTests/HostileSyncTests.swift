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
        let position = LogPosition(device: .test(9), generation: 1, commit: CommitID(9))
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

    /// The longest chain of differences in a vault, and how many versions with several parents are differences.
    private func chains(_ device: SyncDevice) throws -> (longest: Int, joined: Int) {
        let history = try History.load(device.vault)
        for version in history.versions.keys { #expect(throws: Never.self) { try history.members(of: version) } }
        return (
            history.versions.keys.compactMap { history.deltas(to: $0) }.max() ?? 0,
            history.versions.values.count { $0.header.isDelta && $0.header.parents.count > 1 }
        )
    }

    /// Two devices that both have a bundle of eight files.
    private func devices(with bundle: String) throws -> [SyncDevice] {
        let devices = try ["desk", "lap"].map { try SyncDevice($0, in: folder, on: store) }
        for number in 0..<8 { try devices[0].write("\(bundle)/\(number).txt", "scene \(number)") }
        for device in devices { try device.sync() }
        return devices
    }

    @Test("What a sync makes one of two versions does not list their content again, and chains stay short")
    func joins() throws {
        let devices = try devices(with: "novel 0.rtfd")
        for round in 1...16 {
            try devices[0].write("novel \(round - 1).rtfd/1.txt", String(repeating: "x", count: round))
            try devices[1].rename("novel \(round - 1).rtfd", "novel \(round).rtfd")
            _ = try Backup.run(devices[0].context)
            _ = try Backup.run(devices[1].context)
            for device in devices {
                let summary = try device.sync()
                #expect(summary.conflicts.isEmpty && summary.waiting.isEmpty)
            }
            for device in devices {
                #expect(try device.read("novel \(round).rtfd/1.txt") == String(repeating: "x", count: round))
            }
        }

        let chains = try chains(devices[0])
        #expect(chains.joined >= 12)
        #expect(chains.longest <= 25)
        let third = try SyncDevice("third", in: folder, on: store)
        try third.sync()
        #expect(try third.tree() == devices[0].tree())
    }

    @Test("An answer, and its undo, are differences to what was kept")
    func answers() throws {
        let devices = try devices(with: "novel.rtfd")
        for device in devices {
            try device.write("novel.rtfd/1.txt", "as \(device.name) wrote it")
            _ = try Backup.run(device.context)
        }

        #expect(try devices[0].sync(keep: .other).resolved.count == 1)
        #expect(try chains(devices[0]).joined == 1)
        _ = try Sync.undo("novel", devices[0].context)

        #expect(try chains(devices[0]).joined == 2)
        #expect(try devices[1].sync(keep: .this).resolved.count == 1)
        #expect(try devices[1].read("novel.rtfd/1.txt") == "as lap wrote it")
        try devices[0].sync()
        #expect(try devices[0].tree() == devices[1].tree())
    }

    @Test("A run that has written many lists leaves the next document that needs one to the next run, and names it")
    func room() throws {
        let other = MemoryStore()
        let devices = try zip(["desk", "lap"], [store, other]).map { try SyncDevice($0, in: folder, on: $1) }
        for device in devices {
            try device.write("letter.txt", "as \(device.name) wrote it")
            _ = try Backup.run(device.context)
        }
        other.merge(store)
        let (library, history) = (devices[1].library, try History.load(devices[1].vault))
        let plans = try [0, 32 << 20].map { listed in
            var here = try LocalSide(library, device: try library.device().id)
            here.listed = listed
            return try SyncPlan(history, devices[1].vault, here, at: Timestamp(milliseconds: 0))
        }

        #expect(!plans[0].writes.isEmpty && plans[0].waiting.isEmpty)
        #expect(plans[1].writes.isEmpty)
        // The library's own folder, and the letter.
        #expect(
            plans[1].waiting.sorted { $0.path == nil && $1.path != nil } == [
                SkippedPath(path: nil, reason: .leftForNextRun),
                SkippedPath(path: RelativePath(trusted: Array("letter.txt".utf8)), reason: .leftForNextRun),
            ])
        #expect(plans[0].writes.listed > 0)
    }

    /// Adds two versions to a document of a vault. Both together have attributes of more than 64 MiB, each alone has
    /// not.
    private func plantLong(in store: MemoryStore, as device: UInt64) throws {
        let vault = TestLibrary.vault(on: store)
        let history = try History.load(vault)
        let head = try #require(
            history.state().live.first { Display.text($0.shown.header.path) == "novel.rtfd" }?.shown)
        let value = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
        let members = (0..<80).map { number in
            Member(
                path: RelativePath(trusted: Array("long \(number)".utf8)), mode: 0o644,
                modified: FileTime(seconds: 1, nanoseconds: 0),
                attributes: [ExtendedAttribute(name: Array("user.x".utf8), value: value)],
                content: .file(size: 0, chunks: []))
        }
        let commit = CommitID(device)
        var draft = CommitDraft(
            CommitRecord(
                previous: .none, time: Timestamp(milliseconds: 0), isSnapshot: true, isPartial: false, seen: []))
        let first = VersionDraft(
            project: head.header.project, parents: [head.id], path: head.header.path, kind: .bundle,
            edited: Timestamp(milliseconds: 0), isUnsettled: false,
            body: .delta(removed: [], put: Array(members[..<40])))
        var second = first
        second.parents = [VersionID(commit: commit, number: 0)]
        second.body = .delta(removed: [], put: Array(members[40...]))
        draft.versions = [first, second]
        #expect(draft.versions.allSatisfy { $0.fits(beside: []) })
        _ = try vault.append(
            draft, at: LogPosition(device: .test(device), generation: 1, commit: commit))
    }

    @Test("A document whose list of pieces is longer than a record waits alone, and others go on")
    func listTooLong() throws {
        let other = MemoryStore()
        let devices = try zip(["desk", "lap"], [store, other]).map { try SyncDevice($0, in: folder, on: $1) }
        for device in devices { try device.write("novel.rtfd/text", "as \(device.name) wrote it") }
        try devices[1].write("letter.txt", "from lap")
        for device in devices { _ = try Backup.run(device.context) }
        try plantLong(in: store, as: 8)
        try plantLong(in: other, as: 9)
        store.merge(other)
        other.merge(store)

        let summary = try devices[0].sync()

        let novel = RelativePath(trusted: Array("novel.rtfd".utf8))
        #expect(summary.waiting.contains(SkippedPath(path: novel, reason: .listTooLong)), "\(summary.waiting)")
        #expect(try devices[0].read("letter.txt") == "from lap")
    }
}
