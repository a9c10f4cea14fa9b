/// Percent-encoding of addresses as AWS signature version 4 asks for it: all but the unreserved characters of RFC 3986
/// §2.3, with upper-case digits.
enum PercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// `keeping`: further characters that stay, such as the slashes of a path.
    static func encode(_ text: String, keeping kept: String = "") -> String {
        let kept = Set(kept.utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e: bytes.append(byte)
            case _ where kept.contains(byte): bytes.append(byte)
            default: bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes `%XX`, and `+` as a space if `plusIsSpace`. nil for broken escapes and for bytes that are no UTF-8.
    static func decode(_ text: String, plusIsSpace: Bool = false) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == 0x25 else {
                bytes.append(plusIsSpace && byte == 0x2b ? 0x20 : byte)
                continue
            }
            guard rest.count >= 2, rest.prefix(2).allSatisfy({ ($0 as UInt8).isHexadecimal }),
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// A query with its parts in order; an empty value keeps its `=`.
    static func query(_ parts: [String: String]) -> String {
        parts.map { (encode($0), encode($1)) }.sorted { $0.0 < $1.0 }.map { "\($0)=\($1)" }.joined(separator: "&")
    }
}

extension UInt8 {
    fileprivate var isHexadecimal: Bool {
        (0x30...0x39).contains(self) || (0x41...0x46).contains(self) || (0x61...0x66).contains(self)
    }
}
