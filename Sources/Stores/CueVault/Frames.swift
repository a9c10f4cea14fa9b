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

    mutating func append(_ kind: RecordKind, _ body: [UInt8]) throws(ZstdError) {
        if open.count > 0 && open.count + body.count > Self.target { try flush() }
        open.varint(kind.rawValue)
        open.lengthAndBytes(body)
    }

    private mutating func flush() throws(ZstdError) {
        guard open.count > 0 else { return }
        var compressed = [UInt8](repeating: 0, count: ZstdCompressor.bound(open.count))
        var target = compressed.mutableSpan
        let length = try ZstdCompressor(level: 6).compress(open.bytes.span, into: &target)
        let isSmaller = length < open.count
        frames.u8(isSmaller ? Codec.zstd.rawValue : Codec.stored.rawValue)
        frames.varint(open.count)
        frames.varint(isSmaller ? length : open.count)
        frames.raw(isSmaller ? compressed[..<length] : open.bytes[...])
        open = ByteWriter()
    }

    /// The plaintext of the object, filled up with zeros so that its sealed size is a multiple of 1,024.
    mutating func finish() throws(ZstdError) -> [UInt8] {
        try flush()
        return frames.bytes + [UInt8](repeating: 0, count: Padding.zeros(after: frames.count, multiple: 1024))
    }
}

/// Reads frames one after the other, each into bytes of its own.
struct FrameReader {
    private var reader: ByteReader
    private let decompressor: ZstdDecompressor

    init(_ plaintext: [UInt8]) throws(FormatError) {
        reader = ByteReader(plaintext)
        do { decompressor = try ZstdDecompressor() } catch { throw .invalid("no memory to decompress") }
    }

    /// The records of the next frame; nil after the last.
    mutating func next() throws(FormatError) -> [UInt8]? {
        guard reader.remaining >= 2 else { return nil }
        guard let codec = Codec(rawValue: try reader.u8()) else { throw .invalid("a frame of an unknown codec") }
        let length = try reader.count(upTo: Limits.frame)
        if length == 0 { return nil }
        let stored = try reader.lengthAndRange(upTo: Limits.frame)
        if codec == .stored {
            guard stored.count == length else { throw .invalid("a stored frame of another length") }
            return Array(reader.bytes[stored])
        }
        var raw = [UInt8](repeating: 0, count: length)
        var target = raw.mutableSpan
        do { try decompressor.decompress(reader.bytes.span.extracting(stored), into: &target) } catch {
            throw .invalid("a frame that does not decompress")
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
