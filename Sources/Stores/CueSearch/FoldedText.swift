import Foundation

/// Text without what people type differently: case, accents, the forms of Unicode, kinds of dashes, quotes and spaces.
package enum FoldedText {
    /// The text so; spaces at its ends are gone.
    package static func of(_ text: String) -> String {
        // Most text of most languages is ASCII, for which the tables of Unicode are not needed.
        if let plain = ofASCII(text.utf8) { return plain }
        var result = String.UnicodeScalarView()
        var isSpace = true
        let plain = text.precomposedStringWithCompatibilityMapping.folding(
            options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
        for scalar in plain.unicodeScalars {
            if scalar.properties.isWhitespace {
                if !isSpace { result.append(" ") }
                isSpace = true
            } else {
                isSpace = false
                result.append(folded(scalar))
            }
        }
        if result.last == " " { result.removeLast() }
        return String(result)
    }

    /// The plain form of a dash or quote.
    private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        case 0x2010...0x2015, 0x2212, 0xfe58, 0xfe63: "-"
        // Single quotes, the prime, the backtick, the acute accent, and single angle quotes.
        case 0x2018...0x201b, 0x2032, 0x60, 0xb4, 0x2039, 0x203a: "'"
        case 0x201c...0x201f, 0x2033, 0xab, 0xbb: "\""
        default: scalar
        }
    }

    /// nil if the text has other characters than ASCII.
    private static func ofASCII(_ text: String.UTF8View) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        for byte in text {
            switch byte {
            case 0x80...: return nil
            case 0x20, 0x09...0x0d: if let last = bytes.last, last != 0x20 { bytes.append(0x20) }
            case 0x41...0x5a: bytes.append(byte | 0x20)
            case 0x60: bytes.append(0x27)
            default: bytes.append(byte)
            }
        }
        if bytes.last == 0x20 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
