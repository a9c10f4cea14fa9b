/// Appends the primitives of docs/format.md §1 to an array of bytes.
public struct ByteWriter: Sendable {
    public var bytes: [UInt8] = []

    public init() {}

    /// With room for so many bytes, which are then written without a copy of the ones before.
    public init(capacity: Int) { bytes.reserveCapacity(capacity) }

    public var count: Int { bytes.count }

    public mutating func u8(_ value: UInt8) { bytes.append(value) }

    public mutating func u16(_ value: UInt16) { littleEndian(UInt64(value), count: 2) }
    public mutating func u32(_ value: UInt32) { littleEndian(UInt64(value), count: 4) }
    public mutating func u64(_ value: UInt64) { littleEndian(value, count: 8) }

    private mutating func littleEndian(_ value: UInt64, count: Int) {
        for i in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(i)))) }
    }

    private mutating func bigEndian(_ value: UInt64, count: Int = 8) {
        for i in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(i)))) }
    }

    public mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    public mutating func varint(_ value: Int) { varint(UInt64(value)) }

    public mutating func svarint(_ value: Int64) { varint(UInt64(bitPattern: value << 1 ^ value >> 63)) }

    public mutating func raw(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

    public mutating func lengthAndBytes(_ more: some Collection<UInt8>) {
        varint(more.count)
        bytes.append(contentsOf: more)
    }

    public mutating func id(_ id: ID16) {
        bigEndian(id.high)
        bigEndian(id.low)
    }

    public mutating func id(_ id: CommitID) { bigEndian(id.value) }

    public mutating func id(_ id: VersionID) {
        bigEndian(id.commit.value)
        bigEndian(UInt64(id.number), count: 4)
    }

    public mutating func id(_ id: ChunkID) {
        bigEndian(id.a)
        bigEndian(id.b)
        bigEndian(id.c)
        bigEndian(id.d)
    }
}
