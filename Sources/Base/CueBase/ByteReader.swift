/// What is wrong with bytes that should follow docs/format.md.
public enum FormatError: Error, Equatable, Sendable {
    /// The structure ends before its content does.
    case truncated
    /// A number or a length that the format does not allow.
    case outOfRange
    /// Bytes are left over at the end.
    case trailing
    /// A rule of the format is broken; says which.
    case invalid(String)
}

/// Reads the primitives of docs/format.md §1 from bytes that may be hostile: every length is checked against what is left.
public struct ByteReader: Sendable {
    public let bytes: [UInt8]
    public private(set) var position: Int
    public let end: Int

    public init(_ bytes: [UInt8]) { self.init(bytes, 0..<bytes.count) }

    public init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        (position, end) = (range.lowerBound, range.upperBound)
    }

    public var isAtEnd: Bool { position == end }
    public var remaining: Int { end - position }

    public mutating func u8() throws(FormatError) -> UInt8 {
        guard position < end else { throw .truncated }
        defer { position += 1 }
        return bytes[position]
    }

    public mutating func u16() throws(FormatError) -> UInt16 { UInt16(truncatingIfNeeded: try littleEndian(2)) }
    public mutating func u32() throws(FormatError) -> UInt32 { UInt32(truncatingIfNeeded: try littleEndian(4)) }
    public mutating func u64() throws(FormatError) -> UInt64 { try littleEndian(8) }

    private mutating func littleEndian(_ count: Int) throws(FormatError) -> UInt64 {
        let at = try skip(count).lowerBound
        return (0..<count).reversed().reduce(0) { $0 << 8 | UInt64(bytes[at + $1]) }
    }

    private mutating func bigEndian(_ count: Int = 8) throws(FormatError) -> UInt64 {
        let at = try skip(count).lowerBound
        return (0..<count).reduce(0) { $0 << 8 | UInt64(bytes[at + $1]) }
    }

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

    /// A length or number that must fit `Int` and not exceed `limit`.
    public mutating func count(upTo limit: Int) throws(FormatError) -> Int {
        guard let value = Int(exactly: try varint()), value <= limit else { throw .outOfRange }
        return value
    }

    /// The number of items to follow, each of at least `size` bytes: more than fit into the rest is refused at once.
    public mutating func count(ofItems size: Int) throws(FormatError) -> Int {
        guard let value = Int(exactly: try varint()), value <= remaining / size else { throw .truncated }
        return value
    }

    public mutating func svarint() throws(FormatError) -> Int64 {
        let value = try varint()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    public mutating func raw(_ count: Int) throws(FormatError) -> [UInt8] { Array(bytes[try skip(count)]) }

    public mutating func lengthAndBytes(upTo limit: Int = .max) throws(FormatError) -> [UInt8] {
        Array(bytes[try lengthAndRange(upTo: limit)])
    }

    /// Steps over length-prefixed bytes and tells where they stand.
    public mutating func lengthAndRange(upTo limit: Int = .max) throws(FormatError) -> Range<Int> {
        let length = try count(upTo: limit)
        return try skip(length)
    }

    public mutating func skip(_ count: Int) throws(FormatError) -> Range<Int> {
        guard count >= 0, count <= remaining else { throw .truncated }
        defer { position += count }
        return position..<position + count
    }

    public mutating func id16() throws(FormatError) -> ID16 {
        ID16(high: try bigEndian(), low: try bigEndian())
    }

    public mutating func commitID() throws(FormatError) -> CommitID { CommitID(try bigEndian()) }

    public mutating func versionID() throws(FormatError) -> VersionID {
        VersionID(commit: try commitID(), number: UInt32(truncatingIfNeeded: try bigEndian(4)))
    }

    public mutating func chunkID() throws(FormatError) -> ChunkID {
        ChunkID(a: try bigEndian(), b: try bigEndian(), c: try bigEndian(), d: try bigEndian())
    }

    public func expectEnd() throws(FormatError) {
        guard isAtEnd else { throw .trailing }
    }
}
