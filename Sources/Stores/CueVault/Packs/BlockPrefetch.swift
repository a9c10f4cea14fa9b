package import CueBase
import CueCrypto
import CueStorage
import CueSystem
import Synchronization

/// Reads the blocks of a vault behind a network before they are asked for: each read there waits for its answer.
///
/// Blocks that stand side by side in a pack and are asked for one after the other are one read.
package final class BlockPrefetch: Sendable {
    private struct Limits {
        /// The reads that are under way at once.
        let reads: Int
        /// The bytes of sealed blocks that may wait to be asked for.
        let room: Int
        /// The reads that are kept after their first block was asked for: two readers may need the same block.
        let open: Int
    }

    private static let usual = Limits(reads: 12, room: 48 << 20, open: max(4, Workers.coreCount))
    /// For one pack: several of them are read at once.
    private static let ofOnePack = Limits(reads: 4, room: 16 << 20, open: 2)
    /// The most bytes of one read, unless a single block has more.
    private static let readAtMost = 4 << 20
    /// The buffers that are kept to be used again.
    private static let spareAtMost = 4

    /// A range of a pack with the blocks in it.
    private struct Read {
        let pack: ChunkIndex.PackSummary
        var range: Range<Int>
        /// Whether no read before it is of this pack. It brings the header, which a reader needs before a block.
        let isFirst: Bool
    }

    /// The sealed bytes of a block, among others.
    struct Part {
        let bytes: [UInt8]
        let range: Range<Int>
    }

    /// Where a block is: the number of its read, and its range in the pack.
    private let places: [UInt32: (read: Int, range: Range<Int>)]
    private let all: [Read]
    private let openAtMost: Int
    private let sealed: Prefetcher<[UInt8]>
    /// A reader of a block waits for the read that brings it, and for few others: the reads share these locks.
    private let turns: [Turn]
    /// The one that was asked for last comes last.
    private let open = Mutex<[(number: Int, bytes: [UInt8])]>([])
    /// Buffers of earlier reads: the system clears each page of new memory.
    private let spare: Spare

    private final class Spare: Sendable {
        private let buffers = Mutex<[[UInt8]]>([])

        func take() -> [UInt8] { buffers.withLock { $0.popLast() ?? [] } }

        func keep(_ buffer: consuming [UInt8]) {
            buffers.withLock { [buffer] buffers in
                if buffers.count < BlockPrefetch.spareAtMost { buffers.append(buffer) }
            }
        }
    }

    private final class Turn: Sendable {
        let lock = Mutex(())
    }

    /// Begins to read the blocks of these chunks. `order`: the chunks, as they will be asked for. nil if the reads of
    /// this store are no downloads: then a reader is as fast without it.
    package convenience init?(
        of vault: Vault, _ index: ChunkIndex, _ packs: PresentPacks, order: some Sequence<ChunkID>
    ) {
        guard vault.objects.readsAreDownloads else { return nil }
        var (blocks, known) = ([UInt32](), Set<UInt32>())
        func add(_ block: UInt32) {
            guard known.insert(block).inserted else { return }
            for base in index.bases(of: block) {
                if let first = index.wholeLocations(of: base).first { add(first.block) }
            }
            blocks.append(block)
        }
        for chunk in order { if let first = index.location(of: chunk) { add(first.block) } }
        self.init(of: vault, index, packs, blocks, Self.usual)
    }

    /// Begins to read the blocks of one pack, without the bases of deltas. nil if the reads of this store are no
    /// downloads, or if there is only one block.
    convenience init?(of vault: Vault, _ index: ChunkIndex, _ packs: PresentPacks, pack number: Int) {
        guard vault.objects.readsAreDownloads, index.packs[number].blocks.count > 1 else { return nil }
        self.init(of: vault, index, packs, index.packs[number].blocks.map { UInt32($0) }, Self.ofOnePack)
    }

    private init(
        of vault: Vault, _ index: ChunkIndex, _ packs: PresentPacks, _ blocks: [UInt32], _ limits: Limits
    ) {
        var places: [UInt32: (read: Int, range: Range<Int>)] = [:]
        var reads: [Read] = []
        var seen = Set<ObjectName>()
        func add(_ block: UInt32) {
            guard places[block] == nil else { return }
            let location = index.blocks[Int(block)]
            let pack = index.packs[Int(location.pack)]
            let plain = Int(location.offset)..<Int(location.offset) + Int(location.storedLength)
            let range = SealedObject.sealedRange(of: plain, size: packs.bytes(of: pack))
            // The ends of two blocks that touch lie in one sealed chunk.
            if let last = reads.last, last.pack.name == pack.name,
                last.range.contains(range.lowerBound) || last.range.upperBound == range.lowerBound,
                range.upperBound - last.range.lowerBound <= Self.readAtMost
            {
                reads[reads.count - 1].range = last.range.lowerBound..<max(last.range.upperBound, range.upperBound)
            } else {
                let isFirst = seen.insert(pack.name).inserted
                // The header stands before the first chunk.
                let start = isFirst && range.lowerBound == SealedObject.header ? 0 : range.lowerBound
                reads.append(Read(pack: pack, range: start..<range.upperBound, isFirst: isFirst))
            }
            places[block] = (reads.count - 1, range)
        }
        for block in blocks { add(block) }
        (self.places, all, openAtMost) = (places, reads, limits.open)
        turns = (0..<4 * limits.reads).map { _ in Turn() }
        let spare = Spare()
        self.spare = spare
        sealed = Prefetcher(count: reads.count, threads: limits.reads, room: limits.room) { [reads] in
            reads[$0].range.count
        } make: { [reads] number in
            let read = reads[number]
            var bytes = spare.take()
            bytes.makeRoom(for: read.range.count)
            var all = bytes.mutableSpan
            var span = all._mutatingExtracting(0..<read.range.count)
            let source = try packs.source(of: read.pack, in: vault.objects, vault.log)
            if read.isFirst, read.range.lowerBound > 0 { _ = try vault.header(of: read.pack.name, source) }
            try source.read(at: read.range.lowerBound, into: &span)
            if read.range.lowerBound == 0 { vault.keepHeader(Array(bytes[..<SealedObject.header]), of: read.pack.name) }
            return bytes
        }
    }

    /// The sealed bytes of a block; nil if they were not read ahead. Then the reader reads them, and reports errors.
    func bytes(of block: UInt32) -> Part? {
        guard let place = places[block] else { return nil }
        let start = all[place.read].range.lowerBound
        let range = place.range.lowerBound - start..<place.range.upperBound - start
        return turns[place.read % turns.count].lock.withLock { _ in
            if let bytes = openBytes(of: place.read) { return Part(bytes: bytes, range: range) }
            guard let bytes = sealed.value(of: place.read) else { return nil }
            open.withLock { open in
                if open.count >= openAtMost { spare.keep(open.removeFirst().bytes) }
                open.append((place.read, bytes))
            }
            return Part(bytes: bytes, range: range)
        }
    }

    /// The bytes of a read that was asked for already.
    private func openBytes(of read: Int) -> [UInt8]? {
        open.withLock { open in
            guard let index = open.firstIndex(where: { $0.number == read }) else { return nil }
            open.append(open.remove(at: index))
            return open[open.count - 1].bytes
        }
    }

    /// Ends the reads. No reader may use it any more.
    package func stop() { sealed.stop() }
}
