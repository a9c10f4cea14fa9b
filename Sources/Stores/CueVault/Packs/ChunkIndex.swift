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
    /// The numbers of chunks whose ids have another number in `slots`, by id: of honest vaults very few.
    private var repeated: [UInt32] = []
    private var packNumbers: [PackID: Int] = [:]
    /// A hash of each record of a pack, with a key of this process: many that differ are told apart without reading them again.
    private var recordHashes: [PackID: Set<Int>] = [:]
    /// The numbers of packs that are not there, or whose records are false, as far as `prepare` was told.
    private var lost: Set<Int> = []
    /// Packs of which records differ, and the numbers of all of these.
    package private(set) var disputed: [PackID: [Int]] = [:]
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

    /// False if the pack was named before in the same words. A record that says otherwise stands beside the other, under a number of
    /// its own: the pack itself decides between them.
    @discardableResult
    package mutating func add(_ pack: PackRecord) -> Bool {
        guard recordHashes[pack.id, default: []].insert(pack.hashValue).inserted else { return false }
        if let first = packNumbers[pack.id] {
            disputed[pack.id, default: [first]].append(packs.count)
        } else {
            packNumbers[pack.id] = packs.count
        }
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
    /// is there. `liars`: numbers of packs whose records are false.
    package mutating func prepare(isThere: ((PackSummary) -> Bool)? = nil, liars: Set<Int> = []) {
        guard slots.isEmpty || isThere != nil else { return }
        let lost = Set(
            packs.indices.filter { number in liars.contains(number) || isThere.map { !$0(packs[number]) } ?? false })
        self.lost = lost
        func isLost(_ number: Int) -> Bool {
            !lost.isEmpty && lost.contains(Int(blocks[Int(places[number].block)].pack))
        }
        slots = [UInt32](repeating: Self.empty, count: max(8, ids.count / 4 * 7))
        repeated = []
        for number in ids.indices {
            let slot = slot(of: ids[number])
            guard slots[slot] != Self.empty else {
                slots[slot] = UInt32(number)
                continue
            }
            var other = UInt32(number)
            if isLost(Int(slots[slot])) && !isLost(number) { swap(&slots[slot], &other) }
            repeated.append(other)
        }
        repeated.sort { (ids[Int($0)], $0) < (ids[Int($1)], $1) }
    }

    /// The slot that holds the chunk, or the empty one where it would be.
    private func slot(of id: ChunkID) -> Int {
        // By a hash that a hostile record cannot foresee: ids that are chosen to meet in one slot would cost squares.
        var slot = Int(UInt64(UInt(bitPattern: id.hashValue)).multipliedFullWidth(by: UInt64(slots.count)).high)
        while slots[slot] != Self.empty && ids[Int(slots[slot])] != id {
            slot = slot + 1 == slots.count ? 0 : slot + 1
        }
        return slot
    }

    package func pack(_ id: PackID) -> PackSummary? { packNumbers[id].map { packs[$0] } }

    /// The numbers of all records of a pack: one, but where they differ.
    package func numbers(of id: PackID) -> [Int] { disputed[id] ?? packNumbers[id].map { [$0] } ?? [] }

    /// The number of a chunk.
    func number(of id: ChunkID) -> Int? {
        precondition(!slots.isEmpty, "prepare() comes before the first look-up")
        let found = slots[slot(of: id)]
        return found == Self.empty ? nil : Int(found)
    }

    package func location(of id: ChunkID) -> ChunkLocation? { number(of: id).map(location) }

    /// Whether a pack that holds the chunk is there, as far as `prepare` was told.
    package func isThere(_ id: ChunkID) -> Bool {
        location(of: id).map { !lost.contains(packNumber(of: $0)) } ?? false
    }

    private func location(_ number: Int) -> ChunkLocation {
        ChunkLocation(block: places[number].block, offset: places[number].offset, length: length(of: number))
    }

    /// The places of a chunk beside that of `location(of:)`: for where that one does not hold it.
    package func otherLocations(of id: ChunkID) -> [ChunkLocation] {
        guard !repeated.isEmpty else { return [] }
        return repeated[firstRepeated(id)...].prefix { ids[Int($0)] == id }.map { location(Int($0)) }
    }

    /// Whether no other record of a pack stands, and some of its chunks have no other place.
    package func isAlone(_ number: Int) -> Bool {
        let pack = packs[number]
        guard disputed[pack.id] == nil else { return false }
        return pack.chunks.contains { chunk in allLocations(of: ids[chunk]).allSatisfy { packNumber(of: $0) == number }
        }
    }

    /// The packs that hold a chunk and are there; all that should, where none is.
    func packNumbers(of id: ChunkID) -> Set<Int> {
        let all = Set(allLocations(of: id).map(packNumber))
        let there = all.subtracting(lost)
        return there.isEmpty ? all : there
    }

    /// All places of a chunk; none where it has none.
    package func allLocations(of id: ChunkID) -> [ChunkLocation] {
        location(of: id).map { [$0] + otherLocations(of: id) } ?? []
    }

    /// Where the numbers of an id begin among the repeated ones, or would.
    private func firstRepeated(_ id: ChunkID) -> Int {
        var (low, high) = (0, repeated.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[Int(repeated[middle])] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The ids that stand in more than one place, each once.
    package var repeatedIDs: [ChunkID] {
        repeated.indices.lazy.filter { $0 == 0 || ids[Int(repeated[$0])] != ids[Int(repeated[$0 - 1])] }
            .map { ids[Int(repeated[$0])] }
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
