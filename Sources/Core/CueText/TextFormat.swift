/// The formats in which cue reads text, told by a file's name.
package enum TextFormat: Sendable {
    case plain, markdown, rtf, docx, odt

    /// Nil where the name's ending is of no format that cue reads.
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

/// What stands behind the last dot of a name, with ASCII letters made small; empty where nothing does.
struct NameEnding {
    let text: String

    init(of name: [UInt8]) {
        // The longest ending that means anything to cue has ten letters.
        guard let dot = name.lastIndex(of: 0x2e), dot > 0, name.count - dot <= 16 else {
            text = ""
            return
        }
        let small = name[(dot + 1)...].map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
        text = String(decoding: small, as: UTF8.self)
    }
}
