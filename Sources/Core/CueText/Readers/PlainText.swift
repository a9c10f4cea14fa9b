/// Plain text and Markdown: UTF-8, UTF-16 with a byte order mark, and otherwise Windows-1252.
enum PlainText {
    static func text(of bytes: [UInt8]) throws(TextError) -> String {
        let decoded = decode(bytes)
        guard !decoded.contains(0) else { throw TextError.notText }
        return String(decoding: wholeLines(decoded), as: UTF8.self)
    }

    /// The text as UTF-8, from any bytes.
    private static func decode(_ bytes: [UInt8]) -> [UInt8] {
        if bytes.starts(with: [0xff, 0xfe]) { return utf16(bytes) { UInt16($0) | UInt16($1) << 8 } }
        if bytes.starts(with: [0xfe, 0xff]) { return utf16(bytes) { UInt16($0) << 8 | UInt16($1) } }
        let isMarked = bytes.starts(with: [0xef, 0xbb, 0xbf])
        let bytes = isMarked ? Array(bytes[3...]) : bytes
        if bytes.allSatisfy({ $0 < 0x80 }) || String(validating: bytes, as: UTF8.self) != nil { return bytes }
        if isMarked { return Array(String(decoding: bytes, as: UTF8.self).utf8) }
        var output = TextOutput()
        for byte in bytes { output.append(CodePage.windows1252.scalar(byte)) }
        return output.bytes
    }

    /// Decodes UTF-16 behind its mark. Half a character, and a single byte at the end, become U+FFFD.
    private static func utf16(_ bytes: [UInt8], _ unit: (UInt8, UInt8) -> UInt16) -> [UInt8] {
        var units = stride(from: 2, to: bytes.count - 1, by: 2).map { unit(bytes[$0], bytes[$0 + 1]) }
        if bytes.count % 2 == 1 { units.append(0xfffd) }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    /// Makes every line end a line feed: Windows has CR LF, and old Macs had CR.
    private static func wholeLines(_ bytes: [UInt8]) -> [UInt8] {
        var lines = bytes
        if bytes.contains(0x0d) {
            lines.removeAll(keepingCapacity: true)
            for (at, byte) in bytes.enumerated() where byte != 0x0a || at == 0 || bytes[at - 1] != 0x0d {
                lines.append(byte == 0x0d ? 0x0a : byte)
            }
        }
        if let last = lines.last, last != 0x0a { lines.append(0x0a) }
        return lines
    }
}
