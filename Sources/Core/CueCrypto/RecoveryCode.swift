package import CueSodium

/// Twenty random bytes that open a vault without its passphrase, spelled so that people can write them down (docs/format.md §4).
package struct RecoveryCode: Sendable {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let length = 20

    package let secret: SecretBytes

    package static func random() -> RecoveryCode { RecoveryCode(secret: .random(length)) }

    private init(secret: SecretBytes) { self.secret = secret }

    /// Nine groups of four characters; the last is a check on the others.
    package var text: String {
        let symbols = secret.withBytes { Self.spell($0.array) }
        let groups = stride(from: 0, to: symbols.count, by: 4).map {
            String(decoding: symbols[$0..<$0 + 4], as: UTF8.self)
        }
        return groups.joined(separator: "-")
    }

    /// Reads what a person typed; nil if it is no code or has a slip of the pen.
    package init?(_ text: [UInt8]) {
        let values = text.filter { $0 != 0x20 && $0 != 0x2d }.map(Self.value)
        guard values.count == 36, !values.contains(nil) else { return nil }
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for value in values.prefix(32) {
            bits = bits << 5 | UInt32(value ?? 0)
            count += 5
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        guard Self.spell(bytes).map(Self.value) == values else { return nil }
        secret = SecretBytes(copying: bytes.span)
        wipe(&bytes)
    }

    private static func spell(_ bytes: [UInt8]) -> [UInt8] {
        // The last 20 bits check the others: 20 bytes and 3 more (of which 20 bits count) make 36 symbols.
        let all = bytes + BLAKE2b.hash(bytes).prefix(3)
        return (0..<36).map { index in
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
