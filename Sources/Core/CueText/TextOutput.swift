/// Collects text as a reader finds it: always valid UTF-8, always with whole lines when it is done.
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

    /// The caller's part of the promise: the bytes are ASCII.
    mutating func append(ascii: ArraySlice<UInt8>) { bytes.append(contentsOf: ascii) }

    /// The caller's part of the promise: it is valid UTF-8. A line end in XML is white space and ends no line.
    mutating func append(_ text: Span<UInt8>) {
        for index in text.indices { bytes.append(text[index] == newline ? 0x20 : text[index]) }
    }

    /// Likewise, with one space for all white space, and none behind what counts as one already.
    mutating func append(_ text: Span<UInt8>, afterSpace isAfterSpace: inout Bool) {
        for index in text.indices {
            let unit = text[index]
            let isSpace = unit == 0x20 || unit == 0x09 || unit == newline || unit == 0x0d
            if !isSpace { bytes.append(unit) } else if !isAfterSpace { bytes.append(0x20) }
            isAfterSpace = isSpace
        }
    }

    mutating func endLine() { bytes.append(newline) }

    /// Ends a line that has something on it.
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
