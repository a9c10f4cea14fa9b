/// Appends the primitives of docs/format.md §1 to an array of bytes.
public struct ByteWriter: Sendable {
    /// The bytes written so far.
    public var bytes: [UInt8] = []

    /// An empty writer.
    public init() {}

    /// Reserves room for `capacity` bytes: until they are used up, growing copies nothing.
    public init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// The number of bytes written so far.
    public var count: Int { bytes.count }

    /// One byte.
    public mutating func u8(_ value: UInt8) { bytes.append(value) }

    /// Two bytes, little-endian.
    public mutating func u16(_ value: UInt16) { littleEndian(UInt64(value), count: 2) }
    /// Four bytes, little-endian.
    public mutating func u32(_ value: UInt32) { littleEndian(UInt64(value), count: 4) }
    /// Eight bytes, little-endian.
    public mutating func u64(_ value: UInt64) { littleEndian(value, count: 8) }

    private mutating func littleEndian(_ value: UInt64, count: Int) {
        for i in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(i)))) }
    }

    private mutating func bigEndian(_ value: UInt64, count: Int = 8) {
        for i in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(i)))) }
    }

    /// An unsigned LEB128 number in its shortest form.
    public mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// The same for an `Int`; traps if it is negative.
    public mutating func varint(_ value: Int) { varint(UInt64(value)) }

    /// A zigzag number.
    public mutating func svarint(_ value: Int64) { varint(UInt64(bitPattern: value << 1 ^ value >> 63)) }

    /// The bytes as they are, without a length.
    public mutating func raw(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

    /// A `varint` length, then the bytes.
    public mutating func lengthAndBytes(_ more: some Collection<UInt8>) {
        varint(more.count)
        bytes.append(contentsOf: more)
    }

    /// Sixteen bytes, big-endian.
    public mutating func id(_ id: ID16) {
        bigEndian(id.high)
        bigEndian(id.low)
    }

    /// Eight bytes, big-endian.
    public mutating func id(_ id: CommitID) { bigEndian(id.value) }

    /// The commit id and four bytes of the number, big-endian.
    public mutating func id(_ id: VersionID) {
        bigEndian(id.commit.value)
        bigEndian(UInt64(id.number), count: 4)
    }

    /// Thirty-two bytes, big-endian.
    public mutating func id(_ id: ID32) {
        bigEndian(id.a)
        bigEndian(id.b)
        bigEndian(id.c)
        bigEndian(id.d)
    }
}
