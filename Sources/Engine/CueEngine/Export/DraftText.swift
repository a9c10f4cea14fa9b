import CueBase
package import CueText

/// The text of a document for people to read: UTF-8, lines that end with a line feed.
package struct DraftText {
    /// The forms that a text can have.
    package enum Form: Sendable {
        /// The text alone; titles of parts are lines of their own.
        case plain
        /// Titles of parts are headings, and each paragraph stands by itself. What the writer typed is shown as it was
        /// typed.
        case markdown

        /// The ending of a file's name, with its dot.
        var ending: String {
            switch self {
            case .plain: ".txt"
            case .markdown: ".md"
            }
        }
    }

    private let sections: [TextSection]
    private let form: Form
    private let name: [UInt8]

    /// `name`: the name of the document, which tells its format.
    package init(_ sections: [TextSection], of name: [UInt8], as form: Form) {
        (self.sections, self.form, self.name) = (sections, form, name)
    }

    /// Calls `put` with the text in pieces of 64 KiB or a line more. The same text gives the same pieces every time.
    package func write(_ put: ([UInt8]) throws -> Void) rethrows {
        var piece: [UInt8] = []
        func add(_ bytes: some Collection<UInt8>, isLast: Bool = false) throws {
            piece += bytes
            guard piece.count >= 64 << 10 || isLast && !piece.isEmpty else { return }
            try put(piece)
            piece.removeAll(keepingCapacity: true)
        }
        var isFirst = true
        for section in sections {
            let isBlock = form == .markdown && !isPlain(section)
            if !section.title.isEmpty {
                let title = Array(section.title.utf8)
                let shown = form == .markdown ? Array("# ".utf8) + Self.escaped(title[...]) : title
                // With paragraphs that part themselves, the empty line between title and text comes with the first.
                try add((isFirst ? [] : [0x0a]) + shown + (isBlock ? [0x0a] : [0x0a, 0x0a]))
                isFirst = false
            }
            // Line by line: a text may be nothing but line ends, and a list of them many times as large.
            var rest = section.text.utf8[...]
            while !rest.isEmpty {
                let end = rest.firstIndex(of: 0x0a) ?? rest.endIndex
                let line = rest[..<end]
                rest = end == rest.endIndex ? rest[end...] : rest[rest.index(after: end)...]
                guard isBlock else {
                    try add(line)
                    try add([0x0a])
                    isFirst = false
                    continue
                }
                let words = Array(line.drop { $0 <= 0x20 })
                guard !words.isEmpty else { continue }
                try add((isFirst ? [] : [0x0a]) + Self.escaped(words[...]) + [0x0a])
                isFirst = false
            }
        }
        try add([], isLast: true)
    }

    /// Whether the part is plain text or Markdown already, whose lines are the writer's own.
    private func isPlain(_ section: TextSection) -> Bool {
        TextFormat(fileName: section.path.isRoot ? name : section.path.name)?.isPlain ?? true
    }

    /// A paragraph in Markdown, with a backslash before all that would be read as a mark.
    private static func escaped(_ line: ArraySlice<UInt8>) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(line.count)
        // `12.` and `12)` begin a list.
        let number = line.prefix { (0x30...0x39).contains($0) }
        for (at, byte) in zip(line.indices, line) {
            let isFirst = at == line.startIndex
            let next = at + 1 < line.endIndex ? line[at + 1] : 0x20
            let isMark =
                switch byte {
                case UInt8(ascii: "\\"), UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "["),
                    UInt8(ascii: "<"):
                    true
                case UInt8(ascii: "#"), UInt8(ascii: ">"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "="),
                    UInt8(ascii: "~"), UInt8(ascii: "|"):
                    isFirst
                case UInt8(ascii: "."), UInt8(ascii: ")"): !number.isEmpty && at == number.endIndex
                case UInt8(ascii: "&"): next == UInt8(ascii: "#") || (0x61...0x7a).contains(next | 0x20)
                default: false
                }
            if isMark { out.append(UInt8(ascii: "\\")) }
            out.append(byte)
        }
        return out
    }
}
