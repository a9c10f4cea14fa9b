package import CueSodium

/// Twenty random bytes that open a vault without its passphrase, spelled so that people can write them down
/// (docs/format.md §4).
package struct RecoveryCode: Sendable {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let length = 20

    /// The 20 bytes.
    package let secret: SecretBytes

    /// Makes a new code.
    package static func random() -> RecoveryCode { RecoveryCode(secret: .random(length)) }

    private init(secret: SecretBytes) { self.secret = secret }

    /// Nine groups of four characters; the last group is a check on the others. The caller cannot wipe this text.
    package var text: String {
        var symbols = secret.withBytes(Self.spell)
        defer { wipe(&symbols) }
        let groups = stride(from: 0, to: symbols.count, by: 4).map {
            String(decoding: symbols[$0..<$0 + 4], as: UTF8.self)
        }
        return groups.joined(separator: "-")
    }

    /// Reads typed characters; case, spaces and hyphens do not matter. Nil if they are not a code, or if its check is
    /// wrong.
    package init?(_ text: [UInt8]) {
        var values: [UInt8] = []
        // One more than there may be, so that the array never moves and leaves a copy.
        values.reserveCapacity(Self.symbols + 1)
        defer { wipe(&values) }
        for symbol in text where symbol != 0x20 && symbol != 0x2d {
            guard let value = Self.value(symbol), values.count < Self.symbols else { return nil }
            values.append(value)
        }
        guard values.count == Self.symbols else { return nil }
        let bytes = SecretBytes(count: Self.length) { bytes in
            for i in 0..<Self.length {
                let bit = i * 8
                // Eight bits lie in two or three symbols of five.
                let around = (0..<3).reduce(UInt32(0)) { $0 << 5 | UInt32(values[bit / 5 + $1]) }
                bytes[i] = UInt8(truncatingIfNeeded: around >> (7 - UInt32(bit % 5)))
            }
        }
        var again = bytes.withBytes(Self.spell)
        defer { wipe(&again) }
        guard again.elementsEqual(values, by: { Self.value($0) == $1 }) else { return nil }
        secret = bytes
    }

    private static let symbols = 36

    private static func spell(_ bytes: Span<UInt8>) -> [UInt8] {
        // The last 20 bits check the others: 20 bytes and 3 more (of which 20 bits count) make 36 symbols.
        var all: [UInt8] = []
        all.reserveCapacity(length + 3)
        defer { wipe(&all) }
        for i in 0..<bytes.count { all.append(bytes[i]) }
        all += BLAKE2b.hash(all).prefix(3)
        return (0..<symbols).map { index in
            let bit = index * 5
            let pair = UInt16(all[bit / 8]) << 8 | UInt16(bit / 8 + 1 < all.count ? all[bit / 8 + 1] : 0)
            return alphabet[Int(pair >> (11 - UInt16(bit % 8)) & 31)]
        }
    }

    private static func value(_ symbol: UInt8) -> UInt8? {
        let upper = (0x61...0x7a).contains(symbol) ? symbol - 0x20 : symbol
        switch upper {
        case UInt8(ascii: "O"): return 0
        case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
        default: return alphabet.firstIndex(of: upper).map { UInt8($0) }
        }
    }
}
