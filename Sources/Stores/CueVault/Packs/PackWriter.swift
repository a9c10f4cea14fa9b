package import CueBase
import CueCrypto
import CueSodium
import CueStorage
import CueZstd

/// Puts new chunks into blocks, and blocks into packs, or few of them into the commit (docs/format.md §5). One worker
/// owns one writer.
///
/// Memory: one raw block, one compressed block, 256 KiB of sealed chunks, and the store's buffers: about 5 MiB. A
/// writer that goes away drops the pack that it has begun.
package final class PackWriter {
    /// A block takes chunks up to this many bytes (docs/format.md §9). A larger chunk is a block of its own.
    private static let blockTarget = 1 << 20
    /// A pack in which fewer bytes are left is full.
    private static let leastRoom = 16 << 10

    private let vault: Vault
    private let compressor: ZstdCompressor
    /// For deltas, which are small: the time goes into finding what repeats.
    private let deltaCompressor: ZstdCompressor
    private let uploads: PackUploads
    private var raw: [UInt8] = []
    private var chunks: [ChunkEntry] = []
    private var compressed: [UInt8] = []
    private var pack: OpenPack?
    /// The blocks so far, while no pack is open.
    private var held = InlineBlocks()

    private struct OpenPack {
        let id: PackID
        let output: SealedWriter
        var blocks: [BlockRecord] = []
        /// The most bytes that the footer has so far.
        var footer = 16

        /// The bytes of a block of these chunks that still fit, with what the footer says of it.
        func room(forBlockOf chunks: Int, bases: Int = 0) -> Int {
            (SealedObject.plainSize(Padding.fullPack) ?? 0) - output.plainSize - footer
                - Self.footer(ofBlockOf: chunks, bases: bases)
        }

        mutating func add(_ block: BlockRecord) {
            blocks.append(block)
            footer += Self.footer(ofBlockOf: block.chunks.count, bases: block.bases.count)
        }

        private static func footer(ofBlockOf chunks: Int, bases: Int) -> Int { 20 + 33 * bases + 4 * chunks }
    }

    /// A writer for a vault. `uploads` makes each full pack durable. Throws `ZstdError` if there is no memory.
    package init(for vault: Vault, _ uploads: PackUploads) throws {
        (self.vault, self.uploads) = (vault, uploads)
        compressor = try ZstdCompressor(level: 3)
        deltaCompressor = try ZstdCompressor(level: 12)
        raw.reserveCapacity(Self.blockTarget)
    }

    /// Takes a chunk that the vault does not have yet. `id` must be its id in this vault.
    ///
    /// Throws `ZstdError`, and the error of the store, also that of an earlier pack.
    package func add(_ bytes: Span<UInt8>, id: ChunkID) throws {
        // The last block of a pack fills it, so that full packs have one size.
        let room = min(Self.blockTarget, pack?.room(forBlockOf: chunks.count + 1) ?? .max)
        if !raw.isEmpty && raw.count + bytes.count > room { try flushBlock() }
        raw.append(bytes)
        chunks.append(ChunkEntry(id: id, length: UInt32(bytes.count)))
    }

    /// Takes a chunk as a delta against `bases`, if that has at most `limit` bytes as it is stored. Returns these bytes;
    /// nil if the delta is longer. Then nothing is added.
    ///
    /// The bases are stored in full, and belong to the same document (docs/format.md §9). Throws as `add`.
    package func add(
        _ bytes: Span<UInt8>, id: ChunkID, against bases: [(id: ChunkID, bytes: [UInt8])], atMost limit: Int
    ) throws -> Int? {
        let prefix = bases.flatMap(\.bytes)
        var delta = [UInt8](repeating: 0, count: ZstdCompressor.bound(bytes.count))
        var target = delta.mutableSpan
        let length = try deltaCompressor.compress(bytes, after: prefix.span, into: &target)
        guard length <= limit else { return nil }
        // The chunks that were added before keep their place in front.
        try flushBlock()
        try put(
            BlockRecord(
                codec: .delta, storedLength: length, rawLength: bytes.count, bases: bases.map(\.id),
                chunks: [ChunkEntry(id: id, length: UInt32(bytes.count))]),
            delta.span.extracting(0..<length))
        return length
    }

    private func flushBlock() throws {
        guard !raw.isEmpty else { return }
        // Take the buffers out of the object while spans of them are lent, and put them back: so they are allocated
        // once.
        var (raw, compressed) = (self.raw, self.compressed)
        (self.raw, self.compressed) = ([], [])
        defer {
            raw.removeAll(keepingCapacity: raw.capacity <= 2 * Self.blockTarget)
            (self.raw, self.compressed) = (raw, compressed)
        }
        let bound = ZstdCompressor.bound(raw.count)
        if compressed.count < bound { compressed = [UInt8](repeating: 0, count: bound) }
        var target = compressed.mutableSpan
        let length = try compressor.compress(raw.span, into: &target)
        // A block that does not shrink by one part in 32 is not worth the time to decompress it.
        let isWorthIt = length <= raw.count - raw.count / 32
        let block = BlockRecord(
            codec: isWorthIt ? .zstd : .stored, storedLength: isWorthIt ? length : raw.count, rawLength: raw.count,
            chunks: chunks)
        chunks.removeAll(keepingCapacity: true)
        if isWorthIt { try put(block, compressed.span.extracting(0..<length)) } else { try put(block, raw.span) }
    }

    /// Adds a block, which is stored as `bytes`.
    private func put(_ block: BlockRecord, _ bytes: Span<UInt8>) throws {
        if pack == nil && held.add(block, bytes, room: vault.inlineRoom) { return }
        if let pack, pack.room(forBlockOf: block.chunks.count, bases: block.bases.count) < bytes.count {
            try finishPack(isFull: true)
        }
        let output = try openPack()
        try output.write(bytes)
        pack?.add(block)
        if let pack, pack.room(forBlockOf: 1) < Self.leastRoom { try finishPack(isFull: true) }
    }

    /// Opens a pack, if none is open, and moves the blocks into it that were held for the commit.
    private func openPack() throws -> SealedWriter {
        if let pack { return pack.output }
        let (id, name) = vault.newPack()
        let output = try SealedWriter(
            try vault.objects.makeWriter(for: name), sealer: vault.sealer(for: .pack, name))
        pack = OpenPack(id: id, output: output)
        let held = held
        self.held = InlineBlocks()
        try output.write(held.bytes.span)
        for block in held.blocks { pack?.add(block) }
        return output
    }

    private func finishPack(isFull: Bool = false) throws {
        guard let pack else { return }
        let draft = PackRecord(id: pack.id, size: 0, blocks: pack.blocks)
        let footer = draft.footer()
        var end = ByteWriter()
        let count = pack.output.plainSize + footer.count + 4
        let full = isFull ? Padding.ofFullPack(after: count) : nil
        let zeros = full ?? Padding.ofPack(after: count, before: uploads.bytes)
        end.raw([UInt8](repeating: 0, count: zeros))
        end.raw(footer)
        end.u32(UInt32(footer.count))
        try pack.output.write(end.bytes.span)
        let record = PackRecord(id: pack.id, size: try pack.output.seal(), blocks: pack.blocks)
        self.pack = nil
        try uploads.finish(pack.output, record)
    }

    /// Ends the last block and the last pack. They are durable once `PackUploads.finish` has returned, and few blocks
    /// with the commit that takes them (`PackUploads.takeInline`). Throws as `add`.
    package func finish() throws {
        try flushBlock()
        if pack == nil, !held.isEmpty {
            if uploads.add(held) { return held = InlineBlocks() }
            _ = try openPack()
        }
        try finishPack()
    }

    deinit { pack?.output.cancel() }
}
