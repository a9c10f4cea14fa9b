package import CueBase
import CueCrypto
import CueStorage
import CueSystem
import Synchronization

/// Reads the blocks of a vault behind a network before they are asked for: each read there waits for its answer.
///
/// Blocks that stand side by side in a pack and are asked for one after the other are one read.
package final class BlockPrefetch: Sendable {
    /// The reads that are under way at once, and the bytes of sealed blocks that may wait to be asked for.
    private static let usual = (reads: 8, room: 32 << 20)
    /// The same for one pack: several of them are read at once.
    private static let ofOnePack = (reads: 2, room: 12 << 20)
    /// The most bytes of one read, unless a single block has more.
    private static let readAtMost = 4 << 20
    /// The reads that are kept of which some blocks were asked for, and some not yet.
    private static let openAtMost = 8

    /// A range of a pack with the blocks in it.
    private struct Read {
        let pack: ChunkIndex.PackSummary
        var range: Range<Int>
        var blocks = 1
    }

    /// The bytes of a read of which some blocks were not asked for yet.
    private struct Open {
        let number: Int
        let bytes: [UInt8]
        var left: Int
    }

    /// Where a block is: the number of its read, and its range in the pack.
    private let places: [UInt32: (read: Int, range: Range<Int>)]
    private let all: [Read]
    private let sealed: Prefetcher<[UInt8]>
    /// A reader of a block waits for the read that brings it, and for few others: the reads share these locks.
    private let turns: [Turn]
    private let open = Mutex<[Open]>([])

    private final class Turn: Sendable {
        let lock = Mutex(())
    }

    /// Begins to read the blocks of these chunks. `order`: the chunks, as they will be asked for. nil if the reads of
    /// this store are no downloads: then a reader is as fast without it.
    package convenience init?(
        of vault: Vault, _ index: ChunkIndex, _ packs: PresentPacks, order: some Sequence<ChunkID>
    ) {
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
        guard index.packs[number].blocks.count > 1 else { return nil }
        self.init(of: vault, index, packs, index.packs[number].blocks.map { UInt32($0) }, Self.ofOnePack)
    }

    private init?(
        of vault: Vault, _ index: ChunkIndex, _ packs: PresentPacks, _ blocks: [UInt32],
        _ limits: (reads: Int, room: Int)
    ) {
        guard vault.objects.readsAreDownloads else { return nil }
        var places: [UInt32: (read: Int, range: Range<Int>)] = [:]
        var reads: [Read] = []
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
                reads[reads.count - 1].blocks += 1
            } else {
                reads.append(Read(pack: pack, range: range))
            }
            places[block] = (reads.count - 1, range)
        }
        for block in blocks { add(block) }
        (self.places, all) = (places, reads)
        turns = (0..<4 * limits.reads).map { _ in Turn() }
        sealed = Prefetcher(count: reads.count, threads: limits.reads, room: limits.room) { [reads] in
            reads[$0].range.count
        } make: { [reads] number in
            var bytes = [UInt8](repeating: 0, count: reads[number].range.count)
            var span = bytes.mutableSpan
            let source = try packs.source(of: reads[number].pack, in: vault.objects, vault.log)
            // The reader needs the header before it can open a block.
            _ = try vault.header(of: reads[number].pack.name, source)
            try source.read(at: reads[number].range.lowerBound, into: &span)
            return bytes
        }
    }

    /// The sealed bytes of a block; nil if they were not read ahead. Then the reader reads them, and reports errors.
    func bytes(of block: UInt32) -> [UInt8]? {
        guard let place = places[block] else { return nil }
        let read = all[place.read]
        if read.blocks == 1 { return sealed.value(of: place.read) }
        return turns[place.read % turns.count].lock.withLock { _ in
            if let part = part(of: place) { return part }
            guard let bytes = sealed.value(of: place.read) else { return nil }
            open.withLock { open in
                if open.count >= Self.openAtMost { open.removeFirst() }
                open.append(Open(number: place.read, bytes: bytes, left: read.blocks))
            }
            return part(of: place)
        }
    }

    /// The bytes of a block whose read was asked for already.
    private func part(of place: (read: Int, range: Range<Int>)) -> [UInt8]? {
        let start = all[place.read].range.lowerBound
        return open.withLock { open in
            guard let index = open.firstIndex(where: { $0.number == place.read }) else { return nil }
            let part = Array(open[index].bytes[(place.range.lowerBound - start)..<(place.range.upperBound - start)])
            open[index].left -= 1
            if open[index].left == 0 { open.remove(at: index) }
            return part
        }
    }

    /// Ends the reads. No reader may use it any more.
    package func stop() { sealed.stop() }
}
