/// The formats in which cue reads text, recognised by the name of the file.
package enum TextFormat: Sendable {
    case plain, markdown, rtf, docx, odt

    /// Whether its bytes are the text.
    package var isPlain: Bool { self == .plain || self == .markdown }

    /// Nil if the ending of the name is of no format that cue reads.
    package init?(fileName: [UInt8]) {
        switch NameEnding(of: fileName).text {
        case "txt", "text", "fountain", "tex", "org", "rst", "adoc": self = .plain
        case "md", "markdown": self = .markdown
        case "rtf": self = .rtf
        case "docx": self = .docx
        case "odt": self = .odt
        default: return nil
        }
    }
}

/// The part of a name behind its last dot, with ASCII letters in lower case; empty if there is none.
struct NameEnding {
    let text: String

    init(of name: [UInt8]) {
        // The longest ending that cue knows has ten letters.
        guard let dot = name.lastIndex(of: 0x2e), dot > 0, name.count - dot <= 16 else {
            text = ""
            return
        }
        let small = name[(dot + 1)...].map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
        text = String(decoding: small, as: UTF8.self)
    }
}
