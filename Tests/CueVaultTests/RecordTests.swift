import CueBase
import CueCrypto
import CueStorage
import CueTestSupport
import Testing

@testable import CueVault

@Suite("Records")
struct RecordTests {
    static let position = LogPosition(
        device: DeviceID(high: 7, low: 7), generation: 3, commit: CommitID(0x7f3a_91c2_0011_2233))

    @Test("A commit of any shape is read as it was written", arguments: 1...150 as ClosedRange<UInt64>)
    func roundTrip(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let draft = generator.commit()

        let object = try RecordObject(commit: try draft.plaintext(), at: Self.position)

        let commit = try #require(object.commit)
        #expect(commit.previous == draft.commit.previous)
        #expect(commit.time == draft.commit.time)
        #expect(commit.isSnapshot == draft.commit.isSnapshot)
        #expect(commit.isPartial == draft.commit.isPartial)
        #expect(commit.seen == draft.commit.seen)
        #expect(object.devices == draft.devices)
        #expect(object.packs.map { $0.encode() } == draft.packs.map { $0.encode() })
        #expect(object.versions.count == draft.versions.count)
        #expect(object.notes.map { $0.content.encode() } == draft.notes.map { $0.encode() })
        for (number, (version, written)) in zip(object.versions, draft.versions).enumerated() {
            try expect(version, of: object, is: written, number)
        }
    }

    @Test("A first commit follows none")
    func firstCommit() {
        let first = LogPosition(device: DeviceID(high: 7, low: 7), generation: 1, commit: CommitID(1))

        #expect(throws: Never.self) { try RecordObject(commit: RawRecords.commit(previous: 0).plaintext, at: first) }
        #expect(throws: FormatError.self) {
            try RecordObject(commit: RawRecords.commit(previous: 9).plaintext, at: first)
        }
    }

    private func expect(
        _ version: RecordObject.Version, of object: RecordObject, is draft: VersionDraft, _ number: Int
    ) throws {
        let header = version.header
        #expect(header.id == VersionID(commit: Self.position.commit, number: UInt32(number)))
        #expect(header.project == draft.project ?? header.id)
        #expect(header.parents == draft.parents)
        #expect(header.path == draft.path)
        #expect(header.kind == draft.kind)
        #expect(header.edited == draft.edited)
        #expect(header.isUnsettled == draft.isUnsettled)
        let changes = try version.changes(in: object)
        #expect(changes.put == draft.members)
        switch draft.body {
        case .tombstone: #expect(header.isTombstone && !header.isDelta)
        case .full: #expect(!header.isTombstone && !header.isDelta)
        case .delta(let removed, _): #expect(header.isDelta && changes.removed == removed)
        }
    }

    @Test("Neighbouring chunks of the same commit are one run, whatever their number")
    func runs() throws {
        var generator = SeededGenerator(seed: 1)
        let entries = (0..<1_000).map { _ in ChunkEntry(id: generator.chunkID(), length: 1) }
        let block = BlockRecord(codec: .stored, storedLength: 1_000, rawLength: 1_000, chunks: entries)
        var draft = CommitDraft(
            CommitRecord(
                previous: CommitID(9), time: generator.time(), isSnapshot: true, isPartial: false, seen: []))
        draft.packs = [PackRecord(id: PackID(high: 1, low: 1), size: 4096, blocks: [block])]
        let member = generator.member(.root, .file(size: 1_000, chunks: entries.map(\.id)))
        draft.versions = [
            VersionDraft(
                project: nil, parents: [], path: RelativePath(trusted: [0x61]), kind: .file, edited: generator.time(),
                isUnsettled: false, body: .full([member]))
        ]

        let ordinals = draft.packs.ordinals
        let withOrdinals = draft.versions[0].encode { ordinals[$0] }
        let withIDs = draft.versions[0].encode { _ in nil }

        #expect(withOrdinals.count < 300)
        #expect(withIDs.count > 32_000)
        let object = try RecordObject(commit: try draft.plaintext(), at: Self.position)
        #expect(try object.versions[0].changes(in: object).put == [member])
    }

    @Test("Commits over 16 KiB have sizes of few significant bits, and grow by an eighth at most")
    func padme() {
        var sizes: Set<Int> = []
        for count in stride(from: 1, to: 1 << 20, by: 61) {
            let size = SealedObject.size(count + Padding.ofRecords(after: count))
            sizes.insert(size)
            #expect(size % 1024 == 0 && (size <= count + 1_200 || size * 8 <= count * 9), "\(count) gives \(size)")
        }
        #expect(sizes.count < 180)
    }

    @Test("A commit has a sealed size that is a multiple of 1,024", arguments: 1...20 as ClosedRange<UInt64>)
    func padding(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let vault = TestVault(seed: seed)
        let position = LogPosition(device: .test(1, in: vault.vault.id), generation: 2, commit: CommitID(1))

        let size = try vault.vault.append(generator.commit(), at: position).size

        #expect(size % 1024 == 0)
        #expect(vault.store.bytes(of: ObjectRecordLog.name(of: position).text)?.count == size)
    }

    @Test("Sizes that no message has are stepped over by the padding")
    func impossiblePadding() {
        // docs/format.md §3 names them: the first multiples of 1,024 and of 4,096 that no message has.
        for size in [984_064, 4_132_864] {
            for count in size - 6_000..<size {
                let records = SealedObject.size(count + Padding.ofRecords(after: count))
                let pack = SealedObject.size(count + Padding.ofPack(after: count, before: 0))
                if records % 1024 != 0 || pack % 4096 != 0 || SealedObject.plainSize(records) == nil
                    || SealedObject.plainSize(pack) == nil
                {
                    Issue.record("\(count) gives \(records) and \(pack)")
                }
            }
        }
    }

    @Test("Names of packs are the ones in docs/format.md, and only those")
    func packNames() {
        let id = PackID(high: 0xab00_0000_0000_0000, low: 1)
        let name = PackRecord.name(of: id)

        #expect(name.text == "packs/ab/ab000000000000000000000000000001")
        #expect(PackRecord.id(of: name) == id)
        for other in [
            "packs/ac/ab000000000000000000000000000001", "packs/ab000000000000000000000000000001",
            "packs/ab/ab00000000000000000000000000001", "packs/ab/ab/ab000000000000000000000000000001",
            "logs/ab/ab000000000000000000000000000001", "packs/ab/ab000000000000000000000000000001.part",
        ] { #expect(PackRecord.id(of: ObjectName(other)) == nil, "\(other)") }
    }
}
