import CueBase
import CueTerminal
import CueText

/// The difference of two texts in lines.
struct TextDiffScreen {
    private let diff: TextDiff
    private let width: Int
    /// Stands before a paragraph that only the old text has.
    private let old: String
    /// Stands before a paragraph that only the new text has.
    private let new: String

    /// `old` and `new` are labels, such as "removed: ".
    init(_ diff: TextDiff, width: Int, old: String, new: String) {
        (self.diff, self.width, self.old, self.new) = (diff, width, old, new)
    }

    /// At most `limit` changes, each with the number of its paragraph in the new text. With a limit, long texts are shortened.
    func lines(atMost limit: Int) -> [Line] {
        var lines: [Line] = []
        var (paragraph, shown) = (1, 0)
        for change in diff.changes {
            if case .same(let count) = change {
                paragraph += count
                continue
            }
            guard shown < limit else { break }
            if !Self.isEmpty(change) {
                if shown > 0 { lines.append("") }
                lines.append("\(dim: "  paragraph \(Style.number(paragraph))")")
                lines += text(of: change, isExcerpt: limit < .max)
                shown += 1
            }
            if case .removed = change { continue }
            paragraph += 1
        }
        return lines
    }

    /// Whether the change is only white space.
    private static func isEmpty(_ change: TextDiff.Change) -> Bool {
        switch change {
        case .removed(let text), .added(let text): text.allSatisfy(\.isWhitespace)
        default: false
        }
    }

    private func text(of change: TextDiff.Change, isExcerpt: Bool) -> [Line] {
        switch change {
        case .same: []
        case .removed(let text): wrapped("\(old)\(cut(text, isExcerpt), .removed)")
        case .added(let text): wrapped("\(new)\(cut(text, isExcerpt), .added)")
        case .rewritten(let pieces): wrapped(Self.marked(pieces, isExcerpt))
        }
    }

    private func cut(_ text: String, _ isExcerpt: Bool) -> String {
        guard isExcerpt, text.count > 160 else { return text }
        return text.prefix(160) + "…"
    }

    private func wrapped(_ text: Line) -> [Line] {
        LineWrap.lines(of: "    \(text.map { $0.replacing("\t", with: " ") })", width: width - 2)
    }

    /// A rewritten paragraph such as `The lamp went out[-, and-]{+.+}`. Unchanged text is shortened in an excerpt.
    private static func marked(_ pieces: [TextDiff.Piece], _ isExcerpt: Bool) -> Line {
        pieces.enumerated().map { number, piece -> Line in
            switch piece {
            case .removed(let text): "\("[-\(text.trimmed)-]", .removed)\(text.end)"
            case .added(let text): "\("{+\(text.trimmed)+}", .added)\(text.end)"
            case .same(let text):
                Line(isExcerpt ? shortened(text, isFirst: number == 0, isLast: number == pieces.count - 1) : text)
            }
        }.reduce("", +)
    }

    /// The ends of a long text; at the first or last piece only the end next to the change.
    private static func shortened(_ text: String, isFirst: Bool, isLast: Bool) -> String {
        guard text.count > 70 else { return text }
        if isFirst { return "…" + text.suffix(60) }
        return isLast ? text.prefix(60) + "…" : text.prefix(30) + " … " + text.suffix(30)
    }
}

extension String {
    /// Without the white space at its end: that stands after the mark.
    fileprivate var trimmed: Substring { self[..<(lastIndex { !$0.isWhitespace }.map(index(after:)) ?? startIndex)] }
    /// The white space at its end.
    fileprivate var end: Substring { self[(lastIndex { !$0.isWhitespace }.map(index(after:)) ?? startIndex)...] }
}
