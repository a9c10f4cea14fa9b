/// Why cue cannot read a file's text: half a sentence, lower case, no full stop.
package struct TextError: Error, Sendable, Equatable {
    package let reason: String

    package init(reason: String) { self.reason = reason }
}

/// The plain text of one file; paragraphs end with "\n".
///
/// Takes any bytes. Time and memory grow with their number, and with nothing that they say.
package enum TextExtraction {
    /// The largest file that is read at all, and the most that a packed one may unpack to: callers check sizes before
    /// they load.
    package static let limit = 64 << 20

    package static func text(of bytes: [UInt8], as format: TextFormat) throws(TextError) -> String {
        guard bytes.count <= limit else { throw .tooLarge }
        switch format {
        case .plain, .markdown: return try PlainText.text(of: bytes)
        case .rtf: return try RTFReader.text(of: bytes)
        case .docx: return try WordReader.text(of: bytes)
        case .odt: return try OpenDocumentReader.text(of: bytes)
        }
    }
}

extension TextError {
    static let tooLarge = TextError(reason: "it is larger than \(TextExtraction.limit >> 20) MiB")
}
