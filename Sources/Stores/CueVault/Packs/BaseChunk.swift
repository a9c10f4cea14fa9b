package import CueBase
import CueCrypto
import CueStorage

/// The place of a chunk that is stored in full, so that later chunks may be deltas against it (docs/format.md §5). It is
/// enough to read the chunk without an index. Lengths and offsets are in bytes.
package struct BaseChunk: Hashable, Sendable {
    /// The chunk.
    package let id: ChunkID
    /// Its length, at most `Limits.block`.
    package let length: UInt32
    /// The pack.
    private let pack: PackID
    /// The commit that holds the block itself; nil if a pack does.
    private let commit: LogPosition?
    /// The size of the object.
    private let size: Int
    /// The place of the block in the plaintext of the object.
    private let blockOffset: UInt32
    private let storedLength: UInt32
    private let rawLength: UInt32
    private let codec: Codec
    /// The place of the chunk in the block.
    private let offset: UInt32

    /// The share of the chunk in what its block takes.
    package var storedShare: Int { Int(storedLength) * Int(length) / Int(rawLength) }

    /// The chunks of a pack that are stored in full and whose ids are among `wanted`. `size` is that of the object.
    package static func all(of pack: PackRecord, size: Int, _ wanted: Set<ChunkID>) -> [BaseChunk] {
        var found: [BaseChunk] = []
        var blockOffset = pack.firstOffset
        for block in pack.blocks {
            var offset: UInt32 = 0
            for chunk in block.chunks {
                if block.codec != .delta, wanted.contains(chunk.id) {
                    found.append(BaseChunk(chunk, at: offset, of: block, at: blockOffset, pack, size))
                }
                offset += chunk.length
            }
            blockOffset += UInt32(block.storedLength)
        }
        return found
    }

    private init(
        _ chunk: ChunkEntry, at offset: UInt32, of block: BlockRecord, at blockOffset: UInt32, _ pack: PackRecord,
        _ size: Int
    ) {
        (id, length, self.offset, self.blockOffset) = (chunk.id, chunk.length, offset, blockOffset)
        (storedLength, rawLength, codec) = (UInt32(block.storedLength), UInt32(block.rawLength), block.codec)
        (self.pack, commit, self.size) = (pack.id, pack.commit, size)
    }

    /// Reads the chunk. `buffer` is used if it is large enough.
    ///
    /// Throws `VaultError.damaged` with `.otherChunk` if other bytes stand there, and the errors of seals and stores.
    func read(of vault: Vault, _ reader: BlockReader) throws -> [UInt8] {
        let name = PackRecord.name(of: pack, commit)
        let source =
            try commit.map { try vault.log.source(of: LogEntry(position: $0, size: size)) }
            ?? .object(vault.objects, name, size: size)
        let object = try SealedBlocks(source, of: vault, commit == nil ? .pack : .commit, name)
        let block = try reader.read(
            BlockLocation(offset: blockOffset, storedLength: storedLength, rawLength: rawLength, codec: codec),
            of: object, into: [])
        let range = block.start + Int(offset)..<block.start + Int(offset) + Int(length)
        guard range.upperBound <= block.start + block.count,
            vault.chunkID(of: block.bytes.span.extracting(range)) == id
        else { throw VaultError.damaged(.object(name.text), .otherChunk) }
        return Array(block.bytes[range])
    }

    // MARK: In the local store

    /// Writes what `init(_:)` reads.
    package func encode(_ writer: inout ByteWriter) {
        writer.id(id)
        writer.varint(Int(length))
        writer.id(pack)
        writer.u8(commit == nil ? 0 : 1)
        if let commit { writer.position(commit) }
        for number in [size, Int(blockOffset), Int(storedLength), Int(rawLength), Int(codec.rawValue), Int(offset)] {
            writer.varint(number)
        }
    }

    /// Reads a place. Throws `FormatError` if it is none.
    package init(_ reader: inout ByteReader) throws(FormatError) {
        id = try reader.id32()
        length = UInt32(try reader.count(upTo: Limits.block))
        pack = try reader.id16()
        commit = try reader.u8() == 0 ? nil : try reader.logPosition()
        size = try reader.count(upTo: Limits.recordObject)
        blockOffset = UInt32(try reader.count(upTo: Limits.pack))
        storedLength = UInt32(try reader.count(upTo: 2 * Limits.block))
        rawLength = UInt32(try reader.count(upTo: Limits.block))
        guard let codec = Codec(rawValue: try reader.u8()), codec != .delta, rawLength > 0 else {
            throw .invalid(.unknownBlockCodec)
        }
        self.codec = codec
        offset = UInt32(try reader.count(upTo: Limits.block))
    }
}

/// Reads base chunks for one worker. It keeps those that it read last.
package final class BaseReader {
    private let vault: Vault
    private let blocks: BlockReader
    private var last: [(id: ChunkID, bytes: [UInt8])] = []

    /// Throws `ZstdError` if there is no memory.
    package init(of vault: Vault) throws { (self.vault, blocks) = (vault, try BlockReader()) }

    /// The content of a chunk; nil if it cannot be read there now, for whatever reason. Then nothing should depend on it.
    package func content(of base: BaseChunk) -> [UInt8]? {
        if let known = last.first(where: { $0.id == base.id }) { return known.bytes }
        guard let bytes = try? base.read(of: vault, blocks) else { return nil }
        if last.count >= Limits.bases { last.removeFirst() }
        last.append((base.id, bytes))
        return bytes
    }
}
