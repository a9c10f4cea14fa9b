/// Reads the primitives of docs/format.md §1 from bytes that may be hostile.
///
/// Every length is checked against the bytes that are left, before anything is allocated. A read throws `.truncated` if
/// they do not suffice.
public struct ByteReader: Sendable {
    /// The whole array; the reader stays inside its range.
    public let bytes: [UInt8]
    /// The index in `bytes` of the next byte.
    public private(set) var position: Int
    /// The index in `bytes` behind the last byte that may be read.
    public let end: Int

    /// Reads all of `bytes`.
    public init(_ bytes: [UInt8]) { self.init(bytes, 0..<bytes.count) }

    /// Reads the given range of indices of `bytes`.
    public init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        (position, end) = (range.lowerBound, range.upperBound)
    }

    /// True if no byte is left.
    public var isAtEnd: Bool { position == end }
    /// The number of bytes left.
    public var remaining: Int { end - position }

    /// One byte.
    public mutating func u8() throws(FormatError) -> UInt8 {
        guard position < end else { throw .truncated }
        defer { position += 1 }
        return bytes[position]
    }

    /// Two bytes, little-endian.
    public mutating func u16() throws(FormatError) -> UInt16 { UInt16(truncatingIfNeeded: try littleEndian(2)) }
    /// Four bytes, little-endian.
    public mutating func u32() throws(FormatError) -> UInt32 { UInt32(truncatingIfNeeded: try littleEndian(4)) }
    /// Eight bytes, little-endian.
    public mutating func u64() throws(FormatError) -> UInt64 { try littleEndian(8) }

    private mutating func littleEndian(_ count: Int) throws(FormatError) -> UInt64 {
        let at = try skip(count).lowerBound
        return (0..<count).reversed().reduce(0) { $0 << 8 | UInt64(bytes[at + $1]) }
    }

    private mutating func bigEndian(_ count: Int = 8) throws(FormatError) -> UInt64 {
        let at = try skip(count).lowerBound
        return (0..<count).reduce(0) { $0 << 8 | UInt64(bytes[at + $1]) }
    }

    /// An unsigned LEB128 number. Throws `.outOfRange` for more than 64 bits and for any but the shortest form.
    public mutating func varint() throws(FormatError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            let byte = try u8()
            // The tenth byte has room for one bit; a last byte of zero is a longer spelling of a shorter number.
            guard shift < 63 || byte <= 1, byte != 0 || shift == 0 else { throw .outOfRange }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        throw .outOfRange
    }

    /// A `varint` that fits `Int`. Throws `.outOfRange` above `limit`.
    public mutating func count(upTo limit: Int) throws(FormatError) -> Int {
        guard let value = Int(exactly: try varint()), value <= limit else { throw .outOfRange }
        return value
    }

    /// The number of items that follow, each of at least `size` bytes. Throws `.truncated` if so many cannot fit into
    /// the rest.
    public mutating func count(ofItems size: Int) throws(FormatError) -> Int {
        guard let value = Int(exactly: try varint()), value <= remaining / size else { throw .truncated }
        return value
    }

    /// A zigzag number; errors as `varint`.
    public mutating func svarint() throws(FormatError) -> Int64 {
        let value = try varint()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// Exactly `count` bytes.
    public mutating func raw(_ count: Int) throws(FormatError) -> [UInt8] { Array(bytes[try skip(count)]) }

    /// Bytes behind a `varint` length. Throws `.outOfRange` if the length is above `limit`.
    public mutating func lengthAndBytes(upTo limit: Int = .max) throws(FormatError) -> [UInt8] {
        Array(bytes[try lengthAndRange(upTo: limit)])
    }

    /// Skips bytes behind a `varint` length and returns their range in `bytes`; errors as `lengthAndBytes`.
    public mutating func lengthAndRange(upTo limit: Int = .max) throws(FormatError) -> Range<Int> {
        let length = try count(upTo: limit)
        return try skip(length)
    }

    /// Skips `count` bytes and returns their range in `bytes`.
    public mutating func skip(_ count: Int) throws(FormatError) -> Range<Int> {
        guard count >= 0, count <= remaining else { throw .truncated }
        defer { position += count }
        return position..<position + count
    }

    /// Sixteen bytes as they are.
    public mutating func id16() throws(FormatError) -> ID16 {
        ID16(high: try bigEndian(), low: try bigEndian())
    }

    /// Eight bytes, big-endian.
    public mutating func commitID() throws(FormatError) -> CommitID { CommitID(try bigEndian()) }

    /// A commit id and four bytes, big-endian.
    public mutating func versionID() throws(FormatError) -> VersionID {
        VersionID(commit: try commitID(), number: UInt32(truncatingIfNeeded: try bigEndian(4)))
    }

    /// Thirty-two bytes as they are.
    public mutating func id32() throws(FormatError) -> ID32 {
        ID32(a: try bigEndian(), b: try bigEndian(), c: try bigEndian(), d: try bigEndian())
    }

    /// Throws `.trailing` if bytes are left.
    public func expectEnd() throws(FormatError) {
        guard isAtEnd else { throw .trailing }
    }
}
