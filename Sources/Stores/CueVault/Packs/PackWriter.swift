package import CueBase
import CueCrypto
import CueSodium
import CueStorage
import CueZstd

/// Puts new chunks into blocks, and blocks into packs (docs/format.md §5). One worker owns one writer.
///
/// Memory: one raw block, one compressed block, 256 KiB of sealed chunks, and the store's buffers: about 5 MiB. A
/// writer that goes away drops the pack that it has begun.
package final class PackWriter {
    /// A block takes chunks up to this many bytes (docs/format.md §9). A larger chunk is a block of its own.
    private static let blockTarget = 1 << 20
    /// A pack ends with the block that brings it to this many bytes.
    private static let packTarget = 32 << 20

    private let vault: Vault
    private let compressor: ZstdCompressor
    private let uploads: PackUploads
    private var raw: [UInt8] = []
    private var chunks: [ChunkEntry] = []
    private var compressed: [UInt8] = []
    private var pack: OpenPack?

    private struct OpenPack {
        let id: PackID
        let output: SealedWriter
        var blocks: [BlockRecord] = []
    }

    /// A writer for a vault. `uploads` makes each full pack durable. Throws `ZstdError` if there is no memory.
    package init(for vault: Vault, _ uploads: PackUploads) throws {
        (self.vault, self.uploads) = (vault, uploads)
        compressor = try ZstdCompressor(level: 3)
        raw.reserveCapacity(Self.blockTarget)
    }

    /// Takes a chunk that the vault does not have yet. `id` must be its id in this vault.
    ///
    /// Throws `ZstdError`, and the error of the store, also that of an earlier pack.
    package func add(_ bytes: Span<UInt8>, id: ChunkID) throws {
        if !raw.isEmpty && raw.count + bytes.count > Self.blockTarget { try flushBlock() }
        raw.append(bytes)
        chunks.append(ChunkEntry(id: id, length: UInt32(bytes.count)))
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
        let output = try openPack()
        if isWorthIt { try output.write(compressed.span.extracting(0..<length)) } else { try output.write(raw.span) }
        pack?.blocks.append(
            BlockRecord(
                codec: isWorthIt ? .zstd : .stored, storedLength: isWorthIt ? length : raw.count, rawLength: raw.count,
                chunks: chunks))
        chunks.removeAll(keepingCapacity: true)
        if output.plainSize >= Self.packTarget { try finishPack() }
    }

    private func openPack() throws -> SealedWriter {
        if let pack { return pack.output }
        let (id, name) = vault.newPack()
        let output = try SealedWriter(
            try vault.objects.makeWriter(for: name), sealer: vault.sealer(for: .pack, name))
        pack = OpenPack(id: id, output: output)
        return output
    }

    private func finishPack() throws {
        guard let pack else { return }
        let draft = PackRecord(id: pack.id, size: 0, blocks: pack.blocks)
        let footer = draft.footer()
        var end = ByteWriter()
        let zeros = Padding.zeros(after: pack.output.plainSize + footer.count + 4, multiple: Padding.ofPacks)
        end.raw([UInt8](repeating: 0, count: zeros))
        end.raw(footer)
        end.u32(UInt32(footer.count))
        try pack.output.write(end.bytes.span)
        let record = PackRecord(id: pack.id, size: try pack.output.seal(), blocks: pack.blocks)
        self.pack = nil
        try uploads.finish(pack.output, record)
    }

    /// Ends the last block and the last pack. They are durable once `PackUploads.finish` has returned. Throws as `add`.
    package func finish() throws {
        try flushBlock()
        try finishPack()
    }

    deinit { pack?.output.cancel() }
}
