/// Collects text as a reader finds it. The result is always valid UTF-8 in whole lines.
struct TextOutput {
    private(set) var bytes: [UInt8] = []

    private var isAtLineStart: Bool { bytes.last ?? newline == newline }
    private var newline: UInt8 { 0x0a }

    mutating func append(_ scalar: Unicode.Scalar) {
        if scalar.isASCII {
            bytes.append(UInt8(truncatingIfNeeded: scalar.value))
        } else if let encoded = UTF8.encode(scalar) {
            bytes.append(contentsOf: encoded)
        }
    }

    /// Appends bytes, which must be ASCII.
    mutating func append(ascii: ArraySlice<UInt8>) { bytes.append(contentsOf: ascii) }

    /// Appends bytes, which must be valid UTF-8. A line end in XML is white space and ends no line.
    mutating func append(_ text: Span<UInt8>) {
        for index in text.indices { bytes.append(text[index] == newline ? 0x20 : text[index]) }
    }

    /// The same with one space for each run of white space, and none if `isAfterSpace`.
    mutating func append(_ text: Span<UInt8>, afterSpace isAfterSpace: inout Bool) {
        for index in text.indices {
            let unit = text[index]
            let isSpace = unit == 0x20 || unit == 0x09 || unit == newline || unit == 0x0d
            if !isSpace { bytes.append(unit) } else if !isAfterSpace { bytes.append(0x20) }
            isAfterSpace = isSpace
        }
    }

    mutating func endLine() { bytes.append(newline) }

    /// Ends a line unless it is empty.
    mutating func endOpenLine() {
        if !isAtLineStart { endLine() }
    }

    /// The whole text, with `notes` (footnotes, text boxes) behind it.
    func text(notes: TextOutput) -> String {
        var (whole, notes) = (self, notes)
        whole.endOpenLine()
        notes.endOpenLine()
        whole.bytes += notes.bytes
        return String(decoding: whole.bytes, as: UTF8.self)
    }
}
