import CueBase
import CueCrypto
import CueSodium
import CueTestSupport

/// Records by hand, as docs/format.md §6 lays them out and not as the writer does, so that rules can be broken one by
/// one.
struct RawRecords {
    private var writer = ByteWriter()
    /// The length of the inline blocks, with which a commit begins.
    private var front: [UInt8] = []

    /// Begins a commit.
    static func commit(flags: UInt8 = 1, previous: UInt8 = 9, seen: [UInt8] = [0]) -> RawRecords {
        var records = RawRecords()
        records.add(1, [UInt8](repeating: previous, count: 8) + id32(0) + [0, flags] + seen)
        return records
    }

    mutating func add(_ kind: UInt64, _ body: [UInt8]) {
        if writer.count == 0, kind == 1 { front = [0] }
        writer.varint(kind)
        writer.lengthAndBytes(body)
    }

    func adding(_ kind: UInt64, _ body: [UInt8]) -> RawRecords {
        var other = self
        other.add(kind, body)
        return other
    }

    var bytes: [UInt8] { writer.bytes }

    /// One stored frame and the signature, without the zeros that a writer adds; of a commit with no inline blocks before
    /// it.
    var plaintext: [UInt8] { unsigned + Self.signature }

    /// The same without the signature.
    var unsigned: [UInt8] { front + Self.frame(codec: 0, raw: bytes.count, bytes) }

    /// The same with the signature of a device, as the object of a context.
    func signed(_ context: SealContext, by key: DeviceKey) -> [UInt8] {
        unsigned + Self.signature(of: bytes, context, by: key)
    }

    /// A commit of these frames, without inline blocks, and a signature of the right length.
    static func object(frames: [UInt8]...) -> [UInt8] { [0] + frames.joined() + signature }

    /// A frame with a signature of the right length, which nobody made.
    static let signature = {
        let record = RawRecords().adding(12, [UInt8](repeating: 1, count: 96)).bytes
        return frame(codec: 0, raw: record.count, record)
    }()

    /// A frame with the signature of these records, as the object of a context.
    static func signature(of records: [UInt8], _ context: SealContext, by key: DeviceKey) -> [UInt8] {
        let digest = BLAKE2b.Stream(context.bytes + records).finish()
        let record = RawRecords().adding(12, key.sign(digest).encoded).bytes
        return frame(codec: 0, raw: record.count, record)
    }

    /// A commit with these inline blocks, as they are stored.
    func plaintext(inline blocks: [UInt8]) -> [UInt8] {
        Self.varint(UInt64(blocks.count)) + blocks + plaintext.dropFirst(front.count)
    }

    static func frame(codec: UInt8, raw: Int, _ stored: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.u8(codec)
        writer.varint(raw)
        writer.lengthAndBytes(stored)
        return writer.bytes
    }

    static func varint(_ value: UInt64) -> [UInt8] {
        var writer = ByteWriter()
        writer.varint(value)
        return writer.bytes
    }

    static func text(_ text: String) -> [UInt8] { varint(UInt64(text.utf8.count)) + Array(text.utf8) }

    static let id12 = [UInt8](repeating: 0x12, count: 12)
    static let id16 = [UInt8](repeating: 0x16, count: 16)
    static func id32(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    // MARK: Packs

    /// A block of codec 0 with chunks of these lengths.
    static func block(codec: UInt8 = 0, stored: UInt64, raw: UInt64, chunks: [UInt64], count: UInt64? = nil) -> [UInt8]
    {
        [codec] + varint(stored) + varint(raw) + varint(count ?? UInt64(chunks.count))
            + chunks.enumerated().flatMap { id32(UInt8(truncatingIfNeeded: $0)) + varint($1) }
    }

    static func pack(size: UInt64 = 4096, count: UInt64? = nil, _ blocks: [[UInt8]]) -> [UInt8] {
        id16 + varint(size) + varint(count ?? UInt64(blocks.count)) + blocks.joined()
    }

    /// Three chunks of one byte: the ordinals 0 to 2.
    static let threeChunks = pack([block(stored: 3, raw: 3, chunks: [1, 1, 1])])

    // MARK: Versions

    static func version(
        flags: UInt8 = 1, project: [UInt8] = [], parents: [UInt8] = [0], path: String = "a", kind: UInt8 = 4,
        _ rest: [UInt8]
    ) -> [UInt8] {
        [flags] + project + parents + text(path) + [kind] + [0] + rest
    }

    static func members(_ members: [UInt8]..., count: UInt64? = nil) -> [UInt8] {
        varint(count ?? UInt64(members.count)) + members.joined()
    }

    static func member(
        _ path: String, kind: UInt8, mode: UInt64 = 0o644, nanoseconds: UInt64 = 0, attributes: [UInt8] = [0],
        _ rest: [UInt8] = []
    ) -> [UInt8] {
        text(path) + [kind] + varint(mode) + [0] + varint(nanoseconds) + attributes + rest
    }

    static let folder = member("", kind: 2)

    /// A file of `size` with these runs.
    static func file(_ path: String, size: UInt64 = 3, count: UInt64? = nil, runs: [UInt8]...) -> [UInt8] {
        member(path, kind: 1, varint(size) + varint(count ?? UInt64(runs.count)) + runs.joined())
    }

    static func run(_ count: UInt64, _ first: UInt64, ids: [UInt8] = []) -> [UInt8] {
        varint(count) + varint(first) + ids
    }
}
