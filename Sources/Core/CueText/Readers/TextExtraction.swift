/// The plain text of one file; paragraphs end with "\n".
///
/// Takes any bytes. Time and memory grow with the number of bytes, and not with any number in them.
package enum TextExtraction {
    /// Reads `bytes` as `format`. Throws `TextError`, also above `TextLimits.file` bytes.
    package static func text(of bytes: [UInt8], as format: TextFormat) throws(TextError) -> String {
        guard bytes.count <= TextLimits.file else { throw .tooLarge }
        switch format {
        case .plain, .markdown: return try PlainText.text(of: bytes)
        case .rtf: return try RTFReader.text(of: bytes)
        case .docx: return try WordReader.text(of: bytes)
        case .odt: return try OpenDocumentReader.text(of: bytes)
        }
    }
}
