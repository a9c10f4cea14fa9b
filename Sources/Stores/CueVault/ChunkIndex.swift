package import CueBase

/// Where a block stands.
package struct BlockLocation: Sendable {
    package let pack: UInt32
    /// In the pack's plaintext.
    package let offset: UInt32
    package let storedLength: UInt32
    package let rawLength: UInt32
    package let codec: Codec
}

/// Where a chunk stands.
package struct ChunkLocation: Sendable {
    package let block: UInt32
    /// In the raw block.
    package let offset: UInt32
    package let length: UInt32
}

/// Chunk → block → pack, for reading. 48 bytes a chunk: 32 of id, 12 of place, 4 of alignment.
package struct ChunkIndex: Sendable {
    package private(set) var packs: [PackRecordSummary] = []
    package private(set) var blocks: [BlockLocation] = []
    private var entries: [(id: ChunkID, location: ChunkLocation)] = []
    private var isSorted = true
    private var packNumbers: [PackID: Int] = [:]

    package struct PackRecordSummary: Sendable {
        package let id: PackID
        package let size: Int
        package let blocks: Range<Int>
    }

    package init() {}

    package var chunkCount: Int { entries.count }

    package mutating func add(_ pack: PackRecord) {
        // A pack may be named again, by a checkpoint: the same words, nothing new.
        guard packNumbers[pack.id] == nil else { return }
        packNumbers[pack.id] = packs.count
        let number = UInt32(packs.count)
        let first = blocks.count
        var blockOffset: UInt32 = 0
        for block in pack.blocks {
            var offset: UInt32 = 0
            for chunk in block.chunks {
                entries.append(
                    (chunk.id, ChunkLocation(block: UInt32(blocks.count), offset: offset, length: chunk.length)))
                offset += chunk.length
            }
            blocks.append(
                BlockLocation(
                    pack: number, offset: blockOffset, storedLength: UInt32(block.storedLength),
                    rawLength: UInt32(block.rawLength), codec: block.codec))
            blockOffset += UInt32(block.storedLength)
        }
        packs.append(PackRecordSummary(id: pack.id, size: pack.size, blocks: first..<blocks.count))
        isSorted = false
    }

    /// Sorts what was added; look-ups come after.
    package mutating func prepare() {
        guard !isSorted else { return }
        entries.sort { $0.id < $1.id }
        isSorted = true
    }

    package func pack(_ id: PackID) -> PackRecordSummary? { packNumbers[id].map { packs[$0] } }

    package func location(of id: ChunkID) -> ChunkLocation? {
        precondition(isSorted, "prepare() comes before the first look-up")
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].id < id { low = middle + 1 } else { high = middle }
        }
        guard low < entries.count, entries[low].id == id else { return nil }
        return entries[low].location
    }

    /// The chunk ids of these packs, ascending; one that stands twice comes twice.
    package func ids(in wanted: Set<PackID>) -> [ChunkID] {
        let isWanted = packs.map { wanted.contains($0.id) }
        return entries.compactMap { isWanted[Int(blocks[Int($0.location.block)].pack)] ? $0.id : nil }
    }
}
