import CueBase
import CueCrypto
import CueStorage
import CueSystem
import CueTestSupport
import CueZstd
import Testing

@testable import CueVault

/// Blocks that are stored as the difference from other chunks, and blocks that stand in their commit (docs/format.md §5
/// and §6).
@Suite("Deltas and inline blocks")
struct DeltaTests {
    private let vault = TestVault()
    private var generator = SeededGenerator(seed: 16)

    private static func compressed(_ bytes: [UInt8], after prefix: [UInt8]) throws -> [UInt8] {
        var out = [UInt8](repeating: 0, count: ZstdCompressor.bound(bytes.count))
        var target = out.mutableSpan
        let length = try ZstdCompressor(level: 3).compress(bytes.span, after: prefix.span, into: &target)
        return Array(out[..<length])
    }

    private func id(_ bytes: [UInt8]) -> ChunkID { vault.vault.chunkID(of: bytes.span) }

    /// A pack with these blocks, sealed as whoever has the key can.
    private func pack(_ number: UInt64, _ blocks: [(record: BlockRecord, stored: [UInt8])]) -> PackRecord {
        let draft = PackRecord(id: PackID(high: number, low: 1), size: 0, blocks: blocks.map(\.record))
        var plain = ByteWriter()
        for block in blocks { plain.raw(block.stored) }
        plain.raw(draft.footer())
        plain.u32(UInt32(draft.footer().count))
        let sealed = vault.vault.seal(plain.bytes, .pack, draft.name)
        vault.store.set(draft.name.text, to: sealed)
        return PackRecord(id: draft.id, size: sealed.count, blocks: draft.blocks)
    }

    private func whole(_ bytes: [UInt8]) -> (BlockRecord, [UInt8]) {
        let chunk = ChunkEntry(id: id(bytes), length: UInt32(bytes.count))
        return (
            BlockRecord(codec: .stored, storedLength: bytes.count, rawLength: bytes.count, chunks: [chunk]), bytes
        )
    }

    /// A delta of `bytes` that was made against `prefix`, and names `bases`.
    private func delta(_ bytes: [UInt8], after prefix: [UInt8], naming bases: [ChunkID]) throws -> (
        BlockRecord, [UInt8]
    ) {
        let stored = try Self.compressed(bytes, after: prefix)
        let chunk = ChunkEntry(id: id(bytes), length: UInt32(bytes.count))
        return (
            BlockRecord(
                codec: .delta, storedLength: stored.count, rawLength: bytes.count, bases: bases, chunks: [chunk]),
            stored
        )
    }

    private func reader(_ packs: [PackRecord]) throws -> ContentReader {
        try ContentReader(of: vault.vault, ChunkIndex(packs), vault.vault.presentPacks())
    }

    // MARK: Reading

    @Test("A delta is read with its bases, from a few bytes, and a check reads it too")
    mutating func reads() throws {
        let (one, two) = (generator.bytes(40_000), generator.bytes(30_000))
        let text = Array(one[..<20_000]) + [1, 2, 3] + Array(two[5_000...])
        let bases = pack(1, [whole(one), whole(two)])
        let block = try delta(text, after: one + two, naming: [id(one), id(two)])
        let edited = pack(2, [block])

        let reader = try reader([bases, edited])

        #expect(block.1.count < 100)
        #expect(try reader.bytes(of: id(text)) == text)
        #expect(throws: Never.self) { try reader.verify(edited) }
        var bytes = ByteReader(edited.encode())
        #expect(try PackRecord(&bytes) == edited)
    }

    @Test("A base that is not there makes its delta unreadable, and counts as lost content")
    mutating func missingBase() throws {
        let base = generator.bytes(9_000)
        let text = base + [7]
        let bases = pack(1, [whole(base)])
        let edited = pack(2, [try delta(text, after: base, naming: [id(base)])])

        #expect(throws: VaultError.missing(.unplacedContent)) { try reader([edited]).bytes(of: id(text)) }
        vault.store.set(bases.name.text, to: nil)
        var index = ChunkIndex([bases, edited])
        #expect(!index.lacks(id(text)) && index.isPlaced(id(text)) && !ChunkIndex([edited]).isPlaced(id(text)))
        let present = try vault.vault.presentPacks()
        index.prepare(isThere: present.holds)
        #expect(index.lacks(id(text)))
        #expect(throws: VaultError.missing(.object(bases.name.text))) {
            try reader([bases, edited]).bytes(of: id(text))
        }

        // Stored in full, the text is there again, and is found there first.
        var mended = ChunkIndex([bases, edited, pack(4, [whole(text)])])
        mended.prepare(isThere: try vault.vault.presentPacks().holds)
        #expect(!mended.lacks(id(text)) && mended.location(of: id(text)).map { mended.packNumber(of: $0) } == 2)

        // Stored again elsewhere, it serves as before.
        let again = pack(3, [whole(base)])
        #expect(try reader([bases, edited, again]).bytes(of: id(text)) == text)
    }

    @Test("A delta on a delta, on itself, or on bytes that are not those of the base, is damage")
    mutating func lyingBases() throws {
        let base = generator.bytes(9_000)
        let (text, third) = (base + [7], base + [8, 9])
        let bases = pack(1, [whole(base)])
        let edited = pack(2, [try delta(text, after: base, naming: [id(base)])])
        let nested = pack(3, [try delta(third, after: text, naming: [id(text)])])
        let selfish = pack(4, [try delta(third, after: third, naming: [id(third)])])
        let other = pack(5, [whole(generator.bytes(9_000))])
        let false6 = PackRecord(
            id: other.id, size: other.size,
            blocks: [
                BlockRecord(
                    codec: .stored, storedLength: 9_000, rawLength: 9_000,
                    chunks: [ChunkEntry(id: id(base), length: 9_000)])
            ])

        for pack in [nested, selfish] {
            #expect(throws: VaultError.damaged(.object(pack.name.text), .impossibleBase)) {
                try reader([bases, edited, pack]).bytes(of: id(third))
            }
        }
        #expect(throws: VaultError.damaged(.object(other.name.text), .otherChunk)) {
            try reader([false6, edited]).bytes(of: id(text))
        }
    }

    @Test("Bases of more than 16 MiB together are refused before they are opened, also where few bytes say so")
    mutating func longBases() throws {
        let large = (0..<3).map { [UInt8](repeating: UInt8($0), count: 8 << 20) }
        let bases = try pack(
            1,
            large.map { bytes in
                let stored = try Self.compressed(bytes, after: [])
                return (
                    BlockRecord(
                        codec: .zstd, storedLength: stored.count, rawLength: bytes.count,
                        chunks: [ChunkEntry(id: id(bytes), length: UInt32(bytes.count))]), stored
                )
            })
        let text: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
        let edited = pack(2, [try delta(text, after: [], naming: large.map(id))])

        #expect(throws: VaultError.damaged(.object(edited.name.text), .impossibleBase)) {
            try reader([bases, edited]).bytes(of: id(text))
        }
    }

    @Test("A delta without a base, with five, or with one twice, is no block; nor is another codec with one")
    func impossibleBases() throws {
        typealias Raw = RawRecords
        let chunk = Raw.varint(1) + Raw.id32(9) + Raw.varint(1)
        let bases: [[UInt8]] = [
            [0], [5] + (0..<5).flatMap { Raw.id32($0) }, [2] + Raw.id32(1) + Raw.id32(1), Raw.varint(1 << 40),
        ]
        for bases in bases {
            let plaintext = Raw.commit().adding(3, Raw.pack([[2, 1, 1] + bases + chunk])).plaintext
            #expect(throws: FormatError.self) { try RecordObject(commit: plaintext, at: RecordTests.position) }
        }
        let good = Raw.commit().adding(3, Raw.pack([[2, 1, 1, 1] + Raw.id32(1) + chunk])).plaintext
        #expect(throws: Never.self) { try RecordObject(commit: good, at: RecordTests.position) }
        let stored = Raw.commit().adding(3, Raw.pack([[0, 1, 1, 1] + Raw.id32(1) + chunk])).plaintext
        #expect(throws: FormatError.self) { try RecordObject(commit: stored, at: RecordTests.position) }
    }

    // MARK: Inline blocks

    /// A commit whose own blocks hold these chunks.
    private func commit(_ chunks: [[UInt8]], _ device: inout TestVault.Device) throws -> (LogPosition, PackRecord) {
        let uploads = PackUploads(isForCommit: true)
        let writer = try PackWriter(for: vault.vault, uploads)
        for chunk in chunks { try writer.add(chunk.span, id: id(chunk)) }
        try writer.finish()
        #expect(try uploads.finish().isEmpty)
        let inline = uploads.takeInline()
        let position = try vault.commit(
            &device, [TestVault.draft("a", kind: .file, .full([TestVault.member("", .file(size: 3, chunks: []))]))],
            inline: inline)
        return (position, PackRecord(inlineIn: position, blocks: inline.blocks))
    }

    @Test("Little content stands in its commit, and is found through the history; a checkpoint names it too")
    mutating func inline() throws {
        let text = generator.bytes(5_000)
        var device = TestVault.Device(1)
        let uploads = PackUploads(isForCommit: true)
        let writer = try PackWriter(for: vault.vault, uploads)
        try writer.add(text.span, id: id(text))
        try writer.finish()
        let member = TestVault.member("", .file(size: 5_000, chunks: [id(text)]))
        let position = try vault.commit(
            &device, [TestVault.draft("a", kind: .file, .full([member]))], inline: uploads.takeInline())
        #expect(try vault.vault.objects.list("packs").isEmpty)

        var history = try History.load(vault.vault)
        let packs = try history.findPacks(in: vault.vault)
        let reader = try ContentReader(of: vault.vault, history.index, packs)
        #expect(try reader.bytes(of: id(text)) == text)
        #expect(throws: Never.self) { try reader.verify(packNumber: 0) }
        #expect(history.index.packs[0].name == ObjectRecordLog.name(of: position))

        try Checkpoint.write(history, to: vault.vault)
        let summary = try History.loadLatest(vault.vault)
        #expect(summary.isSummary)
        #expect(try ContentReader(of: vault.vault, summary.index, packs).bytes(of: id(text)) == text)
    }

    @Test("A file that bears a commit's id and is none takes nothing from its own blocks")
    mutating func strangersFile() throws {
        var device = TestVault.Device(1)
        let text = generator.bytes(2_000)
        let (position, record) = try commit([text], &device)
        for other in [DeviceID(high: 0, low: 0), DeviceID(high: .max, low: .max), position.device] {
            let name = ObjectRecordLog.name(of: LogPosition(device: other, generation: 7, commit: position.commit))
            vault.store.set(name.text, to: Array("junk".utf8))
        }

        let packs = try vault.vault.presentPacks()

        let reader = try ContentReader(of: vault.vault, ChunkIndex([record]), packs)
        #expect(try reader.bytes(of: id(text)) == text)
        let size = try #require(vault.store.bytes(of: record.name.text)?.count)
        #expect(
            packs.holds(record.id, size: size) && packs.holds(record.id, size: 4) && !packs.holds(record.id, size: 9))
    }

    @Test("More than 64 KiB go into a pack, with what was held back before")
    mutating func tooMuch() throws {
        let chunks = (0..<3).map { _ in generator.bytes(30_000) }
        let uploads = PackUploads(isForCommit: true)
        let writer = try PackWriter(for: vault.vault, uploads)
        for chunk in chunks { try writer.add(chunk.span, id: id(chunk)) }
        try writer.finish()

        let packs = try uploads.finish()

        #expect(uploads.takeInline().isEmpty && packs.count == 1)
        let reader = try reader(packs)
        for chunk in chunks { #expect(try reader.bytes(of: id(chunk)) == chunk) }
    }

    @Test("Inline blocks that are too large, that overlap, or that no record names, refuse their commit")
    func hostileInline() throws {
        typealias Raw = RawRecords
        func refuses(_ plaintext: [UInt8], _ comment: Comment) {
            #expect(throws: FormatError.self, comment) {
                try RecordObject(commit: plaintext, at: RecordTests.position)
            }
        }
        let record = [UInt8(1)] + Raw.block(stored: 3, raw: 3, chunks: [3])
        let commit = Raw.commit()
        #expect(throws: Never.self) {
            try RecordObject(commit: commit.adding(10, record).plaintext(inline: [1, 2, 3]), at: RecordTests.position)
        }
        refuses(commit.plaintext(inline: [1, 2, 3]), "blocks without a record")
        refuses(commit.adding(10, record).plaintext(inline: [1, 2]), "a block beyond the end")
        refuses(commit.adding(10, record).plaintext(inline: [1, 2, 3, 4]), "bytes of no block")
        refuses(commit.adding(10, record).plaintext, "a record without blocks")
        refuses(commit.adding(10, record).adding(10, record).plaintext(inline: [1, 2, 3]), "two records")
        refuses(commit.adding(10, [0]).plaintext, "a record of no block")
        refuses(Raw.varint(65_537) + [UInt8](repeating: 0, count: 70_000), "more than 64 KiB")
        refuses(Raw.varint(1 << 50) + commit.plaintext, "more than there is")
        let pack = [UInt8](repeating: 9, count: 8) + [UInt8](repeating: 0, count: 8) + Raw.varint(4096) + record
        refuses(commit.adding(3, pack).plaintext, "a pack with the id of inline blocks")
        refuses(
            commit.adding(11, Raw.id16 + [1] + [UInt8](repeating: 9, count: 8) + record).plaintext,
            "another commit's blocks")
    }

    @Test("A checkpoint that says otherwise of a commit's own blocks is found out, and misleads no reader")
    mutating func lyingCheckpoint() throws {
        var device = TestVault.Device(1)
        let text = generator.bytes(2_000)
        let (position, record) = try commit([text], &device)
        let other = generator.bytes(2_000)
        let lie = PackRecord(
            inlineIn: position,
            blocks: [
                BlockRecord(
                    codec: .stored, storedLength: 2_000, rawLength: 2_000,
                    chunks: [ChunkEntry(id: id(other), length: 2_000)])
            ])
        let index = ChunkIndex([lie, record])
        let reader = try ContentReader(of: vault.vault, index, vault.vault.presentPacks())

        #expect(throws: VaultError.self) { try reader.verifyEnd(ofPack: 0) }
        #expect(throws: Never.self) { try reader.verifyEnd(ofPack: 1) }
        #expect(throws: VaultError.self) { try reader.bytes(of: id(other)) }
        #expect(try reader.bytes(of: id(text)) == text)
        let nowhere = PackRecord(
            inlineIn: LogPosition(device: position.device, generation: 7, commit: position.commit), blocks: lie.blocks)
        #expect(throws: VaultError.self) {
            try ContentReader(of: vault.vault, ChunkIndex([nowhere]), vault.vault.presentPacks()).bytes(of: id(other))
        }
    }
}
