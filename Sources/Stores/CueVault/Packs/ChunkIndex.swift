package import CueBase
package import CueStorage

/// The place of a block. All lengths and offsets are in bytes.
package struct BlockLocation: Sendable {
    /// The number of its pack record in `ChunkIndex.packs`.
    package let pack: UInt32
    /// In the plaintext of the pack.
    package let offset: UInt32
    /// As it stands in the pack, compressed or not.
    package let storedLength: UInt32
    /// After decompression.
    package let rawLength: UInt32
    /// The number of its first chunk.
    fileprivate let firstChunk: UInt32
    /// The index of its first base in `ChunkIndex.bases`.
    fileprivate let firstBase: UInt32
    fileprivate let baseCount: UInt8
    /// How the block is stored.
    package let codec: Codec
}

extension BlockLocation {
    /// A block outside of any index, which is no delta.
    init(offset: UInt32, storedLength: UInt32, rawLength: UInt32, codec: Codec) {
        self.init(
            pack: 0, offset: offset, storedLength: storedLength, rawLength: rawLength, firstChunk: 0, firstBase: 0,
            baseCount: 0, codec: codec)
    }
}

/// The place of a chunk. All lengths and offsets are in bytes.
package struct ChunkLocation: Sendable {
    /// The number of its block in `ChunkIndex.blocks`.
    package let block: UInt32
    /// In the raw block.
    package let offset: UInt32
    /// At least 1.
    package let length: UInt32
}

/// The content of pack records: from chunk to block and pack for reading, and from pack to blocks and chunks.
///
/// Chunks have numbers, from 0 in the order in which packs name them. A chunk that several packs name has several
/// numbers. Each takes 48 bytes: 32 of id, 8 of place, 7 of hash table, 1 as its share of a block.
package struct ChunkIndex: Sendable {
    /// One for each pack record. A pack whose records differ stands here several times (`disputed`).
    package private(set) var packs: [PackSummary] = []
    /// The blocks of all packs, in the order of the packs.
    package private(set) var blocks: [BlockLocation] = []
    /// The id of each chunk, by its number.
    package private(set) var ids: [ChunkID] = []
    /// The bases of all deltas, block after block.
    private var bases: [ChunkID] = []
    /// The place of each chunk, by its number.
    private var places: [(block: UInt32, offset: UInt32)] = []
    /// The hash table: numbers of chunks, each at the slot that its id hashes to or soon after. Empty until `prepare`.
    private var slots: [UInt32] = []
    /// The numbers of chunks whose ids have another number in `slots`, sorted by id. An honest vault has very few.
    private var repeated: [UInt32] = []
    private var packNumbers: [PackID: Int] = [:]
    /// Of each pack whose records differ a hash of each record, keyed for this process: there may be very many.
    private var recordHashes: [PackID: Set<Int>] = [:]
    /// The numbers of packs that are missing or whose records are false, as of the last `prepare`.
    private var lost: Set<Int> = []
    /// The deltas with a base that has no place in full, and those with one that has none in a pack that is there, as of
    /// the last `prepare`.
    private var baselessDeltas: Set<UInt32> = []
    private var lostDeltas: Set<UInt32> = []
    /// The packs whose records differ, and the numbers of all these records.
    package private(set) var disputed: [PackID: [Int]] = [:]
    private static let empty = UInt32.max

    /// One pack record without its content.
    package struct PackSummary: Sendable {
        /// The pack.
        package let id: PackID
        /// The commit that holds the blocks itself; nil for a pack that is an object.
        package let commit: LogPosition?
        /// The size of the pack's object in bytes, as the record claims; 0 for inline blocks.
        package let size: Int
        /// The numbers of its blocks.
        package let blocks: Range<Int>
        /// The numbers of its chunks.
        package let chunks: Range<Int>

        /// The object that holds the blocks.
        package var name: ObjectName { PackRecord.name(of: id, commit) }
    }

    /// An index without packs.
    package init() {}

    /// The number of chunks, each as often as packs name it.
    package var chunkCount: Int { ids.count }

    /// Makes room for the chunks that `bytes` of records can name at most.
    ///
    /// Unused room costs addresses and no memory. The bound remains because the sizes of objects are a store's claims.
    package mutating func reserve(forRecordsOf bytes: Int) {
        let count = min(bytes, 128 << 20) / 33
        ids.reserveCapacity(ids.count + count)
        places.reserveCapacity(places.count + count)
    }

    /// Adds a pack record; false if an equal one is there already. Look-ups need another `prepare` afterwards.
    ///
    /// A different record of the same pack stands beside the first under a number of its own. Only the pack shows which
    /// one is true.
    @discardableResult
    package mutating func add(_ pack: PackRecord) -> Bool {
        if let first = packNumbers[pack.id] {
            if isRecord(first, pack) { return false }
            if recordHashes[pack.id] == nil { recordHashes[pack.id] = [record(first).hashValue] }
            guard recordHashes[pack.id, default: []].insert(pack.hashValue).inserted else { return false }
            disputed[pack.id, default: [first]].append(packs.count)
        } else {
            packNumbers[pack.id] = packs.count
        }
        let (number, first, firstChunk) = (UInt32(packs.count), blocks.count, ids.count)
        var blockOffset = pack.firstOffset
        for block in pack.blocks {
            var offset: UInt32 = 0
            let blockNumber = UInt32(blocks.count)
            blocks.append(
                BlockLocation(
                    pack: number, offset: blockOffset, storedLength: UInt32(block.storedLength),
                    rawLength: UInt32(block.rawLength), firstChunk: UInt32(ids.count),
                    firstBase: UInt32(bases.count), baseCount: UInt8(block.bases.count), codec: block.codec))
            bases += block.bases
            for chunk in block.chunks {
                ids.append(chunk.id)
                places.append((blockNumber, offset))
                offset += chunk.length
            }
            blockOffset += UInt32(block.storedLength)
        }
        packs.append(
            PackSummary(
                id: pack.id, commit: pack.commit, size: pack.size, blocks: first..<blocks.count,
                chunks: firstChunk..<ids.count))
        slots = []
        return true
    }

    /// Adds all packs of another index. Returns the numbers that its chunks have here; nil if some record was here
    /// already.
    mutating func add(_ other: consuming ChunkIndex) -> Range<Int>? {
        let first = ids.count
        if packs.isEmpty {
            self = other
            return first..<ids.count
        }
        let isNew = other.packs.indices.reduce(true) { add(other.record($1)) && $0 }
        return isNew ? first..<ids.count : nil
    }

    /// Builds the hash table for look-ups. It does nothing if the table is there and `isThere` is nil.
    ///
    /// Several packs may hold a chunk: one was lost, and another device stored the content again. The chunk is then
    /// read from the first pack for which `isThere` is true and that is not in `liars`, the numbers of false records.
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
        findLostDeltas()
    }

    /// Finds the deltas that cannot be read because of their bases. A chunk that has another place is read from there.
    private mutating func findLostDeltas() {
        (baselessDeltas, lostDeltas) = ([], [])
        guard !bases.isEmpty else { return }
        // Many deltas name one base, and a base may have many places: look at each once.
        var known: [ChunkID: (isPlaced: Bool, isThere: Bool)] = [:]
        for id in Set(bases) {
            let places = wholeLocations(of: id)
            known[id] = (!places.isEmpty, places.contains { !lost.contains(packNumber(of: $0)) })
        }
        for (number, block) in blocks.enumerated() where block.baseCount > 0 {
            let bases = bases(of: block).map { known[$0] ?? (false, false) }
            if !bases.allSatisfy(\.isPlaced) { baselessDeltas.insert(UInt32(number)) }
            if !bases.allSatisfy(\.isThere) { lostDeltas.insert(UInt32(number)) }
        }
        guard !lostDeltas.isEmpty else { return }
        for at in repeated.indices {
            let slot = slot(of: ids[Int(repeated[at])])
            let (first, other) = (Int(slots[slot]), Int(repeated[at]))
            if isLost(location(first)) && !isLost(location(other)) { swap(&slots[slot], &repeated[at]) }
        }
        repeated.sort { (ids[Int($0)], $0) < (ids[Int($1)], $1) }
    }

    /// The slot that holds the chunk, or the empty one for it.
    private func slot(of id: ChunkID) -> Int {
        var slot = Int(KeyedHash.process(id).multipliedFullWidth(by: UInt64(slots.count)).high)
        while slots[slot] != Self.empty && ids[Int(slots[slot])] != id {
            slot = slot + 1 == slots.count ? 0 : slot + 1
        }
        return slot
    }

    /// The first record of a pack; nil if there is none.
    package func pack(_ id: PackID) -> PackSummary? { packNumbers[id].map { packs[$0] } }

    /// The numbers of all records of a pack: several if they differ, none if the pack is not named.
    package func numbers(of id: PackID) -> [Int] { disputed[id] ?? packNumbers[id].map { [$0] } ?? [] }

    /// The number of a chunk; nil if no pack names it. `prepare` must come first.
    func number(of id: ChunkID) -> Int? {
        precondition(!slots.isEmpty, "prepare() comes before the first look-up")
        let found = slots[slot(of: id)]
        return found == Self.empty ? nil : Int(found)
    }

    /// The first place to read a chunk from; nil if no pack names it. `prepare` must come first.
    package func location(of id: ChunkID) -> ChunkLocation? { number(of: id).map(location) }

    /// True if the pack of a place is not there or its record is false, as far as `prepare` was told; also if that holds
    /// for all places of a base of its block.
    package func isLost(_ location: ChunkLocation) -> Bool {
        lost.contains(packNumber(of: location)) || lostDeltas.contains(location.block)
    }

    /// True if a base of the block at a place has no place in a pack that is there, as far as `prepare` was told.
    package func hasLostBase(_ location: ChunkLocation) -> Bool { lostDeltas.contains(location.block) }

    /// True if the chunk has no place, or only in packs that are not there, as far as `prepare` was told.
    package func lacks(_ id: ChunkID) -> Bool { location(of: id).map(isLost) ?? true }

    /// True if the chunk has a place whose bases, if it is in a delta, have places too.
    package func isPlaced(_ id: ChunkID) -> Bool {
        guard let first = location(of: id) else { return false }
        return !baselessDeltas.contains(first.block)
            || otherLocations(of: id).contains { !baselessDeltas.contains($0.block) }
    }

    /// The chunks that are the prefix of a block; empty if it is no delta.
    package func bases(of block: UInt32) -> ArraySlice<ChunkID> { bases(of: blocks[Int(block)]) }

    private func bases(of block: BlockLocation) -> ArraySlice<ChunkID> {
        bases[Int(block.firstBase)..<Int(block.firstBase) + Int(block.baseCount)]
    }

    /// The places of a chunk in blocks that are no deltas: those from which it may be read as a base.
    package func wholeLocations(of id: ChunkID) -> [ChunkLocation] {
        allLocations(of: id).filter { blocks[Int($0.block)].codec != .delta }
    }

    private func location(_ number: Int) -> ChunkLocation {
        ChunkLocation(block: places[number].block, offset: places[number].offset, length: length(of: number))
    }

    /// The other places of a chunk, for when that of `location(of:)` does not hold it.
    package func otherLocations(of id: ChunkID) -> [ChunkLocation] {
        guard !repeated.isEmpty else { return [] }
        return repeated[firstRepeated(id)...].prefix { ids[Int($0)] == id }.map { location(Int($0)) }
    }

    /// True if the pack has no other record and some of its chunks have no other place.
    package func isAlone(_ number: Int) -> Bool {
        let pack = packs[number]
        guard disputed[pack.id] == nil else { return false }
        return pack.chunks.contains { chunk in allLocations(of: ids[chunk]).allSatisfy { packNumber(of: $0) == number }
        }
    }

    /// The numbers of the packs that hold a chunk, or a base of it, and are there; if none is there, of all that should
    /// hold it.
    ///
    /// `seen`: the bases that were looked at before, as very many deltas may name one.
    func packNumbers(of id: ChunkID, _ seen: inout Set<ChunkID>) -> Set<Int> {
        func packs(of places: [ChunkLocation]) -> Set<Int> {
            let all = Set(places.map(packNumber))
            let there = all.subtracting(lost)
            return there.isEmpty ? all : there
        }
        let places = allLocations(of: id)
        let bases = Set(places.flatMap { self.bases(of: $0.block) }).filter { seen.insert($0).inserted }
        return bases.reduce(into: packs(of: places)) { $0.formUnion(packs(of: wholeLocations(of: $1))) }
    }

    /// All places of a chunk, that of `location(of:)` first; empty if it has none.
    package func allLocations(of id: ChunkID) -> [ChunkLocation] {
        location(of: id).map { [$0] + otherLocations(of: id) } ?? []
    }

    /// The index in `repeated` at which the numbers of an id begin or would begin.
    private func firstRepeated(_ id: ChunkID) -> Int {
        var (low, high) = (0, repeated.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[Int(repeated[middle])] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The ids that stand in more than one place, each once, sorted.
    package var repeatedIDs: [ChunkID] {
        repeated.indices.lazy.filter { $0 == 0 || ids[Int(repeated[$0])] != ids[Int(repeated[$0 - 1])] }
            .map { ids[Int(repeated[$0])] }
    }

    private func length(of number: Int) -> UInt32 {
        let (block, offset) = places[number]
        let isLast = number + 1 == places.count || places[number + 1].block != block
        return (isLast ? blocks[Int(block)].rawLength : places[number + 1].offset) - offset
    }

    /// The number of the pack that holds a chunk.
    package func packNumber(of location: ChunkLocation) -> Int { Int(blocks[Int(location.block)].pack) }

    /// Whether the record of a number is equal to this one.
    private func isRecord(_ number: Int, _ record: PackRecord) -> Bool {
        let pack = packs[number]
        guard pack.size == record.size, pack.commit == record.commit, pack.blocks.count == record.blocks.count,
            pack.chunks.count == record.chunkCount
        else { return false }
        var chunk = pack.chunks.lowerBound
        return zip(blocks[pack.blocks], record.blocks).allSatisfy { mine, other in
            guard mine.codec == other.codec, mine.storedLength == other.storedLength,
                mine.rawLength == other.rawLength, Int(mine.firstChunk) == chunk,
                bases(of: mine).elementsEqual(other.bases)
            else { return false }
            defer { chunk += other.chunks.count }
            return other.chunks.enumerated().allSatisfy {
                ids[chunk + $0] == $1.id && length(of: chunk + $0) == $1.length
            }
        }
    }

    /// The full record of a number, rebuilt from the index.
    package func record(_ number: Int) -> PackRecord {
        let pack = packs[number]
        let blocks = pack.blocks.map { block in
            let end =
                block + 1 == pack.blocks.upperBound ? pack.chunks.upperBound : Int(self.blocks[block + 1].firstChunk)
            return BlockRecord(
                codec: self.blocks[block].codec, storedLength: Int(self.blocks[block].storedLength),
                rawLength: Int(self.blocks[block].rawLength), bases: Array(bases(of: UInt32(block))),
                chunks: (Int(self.blocks[block].firstChunk)..<end).map {
                    ChunkEntry(id: ids[$0], length: length(of: $0))
                })
        }
        return pack.commit.map { PackRecord(inlineIn: $0, blocks: blocks) }
            ?? PackRecord(id: pack.id, size: pack.size, blocks: blocks)
    }
}
