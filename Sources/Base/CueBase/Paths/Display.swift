/// Turns names, which may be any bytes, into text for people and JSON.
public enum Display {
    /// Shows bytes so that they cannot move a cursor, ring a bell or hide another name.
    ///
    /// Control characters, invalid UTF-8 and the backslash are written `\n`, `\t`, `\xNN`, `\\`, so a person can type
    /// the name back.
    public static func text(_ bytes: some Sequence<UInt8>) -> String {
        let bytes = Array(bytes)
        var out = ""
        out.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            if let (scalar, length) = scalar(at: position, in: bytes), isPrintable(scalar) {
                out.unicodeScalars.append(scalar)
                position += length
            } else {
                out += escape(bytes[position])
                position += 1
            }
        }
        return out
    }

    /// The same for a path.
    public static func text(_ path: RelativePath) -> String { text(path.bytes) }

    /// Shows a sentence that may hold typed input: as `text`, but backslashes and line ends stay as they are.
    public static func sentence(_ bytes: some Sequence<UInt8>) -> String {
        let parts = bytes.split(omittingEmptySubsequences: false) { $0 == 0x5c || $0 == 0x0a }
        var separators = bytes.lazy.filter { $0 == 0x5c || $0 == 0x0a }.makeIterator()
        return parts.reduce(into: "") { sentence, part in
            sentence += text(part)
            if let separator = separators.next() { sentence += separator == 0x5c ? "\\" : "\n" }
        }
    }

    /// Shows a text line by line: as `sentence`, but tabs stay too, and a carriage return before a line end goes.
    public static func page(_ bytes: some Collection<UInt8>) -> String {
        var shown = ""
        var piece: [UInt8] = []
        for byte in bytes {
            guard [0x5c, 0x0a, 0x09].contains(byte) else {
                piece.append(byte)
                continue
            }
            if byte == 0x0a, piece.last == 0x0d { piece.removeLast() }
            shown += text(piece) + String(Unicode.Scalar(byte))
            piece.removeAll(keepingCapacity: true)
        }
        return shown + text(piece)
    }

    /// Writes every character that a terminal might obey as `\uNNNN`; the JSON keeps its values.
    public static func json(_ text: String) -> String {
        var out = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.isASCII || isPrintable(scalar) {
                out.append(scalar)
            } else {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    out += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".unicodeScalars
                }
            }
        }
        return String(out)
    }

    /// Reads the form that `text` writes; an unknown escape stays as it is.
    public static func bytes(_ text: some StringProtocol) -> [UInt8] {
        let source = Array(text.utf8)
        var out: [UInt8] = []
        var position = 0
        while position < source.count {
            guard source[position] == 0x5c, let (byte, length) = unescape(source[position...]) else {
                out.append(source[position])
                position += 1
                continue
            }
            out.append(byte)
            position += length
        }
        return out
    }

    private static func escape(_ byte: UInt8) -> String {
        switch byte {
        case 0x0a: return "\\n"
        case 0x09: return "\\t"
        case 0x0d: return "\\r"
        case 0x5c: return "\\\\"
        default:
            let digits = String(byte, radix: 16)
            return "\\x" + (digits.count == 1 ? "0" + digits : digits)
        }
    }

    private static func unescape(_ source: ArraySlice<UInt8>) -> (byte: UInt8, length: Int)? {
        guard source.count >= 2 else { return nil }
        switch source[source.startIndex + 1] {
        case 0x6e: return (0x0a, 2)
        case 0x74: return (0x09, 2)
        case 0x72: return (0x0d, 2)
        case 0x5c: return (0x5c, 2)
        case 0x78:
            let digits = source.dropFirst(2).prefix(2)
            // Digits only: `UInt8(_:radix:)` would also take a sign.
            guard digits.count == 2, !digits.contains(0x2b), !digits.contains(0x2d),
                let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else { return nil }
            return (byte, 4)
        default: return nil
        }
    }

    /// Control characters, invisible direction marks and line separators can make one name look like another.
    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
        case .format: scalar.value == 0x200d || scalar.value == 0x200c  // joiners, which emoji and scripts need
        default: scalar.value != 0x5c
        }
    }

    private static func scalar(at position: Int, in bytes: [UInt8]) -> (Unicode.Scalar, Int)? {
        let first = bytes[position]
        let length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0
        guard length > 0, position + length <= bytes.count else { return nil }
        if length == 1 { return (Unicode.Scalar(first), 1) }
        guard let decoded = String(validating: bytes[position..<position + length], as: UTF8.self),
            let scalar = decoded.unicodeScalars.first
        else { return nil }
        return (scalar, length)
    }
}
