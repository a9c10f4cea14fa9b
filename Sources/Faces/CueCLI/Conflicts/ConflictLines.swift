import CueTerminal

/// How the texts of a question are cut and indented.
enum ConflictLines {
    /// The number of columns that a text takes. East Asian characters and emoji take two.
    static func width(_ text: String) -> Int {
        text.reduce(0) { width, character in
            let scalar = character.unicodeScalars.first?.value ?? 0
            let isWide =
                (0x1100...0x115f).contains(scalar) || (0x2e80...0xa4cf).contains(scalar)
                || (0xac00...0xd7a3).contains(scalar) || (0xf900...0xfaff).contains(scalar)
                || (0xfe30...0xfe6f).contains(scalar) || (0xff00...0xff60).contains(scalar)
                || (0x1f000...0x3fffd).contains(scalar)
            return width + (isWide ? 2 : 1)
        }
    }

    /// A text of at most `width` columns: of a longer one the beginning and the end.
    static func shortened(_ text: String, to width: Int) -> String {
        guard Self.width(text) > width, width > 4 else { return text }
        var (start, end) = (text.prefix(0), text.suffix(0))
        while Self.width(String(start)) + Self.width(String(end)) + 3 <= width {
            start = text.prefix(start.count + 1)
            if Self.width(String(start)) + Self.width(String(end)) + 3 <= width { end = text.suffix(end.count + 1) }
        }
        return start + "…" + end
    }

    /// A text with a label before it; its other lines are indented as far.
    static func labelled(_ label: String, _ text: String, indent: Int, _ width: Int) -> [String] {
        var lines = LineWrap.lines(of: text, width: width - 1, indent: String(repeating: " ", count: indent))
        if let first = lines.first { lines[0] = Style.left(label, indent) + first.dropFirst(indent) }
        return lines
    }
}
