/// Zip archives as programs write them, and as nobody should.
struct ZipFile {
    private(set) var bytes: [UInt8] = []
    private var directory: [UInt8] = []
    private var count = 0

    /// Adds a member, stored as it is.
    mutating func add(_ name: String, _ content: [UInt8], isEncrypted: Bool = false, declaredSize: Int? = nil) {
        add(
            name, packed: content, method: 0, size: declaredSize ?? content.count, checksum: crc32(content),
            flags: isEncrypted ? 1 : 0)
    }

    /// Adds a member of `count` equal bytes in a thousandth of their room.
    mutating func addBomb(_ name: String, count: Int) {
        var stream = DeflateStream()
        stream.write(UInt8(ascii: "x"))
        for _ in 0..<(count - 1) / 258 { stream.repeatLast258() }
        stream.finish()
        let size = 1 + (count - 1) / 258 * 258
        add(name, packed: stream.bytes, method: 8, size: size, checksum: 0, flags: 0)
    }

    private mutating func add(
        _ name: String, packed: [UInt8], method: Int, size: Int, checksum: UInt32, flags: Int
    ) {
        let common =
            number(20, 2) + number(flags, 2) + number(method, 2) + number(0, 4) + number(Int(checksum), 4)
            + number(packed.count, 4) + number(size, 4) + number(name.utf8.count, 2) + number(0, 2)
        directory +=
            [0x50, 0x4b, 1, 2] + number(20, 2) + common + number(0, 2) + number(0, 2) + number(0, 2) + number(0, 4)
            + number(bytes.count, 4) + Array(name.utf8)
        bytes += [0x50, 0x4b, 3, 4] + common + Array(name.utf8) + packed
        count += 1
    }

    /// The whole file.
    func finished() -> [UInt8] {
        bytes + directory + [0x50, 0x4b, 5, 6] + number(0, 4) + number(count, 2) + number(count, 2)
            + number(directory.count, 4) + number(bytes.count, 4) + number(0, 2)
    }

    private func number(_ value: Int, _ length: Int) -> [UInt8] {
        (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private func crc32(_ bytes: [UInt8]) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in bytes { sum = sum >> 8 ^ Self.checksums[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] }
        return ~sum
    }

    private static let checksums = (UInt32(0)...255).map { byte in
        (0..<8).reduce(byte) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xedb8_8320 : 0) }
    }
}

/// A deflate stream of one block with the fixed codes (RFC 1951 §3.2.6).
private struct DeflateStream {
    private(set) var bytes: [UInt8] = []
    private var bits = 0

    init() {
        put(1, 1)
        put(1, 2)
    }

    mutating func write(_ byte: UInt8) {
        precondition(byte < 144)
        code(Int(byte) + 0x30, 8)
    }

    /// Length 258 is code 285, distance 1 is code 0.
    mutating func repeatLast258() {
        code(0b1100_0101, 8)
        code(0, 5)
    }

    mutating func finish() { code(0, 7) }

    /// Codes stand with their highest bit first.
    private mutating func code(_ value: Int, _ count: Int) {
        for bit in (0..<count).reversed() { put(value >> bit & 1, 1) }
    }

    private mutating func put(_ value: Int, _ count: Int) {
        for bit in 0..<count {
            if bits % 8 == 0 { bytes.append(0) }
            bytes[bytes.count - 1] |= UInt8(value >> bit & 1) << UInt8(bits % 8)
            bits += 1
        }
    }
}
