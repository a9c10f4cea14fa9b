import CueBase
import CueStorage
import CueSystem

/// Carries command-line arguments that are not UTF-8 through `String`: each such byte becomes a private-use character
/// (U+EF80…U+EFFF), and back.
package enum ArgumentBytes {
    /// The text for these bytes. UTF-8 without such characters stays as it is; of anything else, each byte above 0x7F
    /// becomes one.
    package static func text(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains(where: isCarrier) {
            return text
        }
        var scalars = String.UnicodeScalarView()
        for byte in bytes {
            scalars.append(byte < 0x80 ? Unicode.Scalar(byte) : Unicode.Scalar(UInt16(0xef00) + UInt16(byte)) ?? "?")
        }
        return String(scalars)
    }

    /// The bytes for which `text(_:)` gave this text.
    package static func bytes(_ text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar -> [UInt8] in
            isCarrier(scalar) ? [UInt8(truncatingIfNeeded: scalar.value)] : Array(String(scalar).utf8)
        }
    }

    private static func isCarrier(_ scalar: Unicode.Scalar) -> Bool { (0xef80...0xefff).contains(scalar.value) }
}
