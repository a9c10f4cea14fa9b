import CueBase
import CueStorage
import CueSystem

/// Arguments of the command line as bytes: what is not UTF-8 travels in private-use characters (U+EF80…U+EFFF) and back.
package enum ArgumentBytes {
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

    package static func bytes(_ text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar -> [UInt8] in
            isCarrier(scalar) ? [UInt8(truncatingIfNeeded: scalar.value)] : Array(String(scalar).utf8)
        }
    }

    private static func isCarrier(_ scalar: Unicode.Scalar) -> Bool { (0xef80...0xefff).contains(scalar.value) }
}
