import CueBase
import CueCrypto
import CueStorage
import CueTestSupport
import Testing

@testable import CueVault

/// What a writer who has the key could add to a vault so that old snapshots say something else (docs/threat-model.md
/// §8).
@Suite("Hostile histories")
struct HostileHistoryTests {
    private let vault = TestVault()
    private typealias T = TestVault

    private func history() throws -> History { try History.load(vault.vault) }

    private static func text(_ chunk: ChunkID, _ size: Int64) -> VersionDraft.Body {
        .full([T.member("", .file(size: size, chunks: [chunk]))])
    }

    /// Writes a commit wherever its writer likes.
    @discardableResult
    private func plant(
        _ versions: [VersionDraft], as commit: CommitID, of device: UInt64 = 0xffff, generation: UInt64 = 1,
        packs: [PackRecord] = [], time: Int64 = 0
    ) throws -> LogPosition {
        var draft = CommitDraft(
            CommitRecord(
                previous: generation == 1 ? .none : CommitID(9), time: Timestamp(milliseconds: time),
                isSnapshot: true, isPartial: false, seen: []))
        (draft.packs, draft.versions) = (packs, versions)
        let position = LogPosition(
            device: .test(device), generation: generation, commit: commit)
        _ = try vault.vault.append(draft, at: position)
        return position
    }

    // MARK: Commit ids

    @Test("Two commits of one id are damage, and neither says what the other's versions hold")
    func twins() throws {
        var device = T.Device(1)
        let (ids, packs) = try T.store([[1, 2, 3], [4, 5, 6]], in: vault.vault)
        let mine = T.draft("novel", kind: .file, Self.text(ids[0], 3))
        let first = try vault.commit(&device, [mine], packs: packs)
        let second = try vault.commit(&device, [T.draft("letters", kind: .file, Self.text(ids[0], 3))])
        let lie = T.draft("novel", kind: .file, Self.text(ids[1], 3))
        let planted = try plant([lie], as: first.commit, packs: packs)

        let history = try history()

        #expect(history.versions[T.version(first)] == nil)
        #expect(history.unread == [first, planted])
        let names = [first, planted].map { ObjectRecordLog.name(of: $0).text }
        #expect(history.damaged.count == 2)
        for name in names { #expect(history.damaged.contains { "\($0)".contains(name) }) }
        #expect(try history.members(of: T.version(second)).flatMap(\.chunks) == [ids[0]])
    }

    @Test(
        "A twin without versions, or with shorter ones, stops nothing",
        arguments: [(0, 0xffff, 1), (1, 0xffff, 1), (1, 1, 2), (0, 1, 9)] as [(Int, UInt64, UInt64)])
    func shorterTwins(_ count: Int, _ device: UInt64, _ generation: UInt64) throws {
        var one = T.Device(1)
        let members = (0..<50).map { T.member("\($0)", .file(size: 0, chunks: [])) }
        let first = try vault.commit(&one, [T.draft("novel", .full([T.member("")] + members))])
        try plant((0..<count).map { T.draft("p\($0)") }, as: first.commit, of: device, generation: generation)

        let history = try history()

        #expect(history.damaged.count == 2)
        #expect(throws: VaultError.self) { try history.members(of: T.version(first)) }
        #expect(history.state().live.isEmpty)
    }

    @Test("A file that bears a commit's id and does not open takes nothing away from the commit")
    func twinThatDoesNotOpen() throws {
        var device = T.Device(1)
        let first = try vault.commit(&device, [T.draft("novel")])
        let other = LogPosition(device: DeviceID.test(7), generation: 1, commit: first.commit)
        vault.store.set(
            ObjectRecordLog.name(of: other).text, to: vault.store.bytes(of: ObjectRecordLog.name(of: first).text))

        let history = try history()

        #expect(history.state().live.map(\.id) == [T.version(first)])
        #expect(history.unread == [other])
    }

    @Test("A twin of a commit that a checkpoint sums up is seen, and what the checkpoint keeps of it does not count")
    func twinsBelowCheckpoint() throws {
        var device = T.Device(1)
        let first = try vault.commit(&device, [T.draft("novel")])
        try vault.commit(&device, [T.draft("letters")])
        try Checkpoint.write(try history(), to: vault.vault)
        let planted = try plant([T.draft("novel", .full([T.member(""), T.member("lie")]))], as: first.commit)

        for history in [try history(), try History.loadLatest(vault.vault)] {
            #expect(history.unread == [first, planted])
            #expect(history.versions[T.version(first)] == nil)
            #expect(history.state().live.map(\.shown.header.path) == [T.path("letters")])
        }
    }

    @Test("Who reads one commit after the other passes over twins too")
    func walkedTwins() throws {
        var device = T.Device(1)
        let first = try vault.commit(&device, [T.draft("novel")])
        let planted = try plant([], as: first.commit)
        let second = try vault.commit(&device, [T.draft("letters")])
        var visited: [LogPosition] = []

        let history = try History.walk(vault.vault) { entry, _ in visited.append(entry.position) }

        #expect(visited == [second])
        #expect(history.damaged.count == 2)
        #expect(history.missing.isEmpty)
        #expect(!visited.contains(planted))
    }

    @Test("A version is never read in another object")
    func otherObject() throws {
        let members = (0..<50).map { T.member("\($0)", .file(size: 0, chunks: [])) }
        var (one, other) = (Self.draft, Self.draft)
        one.versions = [T.draft("novel", .full([T.member("")] + members))]
        other.versions = [T.draft("a")]
        let objects = try [one, other, Self.draft].map {
            try RecordObject(commit: try $0.plaintext(), at: RecordTests.position)
        }

        #expect(throws: FormatError.self) { try objects[0].versions[0].changes(in: objects[1]) }
        #expect(throws: FormatError.self) { try objects[0].versions[0].changes(in: objects[2]) }
    }

    private static var draft: CommitDraft {
        CommitDraft(
            CommitRecord(
                previous: CommitID(9), time: Timestamp(milliseconds: 0), isSnapshot: true, isPartial: false, seen: []))
    }

    // MARK: Checkpoints

    @Test("A checkpoint that keeps a version of a commit that it does not cover is not begun with")
    func foreignKeptVersion() throws {
        var device = T.Device(1)
        let first = try vault.commit(&device, [T.draft("novel")])
        let second = try vault.commit(&device, [T.draft("letters")])
        let kept = T.version(second)
        try plantCheckpoint(covering: [first], keeping: [(kept, T.draft("lie", project: kept))])

        let live = try History.loadLatest(vault.vault).state().live

        #expect(live.map(\.shown.header.path) == [T.path("letters"), T.path("novel")])
    }

    @Test("What a checkpoint keeps of commits that can be read does not count")
    func keptBesideCommits() throws {
        var device = T.Device(1)
        let first = try vault.commit(&device, [T.draft("novel")])
        let second = try vault.commit(&device, [T.draft("letters")])
        try plantCheckpoint(
            covering: [second], keeping: [(T.version(first, 7), T.draft("lie", project: T.version(first, 7)))])
        vault.store.set(ObjectRecordLog.name(of: second).text, to: nil)

        let history = try history()

        #expect(history.state().live.map(\.shown.header.path) == [T.path("novel")])
    }

    @Test("A checkpoint that keeps a version twice is refused")
    func keptTwice() throws {
        var device = T.Device(1)
        let first = try vault.commit(&device, [T.draft("novel")])
        let id = T.version(first)
        try plantCheckpoint(
            covering: [first], keeping: [(id, T.draft("lie", project: id)), (id, T.draft("novel", project: id))])

        #expect(try History.loadLatest(vault.vault).state().live.map(\.shown.header.path) == [T.path("novel")])
    }

    @Test("A checkpoint that keeps a record of a commit twice is refused")
    func keptNoteTwice() throws {
        let kept = Note(
            position: LogPosition(device: .test(1), generation: 1, commit: CommitID(1)), number: 0,
            content: .unpinned([])
        ).encodeKept()
        var coverage = ByteWriter()
        coverage.marks([CommitMark(LogPosition(device: .test(1), generation: 1, commit: CommitID(1)), nil)])
        for count in 1...2 {
            var records = RawRecords().adding(6, coverage.bytes)
            for _ in 0..<count { records.add(20, kept) }
            let plaintext = records.signed(SealContext(raw: []), by: TestKeys.key(1))
            let object = Result { try RecordObject(checkpoint: plaintext) }
            #expect((try? object.get()) != nil || count == 2)
            guard count == 2 else { continue }
            #expect(throws: FormatError.invalid(.repeatedNote)) { try object.get() }
        }
    }

    private func plantCheckpoint(covering ends: [LogPosition], keeping versions: [(VersionID, VersionDraft)]) throws {
        var coverage = ByteWriter()
        coverage.marks(ends.map { CommitMark($0, nil) })
        var records = RawRecords().adding(6, coverage.bytes)
        for (id, draft) in versions {
            var body = ByteWriter()
            body.id(id)
            body.id(ends[0].device)
            body.svarint(0)
            body.raw(draft.encode { _ in nil })
            records.add(5, body.bytes)
        }
        let count = ends.reduce(0) { $0 + Int($1.generation) }
        let name = ObjectName("checkpoints/00000000000\(count)-\(UInt64(versions.count).hexadecimal)")
        var plaintext = records.signed(
            vault.vault.context(.checkpoint, name), by: TestKeys.key(of: ends[0].device))
        plaintext += [UInt8](repeating: 0, count: Padding.ofRecords(after: plaintext.count))
        vault.store.set(
            name.text,
            to: vault.vault.seal(plaintext, .checkpoint, name))
    }

    // MARK: Parents

    @Test("A version of another document, or that names itself, takes no document away")
    func strayParents() throws {
        var device = T.Device(1)
        let first = try vault.commit(&device, [T.draft("novel"), T.draft("letters")])
        let (novel, letters) = (T.version(first), T.version(first, 1))
        let commit = CommitID(77)
        let itself = VersionID(commit: commit, number: 1)
        try plant(
            [
                T.draft("other", parents: [novel, novel]),
                T.draft("letters", project: letters, parents: [itself, letters]),
            ],
            as: commit)

        let history = try history()

        #expect(history.state().projects[novel]?.heads.map(\.id) == [novel])
        #expect(history.state().projects[letters]?.heads.map(\.id) == [itself])
        #expect(Set(history.strays.keys) == [VersionID(commit: commit, number: 0), itself])
        #expect(FullHistory(history)?.ancestry(of: itself) == [itself, letters])
    }

    @Test("Versions that come from each other supersede nothing, and all of them are shown", arguments: [2, 3, 2_000])
    func circles(_ length: Int) throws {
        var device = T.Device(1)
        let novel = T.version(try vault.commit(&device, [T.draft("novel")]))
        let commit = CommitID(77)
        let ring = (0..<length).map { VersionID(commit: commit, number: UInt32($0)) }
        try plant(
            ring.indices.map { number in
                T.draft(
                    "novel", project: novel, parents: [novel, ring[(number + 1) % length]],
                    .full([T.member(""), T.member("\(number)")]))
            }, as: commit)
        let after = T.version(try vault.commit(&device, [T.draft("novel", project: novel, parents: ring)]))

        let history = try history()

        #expect(Set(history.strays.keys) == Set(ring))
        #expect(history.state().projects[novel]?.headIDs == [novel, after])
        #expect(FullHistory(history)?.ancestry(of: after) == Set(ring + [after]))
    }

    @Test("A ring below which nothing lies leaves its document in conflict, and not gone")
    func ringAlone() throws {
        let commit = CommitID(77)
        let ring = (0..<3).map { VersionID(commit: commit, number: UInt32($0)) }
        try plant(
            ring.indices.map { number in
                T.draft(
                    "\(number)", project: ring[0], parents: [ring[(number + 1) % 3]],
                    .full([T.member(""), T.member("\(number)")]))
            }, as: commit)

        #expect(try history().state().projects[ring[0]]?.headIDs == Set(ring))
    }

    @Test("Parents that come late by their clocks are parents all the same", arguments: 1...20 as ClosedRange<UInt64>)
    func lateParents(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var device = T.Device(1)
        var last = T.version(try vault.commit(&device, [T.draft("novel")]))
        let novel = last
        for _ in 0..<10 {
            last = T.version(
                try vault.commit(
                    &device, [T.draft("novel", project: novel, parents: [last])], time: Int64(generator.int(0...9))))
        }

        let history = try history()

        #expect(history.strays.isEmpty)
        #expect(history.state().projects[novel]?.headIDs == [last])
    }

    @Test("A thousand heads that say the same are one, and a thousand others are all shown")
    func manyHeads() throws {
        var device = T.Device(1)
        let novel = T.version(try vault.commit(&device, [T.draft("novel")]))
        let same = T.draft("novel", project: novel, parents: [novel], .full([T.member(""), T.member("same")]))
        let others = (0..<1_000).map {
            T.draft("novel", project: novel, parents: [novel], .full([T.member(""), T.member("\($0)")]))
        }
        let commit = try plant([T.draft("x")] + [VersionDraft](repeating: same, count: 1_000) + others, as: CommitID(5))

        let project = try #require(try history().state().projects[novel])

        #expect(project.heads.count == 1_001)
        #expect(project.equalHeads.count == 999)
        #expect(project.heads.contains { $0.id == T.version(commit, 1_000) })
    }

    // MARK: Packs

    @Test("A record that lies about a pack is kept beside the true one, and content is read from where it is")
    func lyingRecords() throws {
        var device = T.Device(0x8000)
        let (ids, packs) = try T.store([[1, 2, 3], [4, 5]], in: vault.vault)
        let draft = T.draft("novel", kind: .file, Self.text(ids[0], 3))
        try vault.commit(&device, [draft], packs: packs)
        let block = packs[0].blocks[0]
        let lies = [
            [block.chunks[1], block.chunks[0]],
            [ChunkEntry(id: ids[0], length: 5)],
            [ChunkEntry(id: ids[0], length: 1), ChunkEntry(id: ids[1], length: 4)],
        ].map { chunks in
            PackRecord(
                id: packs[0].id, size: packs[0].size,
                blocks: [
                    BlockRecord(
                        codec: block.codec, storedLength: block.storedLength, rawLength: block.rawLength,
                        chunks: chunks)
                ])
        }
        for (number, lie) in lies.enumerated() {
            try plant([T.draft("\(number)")], as: CommitID(UInt64(number) + 1), of: UInt64(number), packs: [lie])
        }
        var history = try history()
        let present = try history.findPacks(in: vault.vault)

        let reader = try ContentReader(of: vault.vault, history.index, present)
        #expect(try reader.bytes(of: ids[0]) == [1, 2, 3])
        #expect(try reader.bytes(of: ids[1]) == [4, 5])
        let liars = try history.findFalseRecords(in: vault.vault, present)
        #expect(Set(liars.map { history.index.record($0) }) == Set(lies))
        #expect(Set(liars.flatMap { history.commits(naming: $0) }.map(\.commit.value)) == [1, 2, 3])
        #expect(throws: Never.self) { try reader.verify(packs[0]) }
        for lie in lies { #expect(throws: VaultError.self) { try reader.verify(lie) } }
    }

    @Test("A claim that a chunk lies elsewhere costs nothing but a look", arguments: [[9, 9, 9], [9]] as [[UInt8]])
    func lyingPlaces(_ other: [UInt8]) throws {
        var device = T.Device(0x8000)
        let (ids, packs) = try T.store([[1, 2, 3]], in: vault.vault)
        let (_, own) = try T.store([other], in: vault.vault)
        try vault.commit(&device, [T.draft("novel", kind: .file, Self.text(ids[0], 3))], packs: packs)
        let block = own[0].blocks[0]
        let lie = PackRecord(
            id: own[0].id, size: own[0].size,
            blocks: [
                BlockRecord(
                    codec: block.codec, storedLength: block.storedLength, rawLength: block.rawLength,
                    chunks: [ChunkEntry(id: ids[0], length: UInt32(other.count))])
            ])
        let planted = try plant([T.draft("x")], as: CommitID(1), of: 0, packs: [lie])
        var history = try history()
        let present = try history.findPacks(in: vault.vault)

        let reader = try ContentReader(of: vault.vault, history.index, present)
        #expect(try reader.bytes(of: ids[0]) == [1, 2, 3])
        let liars = try history.findFalseRecords(in: vault.vault, present)
        #expect(liars.flatMap { history.commits(naming: $0) } == [planted])
        history.take(present, liars: liars)
        #expect(history.index.location(of: ids[0])?.length == 3)
    }

    @Test("Many lying places of one chunk do not hide the true one")
    func manyLyingPlaces() throws {
        let (ids, packs) = try T.store([[1, 2, 3]], in: vault.vault)
        var index = ChunkIndex()
        for number in 0..<100 {
            let (_, own) = try T.store([[UInt8(number), 9, 9]], in: vault.vault)
            let block = own[0].blocks[0]
            index.add(
                PackRecord(
                    id: own[0].id, size: own[0].size,
                    blocks: [
                        BlockRecord(
                            codec: block.codec, storedLength: block.storedLength, rawLength: block.rawLength,
                            chunks: [ChunkEntry(id: ids[0], length: 3)])
                    ]))
        }
        index.add(packs[0])
        index.prepare()

        let reader = try ContentReader(of: vault.vault, index, vault.vault.presentPacks())

        #expect(try reader.bytes(of: ids[0]) == [1, 2, 3])
        #expect(reader.liars.count == 100)
        // From then on it is asked first.
        #expect(try reader.bytes(of: ids[0]) == [1, 2, 3])
    }

    @Test("Ids that are made to meet in one slot of the table are found in no more time than others")
    func collidingIDs() {
        let chunks = (0..<200_000).map { ChunkEntry(id: ChunkID(a: 1, b: 2, c: 3, d: $0), length: 1) }
        let block = BlockRecord(codec: .stored, storedLength: 200_000, rawLength: 200_000, chunks: chunks)
        let index = ChunkIndex([PackRecord(id: PackID(high: 1, low: 1), size: 4096, blocks: [block])])

        for chunk in chunks { #expect(index.location(of: chunk.id) != nil) }
    }
}
