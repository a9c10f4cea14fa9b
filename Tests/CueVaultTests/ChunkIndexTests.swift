import CueBase
import CueTestSupport
import Testing

@testable import CueVault

@Suite("The chunk index")
struct ChunkIndexTests {
    private static func packs(_ seed: UInt64) -> [PackRecord] {
        var generator = SeededGenerator(seed: seed)
        return (0..<generator.int(1...6)).map { _ in
            let blocks = (0..<generator.int(1...4)).map { _ in
                let chunks = (0..<generator.int(1...30)).map { _ in
                    ChunkEntry(
                        id: ChunkID(a: generator.next(), b: generator.next(), c: generator.next(), d: generator.next()),
                        length: UInt32(generator.int(1...9000)))
                }
                let raw = chunks.reduce(0) { $0 + Int($1.length) }
                return BlockRecord(codec: .zstd, storedLength: generator.int(1...raw), rawLength: raw, chunks: chunks)
            }
            return PackRecord(
                id: PackID(high: generator.next(), low: generator.next()), size: generator.int(1...1 << 25),
                blocks: blocks)
        }
    }

    @Test(
        "Every chunk is found where its pack record puts it, and no other is", arguments: 1...20 as ClosedRange<UInt64>)
    func found(_ seed: UInt64) {
        let packs = Self.packs(seed)
        let index = ChunkIndex(packs)

        for (number, pack) in packs.enumerated() {
            var blockOffset = 0
            for block in pack.blocks {
                var offset: UInt32 = 0
                for chunk in block.chunks {
                    let location = index.location(of: chunk.id)
                    let place = location.map { index.blocks[Int($0.block)] }
                    #expect(location?.offset == offset && location?.length == chunk.length)
                    #expect(place?.pack == UInt32(number) && place?.offset == UInt32(blockOffset))
                    let other = ChunkID(a: chunk.id.a, b: chunk.id.b, c: chunk.id.c, d: ~chunk.id.d)
                    #expect(index.location(of: other) == nil)
                    offset += chunk.length
                }
                blockOffset += block.storedLength
            }
        }
    }

    @Test(
        "A pack record that was taken into an index comes out of it as it was", arguments: 1...20 as ClosedRange<UInt64>
    )
    func records(_ seed: UInt64) {
        let packs = Self.packs(seed)
        var index = ChunkIndex()
        let half = packs.count / 2
        let first = index.add(ChunkIndex(Array(packs[..<half])))
        let second = index.add(ChunkIndex(Array(packs[half...])))
        index.prepare()

        #expect(index.packs.indices.map { index.record($0).encode() } == packs.map { $0.encode() })
        #expect(first?.upperBound == second?.lowerBound && second?.upperBound == index.chunkCount)
    }

    @Test("A pack that is named again adds nothing, and whoever brought it keeps its own numbers")
    func repeated() {
        let packs = Self.packs(3)
        var index = ChunkIndex(packs)
        let count = index.chunkCount

        #expect(index.add(ChunkIndex([packs[0]])) == nil)
        #expect(index.chunkCount == count)
    }

    @Test("A chunk that stands in two packs is read from the first that is there")
    func twice() throws {
        let packs = Self.packs(5)
        let again = PackRecord(id: PackID(high: 1, low: 1), size: 1, blocks: packs[0].blocks)
        var index = ChunkIndex(packs + [again])
        for (lost, expected) in [(nil, 0), (packs[0].id, packs.count), (again.id, 0)] as [(PackID?, Int)] {
            index.prepare { $0.id != lost }
            for chunk in packs[0].blocks.flatMap(\.chunks) {
                #expect(index.packNumber(of: try #require(index.location(of: chunk.id))) == expected)
            }
        }
    }

    @Test("An index of nothing finds nothing")
    func empty() { #expect(ChunkIndex([]).location(of: ChunkID(a: 1, b: 2, c: 3, d: 4)) == nil) }
}
