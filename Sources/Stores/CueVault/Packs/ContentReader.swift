package import CueBase
import CueCrypto
import CueSodium
import CueStorage
import CueZstd

/// Reads chunks out of packs and verifies each by its id. One worker owns one reader.
///
/// Memory: a few raw blocks of mostly 1 MiB, one sealed and one compressed block: about 6 MiB. All buffers are used
/// again.
package final class ContentReader {
    private static let cachedBlocks = 4
    private static let cachedBytes = 4 << 20

    private let vault: Vault
    private let index: ChunkIndex
    private let packs: PresentPacks
    private let prefetch: BlockPrefetch?
    private let decompressor: ZstdDecompressor
    private var openers: [UInt32: Opener] = [:]
    /// The block that was used last comes last.
    private var cache: [RawBlock] = []
    private var sealed: [UInt8] = []
    private var compressed: [UInt8] = []
    /// The numbers of pack records that turned out to be false: the pack holds something else.
    package private(set) var liars: Set<Int> = []
    /// The most places of one chunk that are tried in packs whose records are false.
    private static let lastResorts = 16

    /// The content of a block, in a buffer that may hold more before and after it.
    private struct RawBlock {
        var number: UInt32
        var bytes: [UInt8]
        var start: Int
        var count: Int
    }

    /// A reader of a vault with this index, which must be prepared, and the packs that are there. Throws `ZstdError` if
    /// there is no memory.
    ///
    /// `prefetch`: reads blocks of the same index ahead of time, for all readers that share it.
    package init(
        of vault: Vault, _ index: ChunkIndex, _ packs: PresentPacks, prefetch: BlockPrefetch? = nil
    ) throws {
        (self.vault, self.index, self.packs, self.prefetch) = (vault, index, packs, prefetch)
        decompressor = try ZstdDecompressor()
    }

    /// Passes the bytes of a chunk to `body` once they have the id. Tries all places of the chunk.
    ///
    /// Throws `VaultError.missing`, `.damaged` or `.cut`, `StorageError` for an error that heals by itself, and the
    /// errors of `body`.
    package func withChunk<Result>(_ id: ChunkID, _ body: (Span<UInt8>) throws -> Result) throws -> Result {
        guard let location = index.location(of: id) else {
            throw VaultError.missing(.unplacedContent)
        }
        let found = try findAnywhere(id, first: location)
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
        let block: RawBlock
        /// Where in the block's buffer.
        let range: Range<Int>
    }

    private func findAnywhere(_ id: ChunkID, first location: ChunkLocation) throws -> Found {
        do { return try find(id, at: location) } catch let error as VaultError {
            return try findElsewhere(id, instead: error)
        }
    }

    private func find(_ id: ChunkID, at location: ChunkLocation) throws -> Found {
        let block = try block(location.block)
        let start = block.start + Int(location.offset)
        let range = start..<start + Int(location.length)
        guard range.upperBound <= block.start + block.count,
            BLAKE2b.chunkID(of: block.bytes.span.extracting(range), key: vault.key.chunkIDs) == id
        else { throw lie(index.packNumber(of: location), .otherChunk) }
        return Found(block: block, range: range)
    }

    /// Looks in the other places of a chunk: another pack may have what one lost or never held.
    private func findElsewhere(_ id: ChunkID, instead error: VaultError) throws -> Found {
        let places = index.otherLocations(of: id)
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
        return .damaged(.object(PackRecord.name(of: index.packs[pack].id).text), damage)
    }

    private func block(_ number: UInt32) throws -> RawBlock {
        if let hit = cache.lastIndex(where: { $0.number == number }) {
            if hit != cache.count - 1 { cache.append(cache.remove(at: hit)) }
            return cache[cache.count - 1]
        }
        var spare: [UInt8] = []
        let wanted = Int(index.blocks[Int(number)].rawLength)
        while cache.count >= Self.cachedBlocks
            || !cache.isEmpty && cache.reduce(wanted, { $0 + $1.bytes.count }) > Self.cachedBytes
        {
            let oldest = cache.removeFirst()
            // A buffer that is much too large would leave no room for the others.
            if oldest.bytes.count > spare.count && oldest.bytes.count <= 2 * wanted { spare = oldest.bytes }
        }
        cache.append(try readBlock(number, into: spare.taken()))
        return cache[cache.count - 1]
    }

    /// Reads and opens a block. `buffer` is used for its content if it is large enough.
    private func readBlock(_ number: UInt32, into buffer: consuming [UInt8]) throws -> RawBlock {
        let location = index.blocks[Int(number)]
        let name = PackRecord.name(of: index.packs[Int(location.pack)].id)
        do {
            let opener = try opener(of: location.pack)
            let plain = Int(location.offset)..<Int(location.offset) + Int(location.storedLength)
            guard plain.upperBound <= opener.plainSize else {
                throw lie(Int(location.pack), .shorterThanNamed)
            }
            let range = opener.sealedRange(of: plain)
            let first = plain.lowerBound / Cobblestone.chunk
            let skip = plain.lowerBound - first * Cobblestone.chunk
            // Take the buffers out of the object while spans of them are lent.
            var (sealed, compressed) = (self.sealed.taken(), self.compressed.taken())
            defer { (self.sealed, self.compressed) = (sealed, compressed) }
            if let ahead = prefetch?.bytes(of: number), ahead.count == range.count {
                sealed = ahead
            } else {
                sealed.makeRoom(for: range.count)
                var allSealed = sealed.mutableSpan
                var sealedSpan = allSealed._mutatingExtracting(0..<range.count)
                try vault.objects.read(name, at: range.lowerBound, into: &sealedSpan)
            }
            guard location.codec == .zstd else {
                buffer.makeRoom(for: range.count)
                var target = buffer.mutableSpan
                _ = try opener.open(sealed.span.extracting(0..<range.count), firstChunk: first, into: &target)
                return RawBlock(number: number, bytes: buffer, start: skip, count: plain.count)
            }
            compressed.makeRoom(for: range.count)
            var opened = compressed.mutableSpan
            _ = try opener.open(sealed.span.extracting(0..<range.count), firstChunk: first, into: &opened)
            buffer.makeRoom(for: Int(location.rawLength))
            var allRaw = buffer.mutableSpan
            var raw = allRaw._mutatingExtracting(0..<Int(location.rawLength))
            do {
                try decompressor.decompress(compressed.span.extracting(skip..<skip + plain.count), into: &raw)
            } catch {
                throw lie(Int(location.pack), .undecodableBlock)
            }
            return RawBlock(number: number, bytes: buffer, start: 0, count: Int(location.rawLength))
        } catch let error as SealError {
            throw VaultError.damaged(.object(name.text), .seal(error))
        } catch let error as StorageError {
            throw VaultError.of(error, name)
        }
    }

    private func opener(of number: UInt32) throws -> Opener {
        if let opener = openers[number] { return opener }
        let pack = index.packs[Int(number)]
        let name = PackRecord.name(of: pack.id)
        if let damage = packs.damage(to: pack.id, size: pack.size) { throw damage }
        guard pack.size >= SealedObject.header else {
            throw VaultError.damaged(.object(name.text), .size(pack.size, wanted: pack.size))
        }
        var header = [UInt8](repeating: 0, count: SealedObject.header)
        var span = header.mutableSpan
        try vault.objects.read(name, at: 0, into: &span)
        let opener = try vault.opener(for: .pack, name, header: header, sealedSize: pack.size)
        if openers.count > 64 { openers.removeAll() }
        openers[number] = opener
        return opener
    }

    /// Reads a whole pack, block after block without the cache. Every sealed chunk must open, every chunk of content
    /// must have its id, and the footer must agree with the record.
    ///
    /// Throws as `withChunk`; also `VaultError.missing` if the index has no such record.
    package func verify(_ record: PackRecord) throws {
        guard let number = index.numbers(of: record.id).first(where: { index.record($0) == record }) else {
            throw VaultError.missing(.object(PackRecord.name(of: record.id).text))
        }
        try verify(packNumber: number)
    }

    /// The same by the record's number in the index.
    package func verify(packNumber number: Int) throws {
        let record = index.record(number)
        // At most one of several records of a pack is true. The footer shows which, without reading the whole.
        if index.numbers(of: record.id).count > 1 { try verifyEnd(ofPack: number) }
        var buffer: [UInt8] = []
        for (block, entry) in zip(index.packs[number].blocks, record.blocks) {
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
        try verifyEnd(ofPack: number)
    }

    /// Compares a record with the end of its pack: zeros, the footer, and its length (docs/format.md §5).
    ///
    /// Throws `VaultError.damaged` with `.otherFooter` if they differ, and otherwise as `withChunk`.
    package func verifyEnd(ofPack number: Int) throws {
        let record = index.record(number)
        let name = PackRecord.name(of: record.id)
        do {
            let opener = try opener(of: UInt32(number))
            let start = record.blocks.reduce(0) { $0 + $1.storedLength }
            let expected = record.footer() + UInt32(record.footer().count).bytes
            // Writers fill up to a multiple of 4,096, which takes fewer zeros than a chunk has bytes.
            guard start <= opener.plainSize, opener.plainSize - start <= expected.count + Cobblestone.chunk else {
                throw lie(number, .otherFooter)
            }
            let range = opener.sealedRange(of: start..<opener.plainSize)
            var sealed = [UInt8](repeating: 0, count: range.count)
            var sealedSpan = sealed.mutableSpan
            try vault.objects.read(name, at: range.lowerBound, into: &sealedSpan)
            var opened = [UInt8](repeating: 0, count: range.count)
            var openedSpan = opened.mutableSpan
            let count = try opener.open(sealed.span, firstChunk: start / Cobblestone.chunk, into: &openedSpan)
            guard opened[..<count].suffix(expected.count).elementsEqual(expected) else {
                throw lie(number, .otherFooter)
            }
        } catch let error as StorageError {
            throw VaultError.of(error, name)
        } catch let error as SealError {
            throw VaultError.damaged(.object(name.text), .seal(error))
        }
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
