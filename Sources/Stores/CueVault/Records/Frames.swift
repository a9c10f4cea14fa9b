import CueBase
import CueCrypto
import CueSodium
import CueZstd

// This layout is frozen: docs/format.md §6.

/// Collects records into frames, each compressed by itself.
struct FrameWriter {
    /// A frame ends before a record that would bring it over this many raw bytes: small enough to stream, large enough
    /// to compress well.
    private static let target = 1 << 20

    /// The finished frames that were not taken yet.
    private var frames = ByteWriter()
    /// The records of the next frame.
    private var open = ByteWriter()
    /// The bytes of the frames that were taken.
    private var taken = 0
    /// The bytes of the plaintext in front of the frames.
    private let before: Int
    /// The weight of everything so far (`RecordBudget`).
    private var weight = 0
    /// The chunks that versions have named by id so far, and what `ChunkNumbering` may still number.
    private var chunks = 0
    /// Follows the records for the signature.
    private let hasher: BLAKE2b.Stream

    /// `context` is that of the object; `count`: the bytes of the plaintext that stand in front of the frames.
    init(_ context: SealContext, after count: Int = 0) {
        before = count
        hasher = BLAKE2b.Stream(context.bytes)
    }

    /// Adds a record. `things` is the number of devices, versions and members in it, and `chunks` the number of chunks
    /// that it names by id, or that later records may name by number because of it. A reader counts both against the
    /// budget.
    ///
    /// Throws `FormatError.invalid(.recordTooLarge)` if it does not fit into a frame, and `ZstdError`.
    mutating func append(_ kind: RecordKind, _ body: [UInt8], things: Int = 0, chunks: Int = 0) throws {
        guard body.count < Limits.frame - 32 else { throw FormatError.invalid(.recordTooLarge) }
        if open.count > 0 && open.count + body.count > Self.target { try flush() }
        let start = open.count
        open.varint(kind.rawValue)
        open.lengthAndBytes(body)
        hasher.update(open.bytes.span.extracting(start..<open.count))
        weight += things * RecordBudget.thing
        self.chunks += chunks
    }

    private mutating func flush() throws(ZstdError) {
        guard open.count > 0 else { return }
        var compressed = [UInt8](repeating: 0, count: ZstdCompressor.bound(open.count))
        var target = compressed.mutableSpan
        let length = try ZstdCompressor(level: 6).compress(open.bytes.span, into: &target)
        weight += open.count
        // A reader refuses an object that opens to far more than its size (docs/format.md §10). Such a frame is stored
        // raw.
        let isSmaller =
            length < open.count
            && RecordBudget.leavesRoom(weight: weight, chunks: chunks, in: taken + frames.count + length)
        frames.u8(isSmaller ? Codec.zstd.rawValue : Codec.stored.rawValue)
        frames.varint(open.count)
        frames.varint(isSmaller ? length : open.count)
        frames.raw(isSmaller ? compressed[..<length] : open.bytes[...])
        open = ByteWriter()
    }

    /// Moves the finished frames out, so that a large object is never whole in memory.
    mutating func take() -> [UInt8] {
        taken += frames.count
        return frames.bytes.taken()
    }

    /// Signs the records, and returns the rest of the plaintext, with the zeros that hide its length, and the digest.
    mutating func finish(signedBy key: DeviceKey) throws -> (rest: [UInt8], digest: CommitDigest) {
        let digest = hasher.finish()
        try append(.signature, key.sign(digest).encoded)
        try flush()
        frames.raw(
            [UInt8](
                repeating: 0, count: Padding.ofRecords(after: before + taken + frames.count)))
        return (take(), digest)
    }
}

/// Reads frames one after the other, each into an array of its own.
struct FrameReader {
    private let reader: PlainReader
    private let decompressor: ZstdDecompressor

    init(_ reader: PlainReader) throws {
        self.reader = reader
        do { decompressor = try ZstdDecompressor() } catch { throw FormatError.invalid(.noMemoryToDecompress) }
    }

    /// The records of the next frame; nil after the last. Throws `FormatError` if the frame breaks a rule or the
    /// budget, and the errors of the reader.
    func next(_ budget: inout RecordBudget) throws -> [UInt8]? {
        let start = reader.remaining
        guard start >= 2 else { return nil }
        guard let codec = Codec(rawValue: try reader.u8()), codec != .delta else {
            throw FormatError.invalid(.unknownFrameCodec)
        }
        let length = try reader.count(upTo: Limits.frame)
        if length == 0 { return nil }
        let count = try reader.count(upTo: Limits.frame)
        try budget.add(frame: length, stored: start - reader.remaining + count)
        let stored = try reader.bytes(count)
        if codec == .stored {
            guard stored.count == length else { throw FormatError.invalid(.frameLength) }
            return stored
        }
        var raw = [UInt8](repeating: 0, count: length)
        var target = raw.mutableSpan
        do { try decompressor.decompress(stored.span, into: &target) } catch {
            throw FormatError.invalid(.undecodableFrame)
        }
        return raw
    }
}
