import CueTerminal

/// How the texts of a question are cut and indented.
enum ConflictLines {
    /// Lines of at most `width` columns, each with the indent.
    static func wrapped(_ text: String, width: Int, indent: String = "") -> [Line] {
        LineWrap.lines(of: Line(indent + text), width: width)
    }

    /// A text of at most `width` columns: of a longer one the beginning and the end.
    static func shortened(_ text: String, to width: Int) -> String {
        guard text.columns > width, width > 4 else { return text }
        var (start, end) = (text.prefix(0), text.suffix(0))
        while String(start).columns + String(end).columns + 3 <= width {
            start = text.prefix(start.count + 1)
            if String(start).columns + String(end).columns + 3 <= width { end = text.suffix(end.count + 1) }
        }
        return start + "…" + end
    }

    /// A text with a label before it; its other lines are indented as far.
    static func labelled(_ label: String, _ text: String, indent: Int, _ width: Int) -> [Line] {
        var lines = wrapped(text, width: width - 1, indent: String(repeating: " ", count: indent))
        if let first = lines.first { lines[0] = Line(Style.left(label, indent) + first.text.dropFirst(indent)) }
        return lines
    }
}
