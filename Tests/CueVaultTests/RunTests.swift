import CueBase
import CueCrypto
import CueStorage
import CueTestSupport
import Testing

@testable import CueVault

/// Many commits of one device in one object (docs/format.md §12).
@Suite("Runs of commits")
struct RunTests {
    private let vault: TestVault
    private typealias T = TestVault

    init() { vault = TestVault() }
    private init(on store: MemoryStore) { vault = TestVault(on: store) }

    /// The records of a commit as they stand in it, one after the other.
    private func records(of position: LogPosition) throws -> [UInt8] {
        let name = ObjectRecordLog.name(of: position)
        let size = try #require(vault.store.bytes(of: name.text)?.count)
        let plain = try PlainReader(.object(vault.store, name, size: size), of: vault.vault, .commit, name)
        try plain.skip(try plain.count(upTo: Limits.inline))
        let reader = try FrameReader(plain)
        var (records, budget): ([UInt8], RecordBudget) = ([], RecordBudget())
        while let frame = try reader.next(&budget) { records += frame }
        return records
    }

    /// Writes a run of these commits. `change` may make it lie.
    @discardableResult
    private func write(
        _ commits: [LogPosition], id: UInt64 = 7, packs: [PackRecord] = [], by key: DeviceKey = TestKeys.key(1),
        _ change: (inout [(mark: CommitMark, records: [UInt8])]) -> Void = { _ in }
    ) throws -> RunEntry {
        let history = try History.load(vault.vault)
        var parts = try commits.map { position in
            (mark: CommitMark(position, history.digests[position]), records: try records(of: position))
        }
        change(&parts)
        let entry = RunEntry(
            device: commits[0].device, first: commits[0].generation, last: commits[commits.count - 1].generation,
            id: CommitID(id), size: 0)
        var head = ByteWriter()
        head.varint(parts.count)
        for part in parts {
            head.varint(part.mark.position.generation)
            head.id(part.mark.position.commit)
            head.digest(part.mark.digest)
        }
        var writer = FrameWriter(vault.vault.context(.run, entry.name), after: 1)
        try writer.append(.run, head.bytes)
        for pack in packs { try writer.append(.pack, pack.encode()) }
        for part in parts { try writer.append(.commitOfRun, part.records) }
        let plaintext = [0] + (try writer.finish(signedBy: key).rest)
        vault.store.set(entry.name.text, to: vault.vault.seal(plaintext, .run, entry.name))
        return entry
    }

    private func remove(_ commits: [LogPosition]) {
        for position in commits { vault.store.set(ObjectRecordLog.name(of: position).text, to: nil) }
    }

    /// What a history says, in a form that can be compared.
    private func shown() throws -> [String] {
        let history = try FullHistory.load(T.open(vault.store))
        #expect(history.damaged.isEmpty && history.missing.isEmpty && history.contradictions.isEmpty)
        let versions = try history.versions.values.map { version in
            "\(version.id) \(version.header.path) \(version.header.parents) \(try history.history.members(of: version.id))"
        }
        return versions.sorted() + history.snapshots.map(\.position.commit.description)
            + history.state(at: nil).live.map(\.id.description).sorted()
            + [history.history.stateWords(of: vault.vault.id)?.text ?? ""]
    }

    /// Three commits of one device, with a document that goes on, and one of another device that has seen them.
    private func history() throws -> [LogPosition] {
        var (one, two) = (T.Device(1), T.Device(2))
        let first = try vault.commit(&one, [T.draft("novel")])
        let second = try vault.commit(
            &one,
            [
                T.draft(
                    "novel", project: T.version(first), parents: [T.version(first)],
                    .delta(removed: [], put: [T.member("chapter")]))
            ])
        let third = try vault.commit(&one, [T.draft("letters")])
        two.known = [third]
        try vault.commit(&two, [T.draft("songs")])
        return [first, second, third]
    }

    @Test("The history is the same with the commits, with the run, and with both")
    func same() throws {
        let commits = try history()
        let before = try shown()
        try write(commits)
        #expect(try shown() == before)
        remove([commits[1]])
        #expect(try shown() == before)
        remove(commits)
        #expect(try shown() == before)
        #expect(try T.open(vault.store).commits().map(\.position).filter { $0.device == commits[0].device } == commits)
    }

    @Test("Runs that overlap are one history")
    func overlapping() throws {
        let commits = try history()
        let before = try shown()
        try write(Array(commits[..<2]), id: 1)
        try write(Array(commits[1...]), id: 2)
        remove(commits)
        #expect(try shown() == before)
    }

    @Test("Who starts from a checkpoint, and who writes the next one, reads commits that stand in runs")
    func checkpoints() throws {
        let commits = try history()
        try Checkpoint.write(try History.load(vault.vault), to: vault.vault)
        try write(commits)
        remove(commits)

        let history = try History.loadLatest(T.open(vault.store))

        #expect(history.isSummary && history.state().live.count == 3)
        let log = try T.open(vault.store).commits()
        let compared = try ComparedHistory.load(T.open(vault.store), log, compared: nil)
        #expect(compared.checkpoint != nil && compared.history.checkpointProblem == nil)
    }

    @Test("What the commits held themselves is read from the packs that the run names, and the rest is no loss")
    func content() throws {
        var device = T.Device(1)
        var generator = SeededGenerator(seed: 3)
        let (old, new) = (generator.bytes(900), generator.bytes(800))
        let uploads = PackUploads(isForCommit: true)
        let packer = try PackWriter(for: vault.vault, uploads)
        for chunk in [old, new] { try packer.add(chunk.span, id: vault.vault.chunkID(of: chunk.span)) }
        try packer.finish()
        _ = try uploads.finish()
        let ids = [old, new].map { vault.vault.chunkID(of: $0.span) }
        let draft = T.draft("a.md", kind: .file, .full([T.member("", .file(size: 800, chunks: [ids[1]]))]))
        let commit = try vault.commit(&device, [draft], inline: uploads.takeInline())
        let (_, packs) = try T.store([new], in: vault.vault)
        try write([commit], packs: packs)
        remove([commit])

        let opened = T.open(vault.store)
        var history = try History.load(opened)
        let present = try history.findPacks(in: opened)
        let reader = try ContentReader(of: opened, history.index, present)

        #expect(try reader.bytes(of: ids[1]) == new)
        #expect(throws: VaultError.self) { try reader.bytes(of: ids[0]) }
    }

    @Test("A commit whose own object is damaged or cut is read from a run, which is named")
    func damaged() throws {
        let commits = try history()
        let before = try shown()
        try write(Array(commits[..<2]), id: 1)
        try write(commits, id: 2)
        let (first, second) = (ObjectRecordLog.name(of: commits[0]).text, ObjectRecordLog.name(of: commits[1]).text)
        var bytes = try #require(vault.store.bytes(of: first))
        bytes[200] ^= 1
        vault.store.set(first, to: bytes)
        vault.store.set(second, to: vault.store.bytes(of: second)?.dropLast(9))

        #expect(try shown() == before)
        let history = try History.load(T.open(vault.store))
        #expect(history.standIns.map(\.position) == Array(commits[..<2]))
        #expect(history.commitsInRuns == Set(commits[..<2]))
        // Nothing is lost, so a checkpoint may be written.
        #expect(try Checkpoint.write(history, to: vault.vault) != nil)
    }

    @Test("A commit that was listed by itself a moment ago is found in the run that took its place")
    func moved() throws {
        let commits = try history()
        let opened = T.open(vault.store)
        let listed = try opened.commits()
        try write(commits)
        remove(commits)

        let history = try History.load(opened, listed)

        #expect(history.damaged.isEmpty && history.missing.isEmpty && history.standIns.isEmpty)
        #expect(history.state().live.count == 3 && history.commitsInRuns == Set(commits))
    }

    @Test("A run that is damaged takes nothing from another that holds the same, nor from the commits themselves")
    func brokenRun() throws {
        let commits = try history()
        let before = try shown()
        let broken = try write(commits, id: 1)
        vault.store.set(broken.name.text, to: vault.store.bytes(of: broken.name.text)?.dropLast(9))
        #expect(try shown() == before)
        let whole = try write(commits, id: 2)
        remove(commits)

        #expect(try shown() == before)
        #expect(try T.open(vault.store).damagedRuns().count == 1)
        vault.store.set(whole.name.text, to: nil)
        let history = try History.load(T.open(vault.store), rescue: false)
        #expect(history.damaged.count == 1 && history.state().live.count == 1)
    }

    /// Puts another commit of this document in the place of one.
    private func replace(_ position: LogPosition, with path: String) throws {
        var draft = CommitDraft(
            CommitRecord(
                previous: .none, time: Timestamp(milliseconds: 9), isSnapshot: true, isPartial: false, seen: []))
        draft.versions = [T.draft(path)]
        vault.store.set(ObjectRecordLog.name(of: position).text, to: nil)
        try vault.vault.append(draft, at: position)
    }

    @Test("Of two commits under one position the object of its own counts; two runs that differ leave none")
    func forms() throws {
        var device = T.Device(1)
        let commit = try vault.commit(&device, [T.draft("one")])
        let own = vault.store.bytes(of: ObjectRecordLog.name(of: commit).text)
        try write([commit], id: 1)
        try replace(commit, with: "two")
        let other = try write([commit], id: 2)
        vault.store.set(ObjectRecordLog.name(of: commit).text, to: own)
        func paths(_ history: History) -> [RelativePath] { history.state().live.map(\.shown.header.path) }

        let beside = try History.load(T.open(vault.store))
        #expect(paths(beside) == [T.path("one")] && beside.otherForms.map(\.run) == [other.name])
        #expect(try Checkpoint.write(beside, to: vault.vault) == nil)

        remove([commit])
        let alone = try History.load(T.open(vault.store))
        #expect(alone.state().live.isEmpty && alone.damaged.count == 1 && alone.unread == [commit])

        // A run that does not open says nothing.
        vault.store.set(other.name.text, to: vault.store.bytes(of: other.name.text)?.dropLast(1))
        #expect(paths(try History.load(T.open(vault.store))) == [T.path("one")])
    }

    @Test("A run's packs are places of content also while its commits stand by themselves")
    func packsBeside() throws {
        let commits = try history()
        let content = [UInt8](repeating: 7, count: 500)
        let (ids, packs) = try T.store([content], in: vault.vault)
        try write(commits, packs: packs)

        let opened = T.open(vault.store)
        var history = try History.load(opened)
        let present = try history.findPacks(in: opened)

        #expect(try ContentReader(of: opened, history.index, present).bytes(of: ids[0]) == content)
    }

    @Test("A run that names a pack twice is damage")
    func packTwice() throws {
        let commits = try history()
        let (_, packs) = try T.store([[1, 2, 3]], in: vault.vault)
        try write(commits, packs: packs + packs)

        #expect(try T.open(vault.store).damagedRuns().count == 1)
    }

    @Test("What comes after a cursor is found in runs too, and so is all once a known commit is gone")
    func afterCursor() throws {
        let far = RunTests(on: MemoryStore(readsAreDownloads: true))
        var device = T.Device(1)
        var commits: [LogPosition] = []
        for number in 1...3 { commits.append(try far.vault.commit(&device, [T.draft("\(number)")])) }
        let opened = T.open(far.vault.store)
        let cursor = try opened.commits(after: .start).cursor
        for number in 4...6 { commits.append(try far.vault.commit(&device, [T.draft("\(number)")])) }
        let old = try far.write(commits, id: 2)
        let bytes = far.vault.store.bytes(of: old.name.text)
        far.vault.store.set(old.name.text, to: nil)
        try far.write(Array(commits[3...4]), id: 1)
        far.remove(Array(commits[3...4]))

        let news = try opened.commits(after: cursor)
        #expect(!news.isWhole && news.entries.map(\.position) == Array(commits[3...]))

        far.vault.store.set(old.name.text, to: bytes)
        far.remove(commits)
        let all = try opened.commits(after: cursor)
        #expect(all.isWhole && all.entries.map(\.position) == commits)
    }

    @Test("To list a log, the front of each run is read once, however often it is listed")
    func listedOnce() throws {
        let commits = try history()
        let entry = try write(commits)
        let store = CountingStore(vault.store)
        let opened = T.open(store)
        remove(commits)

        let first = try opened.commits()
        let reads = store.traffic.reads
        #expect(try opened.commits() == first && store.traffic.reads == reads)
        _ = try History.load(opened)
        let all = store.traffic.bytesRead
        _ = try History.load(opened)
        #expect(store.traffic.bytesRead - all < entry.size + 4_096 && first.count == 4)
    }

    @Test("A short object that lists very many commits has none")
    func manyListed() throws {
        let entry = RunEntry(device: .test(1), first: 1, last: 1, id: CommitID(1), size: 0)
        var head = ByteWriter()
        head.varint(100_000)
        for number in 1...100_000 as ClosedRange<UInt64> {
            head.varint(1)
            head.id(CommitID(number))
            head.digest(CommitDigest(a: 0, b: 0, c: 0, d: 0))
        }
        var writer = FrameWriter(vault.vault.context(.run, entry.name), after: 1)
        try writer.append(.run, head.bytes)
        let plaintext = [0] + (try writer.finish(signedBy: TestKeys.key(1)).rest)
        vault.store.set(entry.name.text, to: vault.vault.seal(plaintext, .run, entry.name))

        #expect(try T.open(vault.store).commits().isEmpty)
        #expect(try T.open(vault.store).damagedRuns().count == 1)
    }

    @Test("A run that says other than its commits has none")
    func lies() throws {
        let commits = try history()
        remove([commits[2]])
        let lies: [(String, (inout [(mark: CommitMark, records: [UInt8])]) -> Void)] = [
            ("records of another commit", { ($0[0].records, $0[1].records) = ($0[1].records, $0[0].records) }),
            ("another digest", { $0[0].mark = CommitMark($0[0].mark.position, CommitDigest(a: 1, b: 1, c: 1, d: 1)) }),
            ("a commit cut short", { $0[1].records.removeLast() }),
            ("no signature", { $0[1].records.removeLast(98) }),
            ("more behind the signature", { $0[1].records += [99, 1, 1] }),
            ("nothing in a commit", { $0[0].records = [] }),
        ]
        for (what, lie) in lies {
            try write(Array(commits[..<2]), lie)
            let opened = T.open(vault.store)
            #expect(try opened.damagedRuns().count == 1, "\(what)")
        }
        let name = try write(Array(commits[..<2])).name
        let bytes = vault.store.bytes(of: name.text)
        vault.store.set(name.text, to: nil)
        let renamed = name.text.replacing("-0000000002-", with: "-0000000003-")
        vault.store.set(renamed, to: bytes)
        #expect(try T.open(vault.store).damagedRuns().count == 1)
    }
}
