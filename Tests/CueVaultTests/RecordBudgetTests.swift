import CueBase
import CueCrypto
import CueStorage
import CueSystem
import CueTestSupport
import CueZstd
import Testing

@testable import CueVault

/// Small objects that open to much (docs/format.md §10).
@Suite("Budgets of objects")
struct RecordBudgetTests {
    private let vault = TestVault()
    private typealias T = TestVault
    private typealias Raw = RawRecords

    private static func frame(_ records: [UInt8]) throws -> [UInt8] {
        var out = [UInt8](repeating: 0, count: ZstdCompressor.bound(records.count))
        var target = out.mutableSpan
        let length = try ZstdCompressor(level: 3).compress(records.span, into: &target)
        return RawRecords.frame(codec: 1, raw: records.count, Array(out[..<length]))
    }

    private static func read(_ plaintext: [UInt8]) throws -> RecordObject {
        try RecordObject(commit: plaintext + Raw.signature, at: RecordTests.position)
    }

    private static let head = Raw.commit().unsigned

    // MARK: What is refused

    @Test("Frames that open to far more than an object of its size holds are refused before they are opened")
    func frames() throws {
        let zeros = try Self.frame(RawRecords().adding(99, [UInt8](repeating: 0, count: 20 << 20)).bytes)

        #expect(zeros.count < 4_000)
        #expect(throws: Never.self) { try Self.read(Self.head + zeros) }
        #expect(throws: FormatError.self) { try Self.read(Self.head + zeros + zeros) }
    }

    @Test("Zeros behind the frames buy nothing")
    func padding() throws {
        let bomb = try Self.frame(RawRecords().adding(99, [UInt8](repeating: 0, count: 20 << 20)).bytes)

        #expect(throws: FormatError.self) {
            try RecordObject(
                commit: Self.head + bomb + bomb + Raw.signature + [UInt8](repeating: 0, count: 4 << 20),
                at: RecordTests.position)
        }
    }

    @Test("Many versions in next to no bytes are refused, and so are many members and many devices")
    func things() throws {
        let tombstone = RawRecords().adding(4, Raw.version(flags: 2, project: Raw.id12, [])).bytes
        let device = RawRecords().adding(2, Raw.id16 + Raw.text("a") + [0]).bytes
        for record in [tombstone, device] {
            let few = try Self.frame([UInt8](repeatedly: record, 50_000))
            let many = try Self.frame([UInt8](repeatedly: record, 200_000))
            #expect(throws: Never.self) { try Self.read(Self.head + few) }
            #expect(throws: FormatError.self) { try Self.read(Self.head + many) }
        }
        let member = Raw.member("a", kind: 2)
        let version = Raw.version(Raw.varint(200_000) + [UInt8](repeatedly: member, 200_000))
        let members = try Self.frame(RawRecords().adding(4, version).bytes)
        #expect(throws: FormatError.self) { try Self.read(Self.head + members) }
    }

    @Test("Runs that name the same chunks again and again are refused, in one version and in many")
    func runs() throws {
        let chunks = [UInt64](repeating: 1, count: 1_000)
        let pack = Raw.pack([Raw.block(stored: 1_000, raw: 1_000, chunks: chunks)])
        func object(_ versions: Int, _ runs: Int) throws -> [UInt8] {
            let file = Raw.member(
                "", kind: 1,
                Raw.varint(1) + Raw.varint(UInt64(runs)) + [UInt8](repeatedly: Raw.run(1_000, 1), runs))
            let version = Raw.version(kind: 1, Raw.members(file))
            return try Self.head
                + Self.frame(
                    RawRecords().adding(3, pack).bytes
                        + [UInt8](repeatedly: RawRecords().adding(4, version).bytes, versions))
        }

        #expect(throws: Never.self) { try Self.read(try object(1, 2_000)) }
        #expect(throws: FormatError.self) { try Self.read(try object(1, 2_100)) }
        #expect(throws: FormatError.self) { try Self.read(try object(2_000, 2)) }
    }

    @Test("Chunks that are named by id count like those that are named by number")
    func repeatedIDs() throws {
        let pack = Raw.pack([Raw.block(stored: 1_000, raw: 1_000, chunks: [UInt64](repeating: 1, count: 1_000))])
        let runs = [UInt8](repeatedly: Raw.run(1_000, 1), 2_000)
        let numbered = Raw.version(kind: 1, Raw.members(Raw.member("", kind: 1, [1] + Raw.varint(2_000) + runs)))
        let ids = Raw.varint(100_000) + [0] + [UInt8](repeating: 7, count: 32 * 100_000)
        let named = Raw.version(kind: 1, Raw.members(Raw.member("", kind: 1, [1, 1] + ids)))
        let (numbers, names) = (RawRecords().adding(3, pack).adding(4, numbered), RawRecords().adding(4, named).bytes)

        #expect(throws: Never.self) { try Self.read(Self.head + Self.frame(numbers.bytes)) }
        #expect(throws: Never.self) { try Self.read(Self.head + Self.frame(names)) }
        #expect(throws: FormatError.self) { try Self.read(Self.head + Self.frame(numbers.bytes + names)) }
    }

    @Test("A version may not name more chunks than one may, however large its object, in one file or in many")
    func chunksOfVersion() throws {
        let pack = Raw.pack([Raw.block(stored: 1_000, raw: 1_000, chunks: [UInt64](repeating: 1, count: 1_000))])
        func version(_ files: Int, _ runs: Int) -> [UInt8] {
            let body =
                Raw.varint(1) + Raw.varint(UInt64(runs)) + [UInt8](repeatedly: Raw.run(1_000, 1), runs)
            let members = (0..<files).flatMap { Raw.member("\($0)", kind: 1, body) }
            return Raw.version(kind: 4, Raw.varint(UInt64(files + 1)) + Raw.folder + members)
        }
        // What no reader knows is passed over, and counts as bytes.
        let bytes = RawRecords().adding(99, [UInt8](repeating: 0, count: 50 << 20)).bytes
        let records = RawRecords().adding(3, pack).adding(4, version(1, 2_000)).adding(4, version(1, 2_098))
            .adding(4, version(2, 1_049))
        let object = try Self.read(
            Self.head + RawRecords.frame(codec: 0, raw: bytes.count, bytes) + Self.frame(records.bytes))

        #expect(throws: Never.self) { try object.versions[0].changes(in: object) }
        #expect(throws: FormatError.outOfRange) { try object.versions[1].changes(in: object) }
        #expect(throws: FormatError.outOfRange) { try object.versions[2].changes(in: object) }
    }

    @Test("Objects that each open to as much as one may are not all kept")
    func together() throws {
        let body = RawRecords().adding(
            4,
            Raw.version(
                Raw.members(
                    Raw.member(
                        "", kind: 2,
                        attributes: [1] + Raw.text("a") + Raw.varint(1 << 20) + [UInt8](repeating: 0, count: 1 << 20))))
        ).bytes
        let bodies = [UInt8](repeatedly: body, 30)
        let frames = try Self.head + Self.frame(bodies)
        for number in 1...12 as ClosedRange<UInt64> {
            let position = LogPosition(device: .test(number), generation: 2, commit: CommitID(number))
            let name = ObjectRecordLog.name(of: position)
            let plaintext =
                frames
                + Raw.signature(
                    of: Raw.commit().bytes + bodies, vault.vault.context(.commit, name), by: TestKeys.key(number))
            let zeros = [UInt8](repeating: 0, count: Padding.ofRecords(after: plaintext.count))
            vault.store.set(
                name.text,
                to: vault.vault.seal(plaintext + zeros, .commit, name))
        }

        let history = try History.load(vault.vault)

        #expect(history.commits.count == 2)
        #expect(history.damaged.count == 10)
    }

    @Test("Objects that each name as many chunks as one may are not all kept")
    func togetherChunks() throws {
        let pack = Raw.pack([Raw.block(stored: 1_000, raw: 1_000, chunks: [UInt64](repeating: 1, count: 1_000))])
        let runs = [UInt8](repeatedly: Raw.run(1_000, 1), 1_500)
        let version = Raw.version(kind: 1, Raw.members(Raw.member("", kind: 1, [1] + Raw.varint(1_500) + runs)))
        let records = RawRecords().adding(3, pack).adding(4, version).bytes
        let frames = try Self.head + Self.frame(records)
        for number in 1...8 as ClosedRange<UInt64> {
            let position = LogPosition(device: .test(number), generation: 2, commit: CommitID(number))
            let name = ObjectRecordLog.name(of: position)
            let plaintext =
                frames
                + Raw.signature(
                    of: Raw.commit().bytes + records, vault.vault.context(.commit, name), by: TestKeys.key(number))
            vault.store.set(name.text, to: vault.vault.seal(plaintext, .commit, name))
        }

        let history = try History.load(vault.vault)

        #expect((1...3).contains(history.commits.count))
    }

    @Test("A batch of events has the same bound")
    func events() throws {
        let position = LogPosition(device: .test(1), generation: 1, commit: CommitID(1))
        let name = ObjectRecordLog.name(of: position, .events)
        let bomb = try Self.frame(RawRecords().adding(8, [UInt8](repeating: 0, count: 30 << 20)).bytes)
        let head = RawRecords().adding(7, [UInt8](repeating: 0, count: 9)).unsigned
        let sealed = vault.vault.seal(head + bomb + bomb, .events, name)
        vault.store.set(name.text, to: sealed)
        let entry = try #require(try vault.vault.eventLog.all().first)

        #expect(throws: VaultError.self) { _ = try vault.vault.readEvents(entry) { _ in } }
    }

    // MARK: What writers do

    @Test("What compresses to next to nothing is written so that it can be read again")
    func writers() throws {
        let attribute = ExtendedAttribute(name: [1], value: [UInt8](repeating: 0, count: 1 << 20))
        let drafts = (0..<60).map { number in
            var member = T.member("")
            member.attributes = [attribute]
            return T.draft("\(number)", .full([member]))
        }
        var device = T.Device(1)

        let position = try vault.commit(&device, drafts)
        try Checkpoint.write(try History.load(vault.vault), to: vault.vault)

        for history in [try History.load(vault.vault), try History.loadLatest(vault.vault)] {
            #expect(history.state().live.count == 60)
            #expect(try history.members(of: T.version(position, 59))[0].attributes == [attribute])
        }
        #expect(try History.loadLatest(vault.vault).isSummary)
    }

    @Test("What stands behind much that compresses well can be read again, however short it is")
    func shortEnd() throws {
        func draft(_ name: String, zeros: Int) -> VersionDraft {
            var member = T.member("")
            member.attributes = [ExtendedAttribute(name: [1], value: [UInt8](repeating: 0, count: zeros))]
            return T.draft(name, .full([member]))
        }
        // The large ones keep just within the budget, and the small ones go beyond it.
        let large = (0..<32).map { draft("large\($0)", zeros: (1 << 20) - 1_000) }
        let small = (0..<200).map { draft("small\($0)", zeros: 1) }
        var device = T.Device(1)

        try vault.commit(&device, large + small)
        try Checkpoint.write(try History.load(vault.vault), to: vault.vault)

        #expect(try History.load(vault.vault).state().live.count == 232)
        #expect(try History.loadLatest(vault.vault).state().live.count == 232)
        #expect(try History.loadLatest(vault.vault).isSummary)
    }

    @Test("However often documents hold the same pieces, no object that cue writes names more than its size allows")
    func copies() throws {
        var random = SeededGenerator(seed: 4)
        var device = T.Device(1)
        var known: [ChunkID] = []
        for commit in 0..<60 {
            let (ids, packs) = try T.store((0..<random.int(1...9)).map { _ in random.bytes(500) }, in: vault.vault)
            known += ids
            // A few pieces many times, all pieces by turns, and each once.
            let lists = [
                (0..<random.int(1...2_000)).map { ids[$0 % ids.count] },
                (0..<random.int(1...200)).map { _ in known[random.int(0...known.count - 1)] }, known, ids,
            ]
            let drafts = lists.enumerated().map { number, chunks in
                T.draft(
                    "\(commit)-\(number)", kind: .file,
                    .full([T.member("", .file(size: Int64(chunks.count * 500), chunks: chunks))]))
            }
            let position = try vault.commit(&device, drafts, packs: packs)

            let entry = try #require(try vault.vault.log.all().first { $0.position == position })
            let object = try vault.vault.commit(entry)
            #expect(object.excess == RecordBudget.Excess())
            for (version, chunks) in zip(object.versions, lists) {
                #expect(try version.changes(in: object).put[0].chunks == chunks)
            }
        }
        let name = try #require(try Checkpoint.write(try History.load(vault.vault), to: vault.vault))
        let size = try #require(try Checkpoint.entries(in: vault.vault).first { $0.name == name }).size
        #expect(try Checkpoint.read(name, size: size, of: vault.vault).excess == RecordBudget.Excess())
    }

    @Test("A file of nothing but equal pieces is read again")
    func equalPieces() throws {
        let (ids, packs) = try T.store([[UInt8](repeating: 0, count: 1 << 20)], in: vault.vault)
        var device = T.Device(1)
        let chunks = [ChunkID](repeating: ids[0], count: 1 << 17)
        let file = T.member("", .file(size: 1 << 37, chunks: chunks))

        let position = try vault.commit(&device, [T.draft("disk", kind: .file, .full([file]))], packs: packs)

        #expect(try History.load(vault.vault).members(of: T.version(position)) == [file])
    }
}

extension [UInt8] {
    fileprivate init(repeatedly part: [UInt8], _ count: Int) {
        self.init()
        reserveCapacity(part.count * count)
        for _ in 0..<count { append(contentsOf: part) }
    }
}
