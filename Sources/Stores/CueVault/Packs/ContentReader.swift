package import CueBase
import CueCrypto
import CueSodium
import CueStorage
import Synchronization

/// Reads chunks out of packs and verifies each by its id. One worker owns one reader.
///
/// Memory: a few raw blocks of mostly 1 MiB, one sealed and one compressed block: about 6 MiB. All buffers are used
/// again.
package final class ContentReader {
    private static let cachedBlocks = 4
    private static let cachedBytes = 5 << 20
    /// The bytes of zeros that are read at once.
    private static let piece = 1 << 20

    private let vault: Vault
    private let index: ChunkIndex
    private let packs: PresentPacks
    /// The packs that are gone because they were given up.
    private let givenUp: Set<PackID>
    private var prefetch: BlockPrefetch?
    private let blocks: BlockReader
    private var objects: [UInt32: SealedBlocks] = [:]
    /// The block that was used last comes last.
    private var cache: [(number: UInt32, block: RawBlock)] = []
    /// The numbers of pack records that turned out to be false: the pack holds something else.
    package private(set) var liars: Set<Int> = []
    /// Where bases were found. Very many deltas may name one, and records may give it as many places.
    private var readBases: [ChunkID: ChunkLocation] = [:]
    /// The bases that were found nowhere.
    private var unreadableBases: Set<ChunkID> = []
    /// The most places of one chunk that are tried in packs whose records are false.
    private static let lastResorts = 16

    /// A reader of a vault with this index, which must be prepared, and the packs that are there. Throws `ZstdError` if
    /// there is no memory.
    ///
    /// `givenUp`: the packs that are gone because they were given up; `verify` passes over what needs them. `prefetch`:
    /// reads blocks of the same index ahead of time, for all readers that share it.
    package init(
        of vault: Vault, _ index: ChunkIndex, _ packs: PresentPacks, without givenUp: Set<PackID> = [],
        prefetch: BlockPrefetch? = nil
    ) throws {
        (self.vault, self.index, self.packs, self.givenUp, self.prefetch) = (vault, index, packs, givenUp, prefetch)
        blocks = try BlockReader()
    }

    /// Passes the bytes of a chunk to `body` once they have the id. Tries all places of the chunk.
    ///
    /// Throws `VaultError.missing`, `.damaged` or `.cut`, `StorageError` for an error that heals by itself, and the
    /// errors of `body`.
    package func withChunk<Result>(_ id: ChunkID, _ body: (Span<UInt8>) throws -> Result) throws -> Result {
        guard let location = index.location(of: id) else {
            throw VaultError.missing(.unplacedContent)
        }
        let found = try findAnywhere(id, first: location, others: nil)
        let bytes = found.block.bytes
        return try body(bytes.span.extracting(found.range))
    }

    /// Checks that the first place of a chunk holds these bytes. The caller knows that they have the id, so they are
    /// compared without hashing.
    ///
    /// Throws `VaultError.damaged` with `.otherChunk` or `.chunkOutsideBlock` for other bytes, and otherwise as
    /// `withChunk`.
    package func expect(_ bytes: Span<UInt8>, of id: ChunkID) throws {
        guard let location = index.location(of: id) else {
            throw VaultError.missing(.unplacedContent)
        }
        let block = try block(location.block)
        let range = Int(location.offset)..<Int(location.offset + location.length)
        guard range.upperBound <= block.count, range.count == bytes.count else {
            throw lie(index.packNumber(of: location), .chunkOutsideBlock)
        }
        let span = block.bytes.span.extracting(block.start + range.lowerBound..<block.start + range.upperBound)
        guard span.isSame(as: bytes) else {
            throw lie(index.packNumber(of: location), .otherChunk)
        }
    }

    /// The same from one place and no other.
    package func withChunk<Result>(
        _ id: ChunkID, at location: ChunkLocation, _ body: (Span<UInt8>) throws -> Result
    ) throws -> Result {
        let found = try find(id, at: location)
        let bytes = found.block.bytes
        return try body(bytes.span.extracting(found.range))
    }

    private struct Found {
        let place: ChunkLocation
        let block: RawBlock
        /// Where in the block's buffer.
        let range: Range<Int>
    }

    /// Finds a chunk at a place, or else at the others: all places of the chunk if these are nil.
    private func findAnywhere(
        _ id: ChunkID, first location: ChunkLocation, others: [ChunkLocation]?
    ) throws -> Found {
        do { return try find(id, at: location) } catch let error as VaultError {
            return try find(id, in: others ?? index.otherLocations(of: id), instead: error)
        }
    }

    private func find(_ id: ChunkID, at location: ChunkLocation) throws -> Found {
        let block = try block(location.block)
        let start = block.start + Int(location.offset)
        let range = start..<start + Int(location.length)
        guard range.upperBound <= block.start + block.count,
            BLAKE2b.chunkID(of: block.bytes.span.extracting(range), key: vault.key.chunkIDs) == id
        else { throw lie(index.packNumber(of: location), .otherChunk) }
        return Found(place: location, block: block, range: range)
    }

    /// Looks in the other places of a chunk: another pack may have what one lost or never held.
    private func find(_ id: ChunkID, in places: [ChunkLocation], instead error: VaultError) throws -> Found {
        let trusted = places.filter { !liars.contains(index.packNumber(of: $0)) }
        let others = places.filter { liars.contains(index.packNumber(of: $0)) }.prefix(Self.lastResorts)
        var first = error
        for (number, place) in (trusted + others).enumerated() {
            // Skip a record that was found to be false meanwhile; the others come first.
            if number < trusted.count, liars.contains(index.packNumber(of: place)) { continue }
            do { return try find(id, at: place) } catch let error as VaultError {
                // Prefer an error that may heal (a pack that has not arrived) to damage.
                if case .damaged = first { first = error }
            }
        }
        throw first
    }

    /// Notes that a pack record is false: the pack opens, and holds something else. Returns the error.
    private func lie(_ pack: Int, _ damage: VaultDamage) -> VaultError {
        liars.insert(pack)
        return .damaged(.object(index.packs[pack].name.text), damage)
    }

    private func block(_ number: UInt32) throws -> RawBlock {
        if let hit = cache.lastIndex(where: { $0.number == number }) {
            if hit != cache.count - 1 { cache.append(cache.remove(at: hit)) }
            return cache[cache.count - 1].block
        }
        // The bases of a delta come into the cache before it.
        let block = index.blocks[Int(number)].codec == .delta ? try readBlock(number, into: []) : nil
        var spare: [UInt8] = []
        let wanted = Int(index.blocks[Int(number)].rawLength)
        while cache.count >= Self.cachedBlocks
            || !cache.isEmpty && cache.reduce(wanted, { $0 + $1.block.bytes.count }) > Self.cachedBytes
        {
            let oldest = cache.removeFirst().block
            // A buffer that is much too large would leave no room for the others.
            if oldest.bytes.count > spare.count && oldest.bytes.count <= 2 * wanted { spare = oldest.bytes }
        }
        cache.append((number, try block ?? readBlock(number, into: spare.taken())))
        return cache[cache.count - 1].block
    }

    /// Reads and opens a block. `buffer` is used for its content if it is large enough.
    private func readBlock(_ number: UInt32, into buffer: consuming [UInt8]) throws -> RawBlock {
        let location = index.blocks[Int(number)]
        let prefix = try prefix(of: number)
        do {
            return try readingAgain(location.pack, into: buffer) { isFirst, buffer in
                // What was read ahead brings the header of the pack too, so it comes before the object.
                let ahead = isFirst ? prefetch?.bytes(of: number) : nil
                return try blocks.read(
                    location, of: object(of: location.pack), ahead: ahead, after: prefix.span, into: buffer.taken())
            }
        } catch let flaw as BlockReader.Flaw {
            throw lie(Int(location.pack), flaw.damage)
        } catch {
            throw damage(error, in: index.packs[Int(location.pack)].name)
        }
    }

    /// Reads of a pack. Where reads are downloads and what came does not open, the second read is without all that was
    /// kept of the first: a line may change bytes.
    private func readingAgain<Result>(
        _ pack: UInt32, into buffer: consuming [UInt8] = [],
        _ read: (_ isFirst: Bool, _ buffer: inout [UInt8]) throws -> Result
    ) throws -> Result {
        var buffer = buffer
        do { return try read(true, &buffer) } catch let error
            where vault.objects.readsAreDownloads && error is SealError
        {
            objects[pack] = nil
            vault.headers.withLock { $0[index.packs[Int(pack)].name] = nil }
            return try read(false, &buffer)
        }
    }

    /// The bases of a block, one after the other; empty if it is no delta.
    private func prefix(of number: UInt32) throws -> [UInt8] {
        var prefix: [UInt8] = []
        for base in index.bases(of: number) {
            let pack = Int(index.blocks[Int(number)].pack)
            if let place = readBases[base], prefix.count + Int(place.length) <= Limits.block {
                let found = try find(base, at: place)
                prefix.append(found.block.bytes.span.extracting(found.range))
                continue
            }
            let places = index.wholeLocations(of: base)
            // A base that no record names may still arrive. One that is a delta itself never counts.
            guard !places.isEmpty || index.location(of: base) != nil, !unreadableBases.contains(base) else {
                throw VaultError.missing(.unplacedContent)
            }
            // A record that claims a longer chunk is false, or the delta is.
            let fitting = places.filter { prefix.count + Int($0.length) <= Limits.block }
            guard let first = fitting.first else { throw lie(pack, .impossibleBase) }
            do {
                let found = try findAnywhere(base, first: first, others: Array(fitting.dropFirst()))
                prefix.append(found.block.bytes.span.extracting(found.range))
                readBases[base] = found.place
            } catch let error as VaultError {
                // Very many deltas may name it: it is tried once.
                unreadableBases.insert(base)
                throw error
            }
        }
        return prefix
    }

    /// Turns errors of seals and stores into `VaultError`s about this object. Other errors stay as they are.
    private func damage(_ error: any Error, in name: ObjectName) -> any Error {
        switch error {
        case let error as SealError: VaultError.damaged(.object(name.text), .seal(error))
        case let error as StorageError: VaultError.of(error, name)
        default: error
        }
    }

    /// The object with the blocks of a pack.
    private func object(of number: UInt32) throws -> SealedBlocks {
        if let object = objects[number] { return object }
        let pack = index.packs[Int(number)]
        if let damage = packs.damage(to: pack) { throw damage }
        let object = try SealedBlocks(
            try packs.source(of: pack, in: vault.objects, vault.log), of: vault, pack.commit == nil ? .pack : .commit,
            pack.name)
        if objects.count > 64 { objects.removeAll() }
        objects[number] = object
        return object
    }

    /// Reads a whole pack, block after block without the cache. Every sealed chunk must open, every chunk of content
    /// must have its id, and the footer must agree with the record.
    ///
    /// Throws as `withChunk`; also `VaultError.missing` if the index has no such record.
    package func verify(_ record: PackRecord) throws {
        guard let number = index.numbers(of: record.id).first(where: { index.record($0) == record }) else {
            throw VaultError.missing(.object(record.name.text))
        }
        try verify(packNumber: number)
    }

    /// The same by the record's number in the index.
    package func verify(packNumber number: Int) throws {
        let others = prefetch
        prefetch = others ?? BlockPrefetch(of: vault, index, packs, pack: number)
        defer {
            if others == nil { prefetch?.stop() }
            prefetch = others
        }
        let record = index.record(number)
        // At most one of several records of a pack is true. The footer shows which, without reading the whole.
        if index.numbers(of: record.id).count > 1 { try verifyEnd(ofPack: number) }
        var buffer: [UInt8] = []
        for (block, entry) in zip(index.packs[number].blocks, record.blocks) where !isBaseGivenUp(of: UInt32(block)) {
            let raw = try readBlock(UInt32(block), into: buffer.taken())
            buffer = raw.bytes
            var offset = raw.start
            for chunk in entry.chunks {
                let end = offset + Int(chunk.length)
                guard end <= raw.start + raw.count,
                    BLAKE2b.chunkID(of: buffer.span.extracting(offset..<end), key: vault.key.chunkIDs) == chunk.id
                else { throw lie(number, .otherChunk) }
                offset = end
            }
        }
        try verifyEnd(ofPack: number, isWhole: true)
    }

    /// True if all places of a base of the block are in packs that were given up: no reader can open it, and that is no
    /// damage (docs/format.md §5).
    private func isBaseGivenUp(of block: UInt32) -> Bool {
        guard !givenUp.isEmpty else { return false }
        return index.bases(of: block).contains { base in
            let places = index.wholeLocations(of: base)
            return !places.isEmpty
                && places.allSatisfy { givenUp.contains(index.packs[index.packNumber(of: $0)].id) }
        }
    }

    /// Compares a record with the end of its pack: the footer, and its length (docs/format.md §5); or with the
    /// record in the commit that holds the blocks.
    ///
    /// Throws `VaultError.damaged` with `.otherFooter` if they differ, and otherwise as `withChunk`.
    package func verifyEnd(ofPack number: Int) throws { try verifyEnd(ofPack: number, isWhole: false) }

    /// The same; `isWhole`: every sealed piece behind the blocks must open.
    private func verifyEnd(ofPack number: Int, isWhole: Bool) throws {
        let record = index.record(number)
        if let commit = record.commit { return try verifyInline(record, in: commit, number) }
        do {
            let expected = record.footer() + UInt32(record.footer().count).bytes
            try readingAgain(UInt32(number)) { _, _ in
                let object = try object(of: UInt32(number))
                let end = object.plainSize - expected.count
                guard end >= record.storedLength, try object.plaintext(end..<object.plainSize) == expected else {
                    throw lie(number, .otherFooter)
                }
                // The zeros in between carry nothing, but damage there is damage of the disk.
                var start = record.storedLength
                while isWhole, start < end {
                    _ = try object.plaintext(start..<min(end, start + Self.piece))
                    start += Self.piece
                }
            }
        } catch {
            throw damage(error, in: record.name)
        }
    }

    /// Compares a record of inline blocks with that in the commit which holds them.
    private func verifyInline(_ record: PackRecord, in commit: LogPosition, _ number: Int) throws {
        if let damage = packs.damage(to: index.packs[number]) { throw damage }
        let entry = LogEntry(position: commit, size: packs.bytes(of: index.packs[number]))
        guard try vault.ownCommit(entry).pack(record.id) == record else { throw lie(number, .otherFooter) }
    }
}

extension Span<UInt8> {
    /// True if the bytes are equal; `other` must be as long. The loop has no early exit, so that the compiler can
    /// compare many bytes at a time.
    fileprivate func isSame(as other: Span<UInt8>) -> Bool {
        var difference: UInt8 = 0
        for i in 0..<count { difference |= self[i] ^ other[i] }
        return difference == 0
    }
}

extension UInt32 {
    fileprivate var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.u32(self)
        return writer.bytes
    }
}
