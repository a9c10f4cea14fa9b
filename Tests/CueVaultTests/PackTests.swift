import CueBase
import CueCrypto
import CueStorage
import CueSystem
import CueTestSupport
import CueZstd
import Testing

@testable import CueVault

@Suite("Packs")
struct PackTests {
    private let vault = TestVault()

    private func stored(_ chunks: [[UInt8]]) throws -> (ids: [ChunkID], packs: [PackRecord]) {
        try TestVault.store(chunks, in: vault.vault)
    }

    private func reader(_ packs: [PackRecord]) throws -> ContentReader {
        try ContentReader(of: vault.vault, ChunkIndex(packs), vault.vault.presentPacks())
    }

    private func bytes(_ pack: PackRecord) throws -> [UInt8] {
        try #require(vault.store.bytes(of: PackRecord.name(of: pack.id).text))
    }

    private func set(_ pack: PackRecord, to bytes: [UInt8]?) {
        vault.store.set(PackRecord.name(of: pack.id).text, to: bytes)
    }

    /// Chunks that shrink and chunks that do not, over several blocks.
    private static func chunks(_ generator: inout SeededGenerator) -> [[UInt8]] {
        (0..<generator.int(1...30)).map { _ in
            let count = generator.chance(10) ? generator.int(1...200_000) : generator.int(1...3_000)
            return generator.chance(50)
                ? [UInt8](repeating: UInt8(truncatingIfNeeded: generator.next()), count: count)
                : generator.bytes(count)
        }
    }

    @Test("Chunks are read back from packs as they were stored, in any order", arguments: 1...12 as ClosedRange<UInt64>)
    func roundTrip(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let chunks = Self.chunks(&generator)

        let (ids, packs) = try stored(chunks)

        let reader = try reader(packs)
        for (id, chunk) in zip(ids, chunks).shuffled(using: &generator) {
            #expect(try reader.bytes(of: id) == chunk, "seed \(seed)")
        }
        for pack in packs {
            #expect(pack.size % 4096 == 0)
            #expect(try bytes(pack).count == pack.size)
            #expect(throws: Never.self) { try reader.verify(pack) }
        }
        #expect(packs.count == 1)
        #expect(packs[0].blocks.flatMap(\.chunks).map(\.id) == ids)
    }

    @Test("Blocks of many megabytes are read back, and what does not shrink is stored as it is")
    func large() throws {
        var generator = SeededGenerator(seed: 4)
        let noise = generator.bytes(1 << 16)
        let chunks =
            (0..<40).map { number in noise.map { $0 ^ UInt8(number) } } + [[UInt8](repeating: 1, count: 4 << 20)]

        let (ids, packs) = try stored(chunks)

        let reader = try reader(packs)
        for (id, chunk) in zip(ids, chunks) { #expect(try reader.bytes(of: id) == chunk) }
        let blocks = packs[0].blocks
        #expect(blocks.map(\.rawLength) == [1 << 20, 1 << 20, 1 << 19, 4 << 20])
        #expect(blocks.map(\.codec) == [.stored, .stored, .stored, .zstd])
        #expect(throws: Never.self) { try reader.verify(packs[0]) }
    }

    @Test("Full packs have one size, and hold little else than content", arguments: [3_000, 32_768, 130_000])
    func fullPacks(_ length: Int) throws {
        var generator = SeededGenerator(seed: 4)
        // Longer than a block, in which nothing may repeat.
        let noise = generator.bytes(4 << 20)
        let uploads = PackUploads()
        let writer = try PackWriter(for: vault.vault, uploads)
        for number in 0..<(70 << 20) / length {
            let start = number * length % (noise.count - length)
            try writer.add(
                noise.span.extracting(start..<start + length), id: ChunkID(a: UInt64(number), b: 1, c: 2, d: 3))
        }
        try writer.finish()

        let packs = try uploads.finish()

        #expect(packs.count == 3 && packs.dropLast().allSatisfy { $0.size == Padding.fullPack })
        for pack in packs {
            let content = pack.blocks.reduce(0) { $0 + $1.storedLength }
            let spare = pack.size - SealedObject.size(content + pack.footer().count)
            if pack.size == Padding.fullPack { #expect(spare < pack.size / 100, "\(spare)") }
            let reader = try reader([pack])
            #expect(throws: Never.self) { try reader.verifyEnd(ofPack: 0) }
        }
    }

    @Test("Of a thousand files of 1 to 200 MiB that are stored alone, their sizes single out one in twelve at most")
    func sizesTellLittle() throws {
        var generator = SeededGenerator(seed: 9)
        let room = try #require(SealedObject.plainSize(Padding.fullPack))
        var classes: Set<[Int]> = []
        var (bytes, stored) = (0, 0)
        for _ in 0..<1_000 {
            let size = generator.int(1 << 20...200 << 20)
            let (full, rest) = size.quotientAndRemainder(dividingBy: room)
            let last = rest + Padding.ofPack(after: rest, before: full * Padding.fullPack)
            classes.insert([full, last])
            (bytes, stored) = (bytes + size, stored + full * Padding.fullPack + last)
        }
        // Whoever sees sizes and knows all files is right once for each class.
        #expect(classes.count <= 85, "\(classes.count)")
        #expect(stored < bytes + bytes / 40)
    }

    @Test("A writer that was given nothing makes no pack")
    func nothing() throws {
        let uploads = PackUploads()
        let writer = try PackWriter(for: vault.vault, uploads)

        try writer.finish()

        #expect(try uploads.finish().isEmpty)
        #expect(vault.store.names == [])
    }

    @Test("A writer that is dropped before it is finished leaves nothing")
    func dropped() throws {
        let folder = TemporaryFolder()
        let store = try DirectoryStore(at: folder.bytes, writerName: "test")
        let vault = TestVault.open(store)
        do {
            let uploads = PackUploads()
            let writer = try PackWriter(for: vault, uploads)
            for number in 0..<3 {
                let chunk = [UInt8](repeating: UInt8(number), count: 1 << 20)
                try writer.add(chunk.span, id: vault.chunkID(of: chunk.span))
            }
        }

        #expect(try store.list("packs").isEmpty)
        #expect(try store.list("tmp").isEmpty)
    }

    @Test("A chunk that no commit places is missing, and nobody's fault")
    func unknownChunk() throws {
        let (_, packs) = try stored([[1, 2, 3]])
        let reader = try reader(packs)

        let error = #expect(throws: VaultError.self) { try reader.bytes(of: ChunkID(a: 1, b: 2, c: 3, d: 4)) }

        guard case .missing = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    // MARK: Damage

    @Test("Verifying finds any flipped byte of a pack")
    func flips() throws {
        let (_, packs) = try stored([[UInt8](repeating: 1, count: 2_000), Array("Es war einmal".utf8), [7]])
        let whole = try bytes(packs[0])
        var unnoticed: [Int] = []

        for at in whole.indices {
            var other = whole
            other[at] ^= 1 << UInt8(at % 8)
            set(packs[0], to: other)
            do {
                try reader(packs).verify(packs[0])
                unnoticed.append(at)
            } catch VaultError.damaged {}
        }

        #expect(unnoticed == [])
        #expect(whole.count == 4096)
        set(packs[0], to: whole)
        #expect(throws: Never.self) { try reader(packs).verify(packs[0]) }
    }

    @Test("No chunk of a pack with a flipped byte is given out changed", arguments: 1...10 as ClosedRange<UInt64>)
    func flippedReads(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let chunks = Self.chunks(&generator)
        let (ids, packs) = try stored(chunks)
        let whole = try bytes(packs[0])

        for _ in 0..<5 {
            var other = whole
            other[generator.int(0...whole.count - 1)] ^= 0x10
            set(packs[0], to: other)
            let reader = try reader(packs)
            for (id, chunk) in zip(ids, chunks) {
                do { #expect(try reader.bytes(of: id) == chunk, "seed \(seed)") } catch VaultError.damaged {}
            }
            #expect(throws: VaultError.self, "seed \(seed)") { try reader.verify(packs[0]) }
        }
    }

    @Test("Packs that changed places are damaged, both of them")
    func swapped() throws {
        let (one, two) = (try stored([[1, 2, 3]]), try stored([[1, 2, 4]]))
        let packs = one.packs + two.packs
        let (first, second) = (try bytes(packs[0]), try bytes(packs[1]))
        #expect(first.count == second.count)

        set(packs[0], to: second)
        set(packs[1], to: first)

        let reader = try reader(packs)
        for pack in packs { #expect(throws: VaultError.self) { try reader.verify(pack) } }
        for id in one.ids + two.ids { #expect(throws: VaultError.self) { try reader.bytes(of: id) } }
    }

    @Test(
        "A pack that is shorter than it should be is cut, and one that has grown is damaged",
        arguments: [0, 1, 55, 56, 72, 2_048, 4_095, 4_097, 8_192])
    func truncated(_ count: Int) throws {
        let (ids, packs) = try stored([[1, 2, 3]])
        let whole = try bytes(packs[0])
        set(packs[0], to: Array((whole + [UInt8](repeating: 0, count: 5_000)).prefix(count)))

        let reader = try reader(packs)

        for read in [{ _ = try reader.bytes(of: ids[0]) }, { try reader.verify(packs[0]) }] {
            let error = #expect(throws: VaultError.self) { try read() }
            switch error {
            case .cut(_, count, whole.count) where count < whole.count: break
            case .damaged where count > whole.count: break
            default: Issue.record("\(String(describing: error))")
            }
        }
    }

    @Test("A pack that is not there is missing")
    func missing() throws {
        let (ids, packs) = try stored([[1, 2, 3]])
        set(packs[0], to: nil)

        let reader = try reader(packs)

        let error = VaultError.missing(.object(PackRecord.name(of: packs[0].id).text))
        #expect(throws: error) { try reader.bytes(of: ids[0]) }
        #expect(throws: error) { try reader.verify(packs[0]) }
    }

    // MARK: Commits that lie about packs

    private func record(_ pack: PackRecord, _ change: (BlockRecord) -> BlockRecord) -> PackRecord {
        PackRecord(id: pack.id, size: pack.size, blocks: pack.blocks.map(change))
    }

    @Test("A commit that says otherwise than its pack is found, and nothing false is given out")
    func lies() throws {
        let (ids, packs) = try stored([[1, 2, 3], [4, 5]])
        let block = packs[0].blocks[0]
        let lies = [
            record(packs[0]) { block in
                BlockRecord(
                    codec: block.codec, storedLength: block.storedLength, rawLength: block.rawLength,
                    chunks: block.chunks.reversed())
            },
            record(packs[0]) { _ in
                BlockRecord(codec: .zstd, storedLength: block.storedLength, rawLength: 1 << 20, chunks: block.chunks)
            },
            record(packs[0]) { _ in
                BlockRecord(codec: .stored, storedLength: 4, rawLength: 4, chunks: block.chunks)
            },
            record(packs[0]) { _ in
                BlockRecord(codec: .stored, storedLength: 1 << 20, rawLength: 1 << 20, chunks: block.chunks)
            },
            PackRecord(id: packs[0].id, size: packs[0].size, blocks: packs[0].blocks + packs[0].blocks),
            PackRecord(id: packs[0].id, size: packs[0].size + 4096, blocks: packs[0].blocks),
        ]

        for lie in lies {
            let reader = try reader([lie])
            #expect(throws: VaultError.self) { try reader.verify(lie) }
            for (id, chunk) in zip(ids, [[1, 2, 3], [4, 5]] as [[UInt8]]) {
                do { #expect(try reader.bytes(of: id) == chunk) } catch is VaultError {}
            }
        }
    }

    @Test("A block that says 1 KiB and holds 64 MiB is damaged")
    func bomb() throws {
        let zeros = [UInt8](repeating: 0, count: 64 << 20)
        var frame = [UInt8](repeating: 0, count: ZstdCompressor.bound(zeros.count))
        var target = frame.mutableSpan
        let length = try ZstdCompressor(level: 1).compress(zeros.span, into: &target)
        let chunk = [UInt8](repeating: 0, count: 1024)
        let id = vault.vault.chunkID(of: chunk.span)
        let draft = PackRecord(
            id: PackID(high: 1, low: 1), size: 0,
            blocks: [
                BlockRecord(
                    codec: .zstd, storedLength: length, rawLength: 1024, chunks: [ChunkEntry(id: id, length: 1024)])
            ])
        var plain = ByteWriter()
        plain.raw(frame[..<length])
        plain.raw(draft.footer())
        plain.u32(UInt32(draft.footer().count))
        let name = PackRecord.name(of: draft.id)
        let sealed = vault.vault.seal(plain.bytes, .pack, name)
        let pack = PackRecord(id: draft.id, size: sealed.count, blocks: draft.blocks)
        set(pack, to: sealed)

        let reader = try reader([pack])

        #expect(throws: VaultError.damaged(.object(name.text), .undecodableBlock)) {
            try reader.bytes(of: id)
        }
    }
}
