import CueBase
import CueEngine
import CueSearch
import CueTerminal

/// The passages of a search in lines, by document.
struct FindScreen {
    /// The characters that are shown on each side of what was found.
    private static let around = 90

    private let result: Search.Result
    private let wanted: [Character]
    private let width: Int

    /// `words` are those that were looked for.
    init(_ result: Search.Result, _ words: String, width: Int) {
        (self.result, self.width) = (result, width)
        wanted = Array(FoldedText.of(words))
    }

    var lines: [Line] {
        guard !result.passages.isEmpty else { return [Line(SearchWords.nothing)] }
        var lines: [Line] = []
        var document: ProjectID?
        for passage in result.passages {
            if document != passage.project {
                if document != nil { lines.append("") }
                lines.append(Line(passage.last.path, .strong))
                document = passage.project
            }
            if !passage.title.isEmpty { lines.append("  \(passage.title)") }
            lines += LineWrap.lines(of: "    \(excerpt(of: passage.text))", width: width)
            lines.append("  \(dim: SearchWords.times(passage))")
        }
        lines.append("")
        if result.areMore { lines.append(Line(SearchWords.more)) }
        if result.passages.contains(where: { $0.cut != nil }) { lines.append(Line(SearchWords.hint)) }
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    /// The words that were found, with those around them.
    private func excerpt(of text: String) -> Line {
        let all = Array(text)
        guard let found = place(in: all) else { return Line(String(all.prefix(2 * Self.around))) }
        var start = max(0, found.lowerBound - Self.around)
        var end = min(all.count, found.upperBound + Self.around)
        // No word is cut in two.
        while start > 0, start < found.lowerBound, !all[start - 1].isWhitespace { start += 1 }
        while end < all.count, end > found.upperBound, !all[end].isWhitespace { end -= 1 }
        let (before, after) = (start > 0 ? "… " : "", end < all.count ? " …" : "")
        return
            "\(before)\(String(all[start..<found.lowerBound]))\(String(all[found]), .found)\(String(all[found.upperBound..<end]))\(after)"
    }

    /// Where the words stand. Each character is folded alone, so that its place is known.
    private func place(in text: [Character]) -> Range<Int>? {
        var folded: [Character] = []
        var places: [Int] = []
        for (place, character) in text.enumerated() {
            if character.isWhitespace {
                if folded.last != " " {
                    folded.append(" ")
                    places.append(place)
                }
                continue
            }
            for part in FoldedText.of(String(character)) {
                folded.append(part)
                places.append(place)
            }
        }
        guard !wanted.isEmpty, folded.count >= wanted.count else { return nil }
        let first = (0...folded.count - wanted.count).first { folded[$0..<$0 + wanted.count].elementsEqual(wanted) }
        return first.map { places[$0]..<places[$0 + wanted.count - 1] + 1 }
    }
}
