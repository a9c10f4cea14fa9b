package import CueBase
import CueCrypto
import CueStorage
import CueSystem

/// Reads the blocks of a vault behind a network before they are asked for: each read there waits for its answer.
package final class BlockPrefetch: Sendable {
    /// How many reads are under way at once.
    private static let reads = 8
    /// The bytes of sealed blocks that may wait to be asked for.
    private static let room = 32 << 20

    private let numbers: [UInt32: Int]
    private let sealed: Prefetcher<[UInt8]>

    /// Begins to read the blocks of these chunks. `order`: the chunks, as they will be asked for. nil if the reads of
    /// this store are no downloads: then a reader is as fast without it.
    package init?(of vault: Vault, _ index: ChunkIndex, _ packs: PresentPacks, order: some Sequence<ChunkID>) {
        guard vault.objects.readsAreDownloads else { return nil }
        var numbers: [UInt32: Int] = [:]
        var places: [(pack: ChunkIndex.PackSummary, range: Range<Int>)] = []
        func add(_ block: UInt32) {
            guard numbers[block] == nil else { return }
            for base in index.bases(of: block) {
                if let first = index.wholeLocations(of: base).first { add(first.block) }
            }
            let location = index.blocks[Int(block)]
            let pack = index.packs[Int(location.pack)]
            let plain = Int(location.offset)..<Int(location.offset) + Int(location.storedLength)
            numbers[block] = places.count
            places.append((pack, SealedObject.sealedRange(of: plain, size: packs.bytes(of: pack))))
        }
        for chunk in order { if let first = index.location(of: chunk) { add(first.block) } }
        self.numbers = numbers
        let all = places
        sealed = Prefetcher(count: all.count, threads: Self.reads, room: Self.room) {
            all[$0].range.count
        } make: { number in
            var bytes = [UInt8](repeating: 0, count: all[number].range.count)
            var span = bytes.mutableSpan
            let source = try packs.source(of: all[number].pack, in: vault.objects, vault.log)
            try source.read(at: all[number].range.lowerBound, into: &span)
            return bytes
        }
    }

    /// The sealed bytes of a block; nil if they were not read ahead. Then the reader reads them, and reports errors.
    func bytes(of block: UInt32) -> [UInt8]? { numbers[block].flatMap { sealed.value(of: $0) } }

    /// Ends the reads. No reader may use it any more.
    package func stop() { sealed.stop() }
}
