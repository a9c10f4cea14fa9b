import CueBase
import CueCrypto
import CueZstd

// This layout is frozen: docs/format.md §6.

/// Collects records into compressed frames.
struct FrameWriter {
    /// A frame ends where it has grown past this; small enough to stream, large enough to compress.
    private static let target = 1 << 20

    private var frames = ByteWriter()
    private var open = ByteWriter()
    private var taken = 0
    /// Of all that was appended.
    private var weight = 0

    /// `things`: how many a reader will keep of it.
    mutating func append(_ kind: RecordKind, _ body: [UInt8], things: Int = 0) throws {
        guard body.count < Limits.frame - 32 else { throw FormatError.invalid(.recordTooLarge) }
        if open.count > 0 && open.count + body.count > Self.target { try flush() }
        open.varint(kind.rawValue)
        open.lengthAndBytes(body)
        weight += things * RecordBudget.thing
    }

    private mutating func flush() throws(ZstdError) {
        guard open.count > 0 else { return }
        var compressed = [UInt8](repeating: 0, count: ZstdCompressor.bound(open.count))
        var target = compressed.mutableSpan
        let length = try ZstdCompressor(level: 6).compress(open.bytes.span, into: &target)
        weight += open.count
        // What shrinks to next to nothing would be refused as a trap, and stands there as it is.
        let isSmaller =
            length < open.count && RecordBudget.allows(weight, in: taken + frames.count + length)
        frames.u8(isSmaller ? Codec.zstd.rawValue : Codec.stored.rawValue)
        frames.varint(open.count)
        frames.varint(isSmaller ? length : open.count)
        frames.raw(isSmaller ? compressed[..<length] : open.bytes[...])
        open = ByteWriter()
    }

    /// The frames that are complete, given away: what is large is not kept.
    mutating func take() -> [UInt8] {
        taken += frames.count
        return frames.bytes.taken()
    }

    /// The rest of the plaintext, filled up with zeros so that the sealed size of all is a multiple of 1,024.
    mutating func finish() throws(ZstdError) -> [UInt8] {
        try flush()
        frames.raw([UInt8](repeating: 0, count: Padding.zeros(after: taken + frames.count, multiple: 1024)))
        return take()
    }
}

/// Reads frames one after the other, each into bytes of its own.
struct FrameReader {
    private let reader: PlainReader
    private let decompressor: ZstdDecompressor

    init(_ reader: PlainReader) throws {
        self.reader = reader
        do { decompressor = try ZstdDecompressor() } catch { throw FormatError.invalid(.noMemoryToDecompress) }
    }

    /// The records of the next frame, as far as the budget allows them; nil after the last.
    func next(_ budget: inout RecordBudget) throws -> [UInt8]? {
        let start = reader.remaining
        guard start >= 2 else { return nil }
        guard let codec = Codec(rawValue: try reader.u8()) else {
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

/// Zeros that hide how long something is.
enum Padding {
    /// The number of zeros after `count` bytes of plaintext that bring the sealed size to a multiple.
    static func zeros(after count: Int, multiple: Int) -> Int {
        var size = (Cobblestone.sealedSize(count) + multiple - 1) / multiple * multiple
        // Some sizes are those of no message (a last chunk shorter than its tag): then the next multiple.
        while true {
            if let plain = Cobblestone.plainSize(size), plain >= count { return plain - count }
            size += multiple
        }
    }
}
