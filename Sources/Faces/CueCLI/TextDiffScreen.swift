import CueBase
import CueTerminal
import CueText

/// Breaks lines between words.
enum LineWrap {
    static func lines(of text: String, width: Int, indent: String = "") -> [String] {
        var lines: [String] = []
        var line = indent
        for word in text.split(separator: " ") {
            if line.count > indent.count && line.count + 1 + word.count > width {
                lines.append(line)
                line = indent
            }
            line += (line.count > indent.count ? " " : "") + word
        }
        if line.count > indent.count { lines.append(line) }
        return lines
    }
}

/// The difference of two texts in lines.
struct TextDiffScreen {
    private let diff: TextDiff
    private let width: Int
    /// What stands before a paragraph that only the old text has, or only the new one.
    private let old: String
    private let new: String

    init(_ diff: TextDiff, width: Int, old: String, new: String) {
        (self.diff, self.width, self.old, self.new) = (diff, width, old, new)
    }

    /// Up to so many changes; a longer text is cut in the middle of what did not change.
    func lines(atMost limit: Int) -> [String] {
        var lines: [String] = []
        var (paragraph, shown) = (1, 0)
        for change in diff.changes {
            if case .same(let count) = change {
                paragraph += count
                continue
            }
            guard shown < limit else { break }
            if !Self.isEmpty(change) {
                if shown > 0 { lines.append("") }
                lines.append("  paragraph \(Style.number(paragraph))")
                lines += text(of: change, isExcerpt: limit < .max)
                shown += 1
            }
            if case .added = change { continue }
            paragraph += 1
        }
        return lines
    }

    private static func isEmpty(_ change: TextDiff.Change) -> Bool {
        switch change {
        case .removed(let text), .added(let text): text.allSatisfy(\.isWhitespace)
        default: false
        }
    }

    private func text(of change: TextDiff.Change, isExcerpt: Bool) -> [String] {
        switch change {
        case .same: []
        case .removed(let text): wrapped(old, cut(text, isExcerpt))
        case .added(let text): wrapped(new, cut(text, isExcerpt))
        case .rewritten(let pieces): wrapped("", Self.marked(pieces, isExcerpt))
        }
    }

    private func cut(_ text: String, _ isExcerpt: Bool) -> String {
        guard isExcerpt, text.count > 160 else { return text }
        return text.prefix(160) + "…"
    }

    private func wrapped(_ label: String, _ text: String) -> [String] {
        LineWrap.lines(of: label + text.replacing("\t", with: " "), width: width - 2, indent: "    ")
    }

    /// `The lamp went out[-, and-]{+.+}`; what did not change is shortened where it is long.
    private static func marked(_ pieces: [TextDiff.Piece], _ isExcerpt: Bool) -> String {
        pieces.enumerated().map { number, piece in
            switch piece {
            case .removed(let text): "[-\(text.trimmed)-]" + text.end
            case .added(let text): "{+\(text.trimmed)+}" + text.end
            case .same(let text):
                isExcerpt ? shortened(text, isFirst: number == 0, isLast: number == pieces.count - 1) : text
            }
        }.joined()
    }

    private static func shortened(_ text: String, isFirst: Bool, isLast: Bool) -> String {
        guard text.count > 70 else { return text }
        if isFirst { return "…" + text.suffix(60) }
        return isLast ? text.prefix(60) + "…" : text.prefix(30) + " … " + text.suffix(30)
    }
}

extension String {
    /// Without the white space at its end, which comes after the mark.
    fileprivate var trimmed: Substring { self[..<(lastIndex { !$0.isWhitespace }.map(index(after:)) ?? startIndex)] }
    fileprivate var end: Substring { self[(lastIndex { !$0.isWhitespace }.map(index(after:)) ?? startIndex)...] }
}
