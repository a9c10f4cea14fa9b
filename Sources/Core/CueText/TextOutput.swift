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

    /// The caller's part of the promise: it is a byte of valid UTF-8, and the bytes around it come too.
    mutating func append(unit: UInt8) { bytes.append(unit) }

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
