package import CueBase

/// Where a block stands.
package struct BlockLocation: Sendable {
    package let pack: UInt32
    /// In the pack's plaintext.
    package let offset: UInt32
    package let storedLength: UInt32
    package let rawLength: UInt32
    /// The number of its first chunk.
    fileprivate let firstChunk: UInt32
    package let codec: Codec
}

/// Where a chunk stands.
package struct ChunkLocation: Sendable {
    package let block: UInt32
    /// In the raw block.
    package let offset: UInt32
    package let length: UInt32
}

/// Chunk → block → pack, for reading, and pack → blocks → chunks, for all that a pack record says.
///
/// 48 bytes a chunk: 32 of id, 8 of place, 7 of hash table, 1 of its share of a block. Chunks have numbers, in the order in which packs name them.
package struct ChunkIndex: Sendable {
    package private(set) var packs: [PackSummary] = []
    package private(set) var blocks: [BlockLocation] = []
    package private(set) var ids: [ChunkID] = []
    private var places: [(block: UInt32, offset: UInt32)] = []
    /// Numbers of chunks, at the places that their ids ask for or soon after. Empty until `prepare`.
    private var slots: [UInt32] = []
    private var packNumbers: [PackID: Int] = [:]
    private static let empty = UInt32.max

    package struct PackSummary: Sendable {
        package let id: PackID
        package let size: Int
        package let blocks: Range<Int>
        /// The numbers of its chunks.
        package let chunks: Range<Int>
    }

    package init() {}

    package var chunkCount: Int { ids.count }

    /// Makes room for what `bytes` of records can name at most. Room that is not used costs addresses, no memory; still there is
    /// a bound, as the sizes of objects are whatever a store says.
    package mutating func reserve(forRecordsOf bytes: Int) {
        let count = min(bytes, 128 << 20) / 33
        ids.reserveCapacity(ids.count + count)
        places.reserveCapacity(places.count + count)
    }

    /// False if the pack was named before, by a checkpoint: the same words, nothing new.
    @discardableResult
    package mutating func add(_ pack: PackRecord) -> Bool {
        guard packNumbers[pack.id] == nil else { return false }
        packNumbers[pack.id] = packs.count
        let (number, first, firstChunk) = (UInt32(packs.count), blocks.count, ids.count)
        var blockOffset: UInt32 = 0
        for block in pack.blocks {
            var offset: UInt32 = 0
            let blockNumber = UInt32(blocks.count)
            blocks.append(
                BlockLocation(
                    pack: number, offset: blockOffset, storedLength: UInt32(block.storedLength),
                    rawLength: UInt32(block.rawLength), firstChunk: UInt32(ids.count), codec: block.codec))
            for chunk in block.chunks {
                ids.append(chunk.id)
                places.append((blockNumber, offset))
                offset += chunk.length
            }
            blockOffset += UInt32(block.storedLength)
        }
        packs.append(
            PackSummary(
                id: pack.id, size: pack.size, blocks: first..<blocks.count, chunks: firstChunk..<ids.count))
        slots = []
        return true
    }

    /// Adds all packs of another index. Gives the numbers that its chunks have here; nil where some pack was here already.
    mutating func add(_ other: consuming ChunkIndex) -> Range<Int>? {
        let first = ids.count
        if packs.isEmpty {
            self = other
            return first..<ids.count
        }
        let isNew = other.packs.indices.reduce(true) { add(other.record($1)) && $0 }
        return isNew ? first..<ids.count : nil
    }

    /// Builds the hash table; look-ups come after.
    ///
    /// Of several packs that hold a chunk (one was lost, and another device stored the content again) it is read from the first that
    /// is there.
    package mutating func prepare(isThere: ((PackSummary) -> Bool)? = nil) {
        guard slots.isEmpty || isThere != nil else { return }
        let lost = packs.map { pack in isThere.map { !$0(pack) } ?? false }
        func isLost(_ number: Int) -> Bool { lost[Int(blocks[Int(places[number].block)].pack)] }
        slots = [UInt32](repeating: Self.empty, count: max(8, ids.count / 4 * 7))
        for number in ids.indices {
            let slot = slot(of: ids[number])
            if slots[slot] == Self.empty || isLost(Int(slots[slot])) && !isLost(number) {
                slots[slot] = UInt32(number)
            }
        }
    }

    /// The slot that holds the chunk, or the empty one where it would be.
    private func slot(of id: ChunkID) -> Int {
        // Ids are keyed hashes: their first word is spread evenly.
        var slot = Int(id.a.multipliedFullWidth(by: UInt64(slots.count)).high)
        while slots[slot] != Self.empty && ids[Int(slots[slot])] != id {
            slot = slot + 1 == slots.count ? 0 : slot + 1
        }
        return slot
    }

    package func pack(_ id: PackID) -> PackSummary? { packNumbers[id].map { packs[$0] } }

    /// The number of a chunk.
    func number(of id: ChunkID) -> Int? {
        precondition(!slots.isEmpty, "prepare() comes before the first look-up")
        let found = slots[slot(of: id)]
        return found == Self.empty ? nil : Int(found)
    }

    package func location(of id: ChunkID) -> ChunkLocation? {
        number(of: id).map { ChunkLocation(block: places[$0].block, offset: places[$0].offset, length: length(of: $0)) }
    }

    private func length(of number: Int) -> UInt32 {
        let (block, offset) = places[number]
        let isLast = number + 1 == places.count || places[number + 1].block != block
        return (isLast ? blocks[Int(block)].rawLength : places[number + 1].offset) - offset
    }

    /// The pack that holds a chunk.
    package func packNumber(of location: ChunkLocation) -> Int { Int(blocks[Int(location.block)].pack) }

    /// All that a pack record says.
    package func record(_ number: Int) -> PackRecord {
        let pack = packs[number]
        let blocks = pack.blocks.map { block in
            let end =
                block + 1 == pack.blocks.upperBound ? pack.chunks.upperBound : Int(self.blocks[block + 1].firstChunk)
            return BlockRecord(
                codec: self.blocks[block].codec, storedLength: Int(self.blocks[block].storedLength),
                rawLength: Int(self.blocks[block].rawLength),
                chunks: (Int(self.blocks[block].firstChunk)..<end).map {
                    ChunkEntry(id: ids[$0], length: length(of: $0))
                })
        }
        return PackRecord(id: pack.id, size: pack.size, blocks: blocks)
    }
}
