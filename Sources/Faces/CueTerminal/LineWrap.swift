/// Breaks lines between words.
package enum LineWrap {
    /// Lines of at most `width` columns, the indent included.
    package static func lines(of text: String, width: Int, indent: String = "") -> [String] {
        lines(of: Line(indent + text), width: width).map(\.text)
    }

    /// Lines of at most `width` columns. Those after the first begin as far in as the first does, and `hang` further.
    ///
    /// A command between backticks is never broken, so that it can be copied: one that does not fit gets a line of its
    /// own. What is longer than a line goes beyond its end, as does a line of its own with a command (`  cue …`).
    package static func lines(of line: Line, width: Int, hang: Int = 0) -> [Line] {
        let letters = letters(of: line)
        guard !line.text.utf8.starts(with: "  cue ".utf8), letters.reduce(0, { $0 + $1.columns }) > width else {
            return [line]
        }
        let start = letters.prefix(while: \.isSpace).count
        let indent = String(repeating: " ", count: min(start + hang, width / 2))
        var lines: [Line] = []
        var (current, columns, isBegun) = (Line(String(repeating: " ", count: start)), start, false)
        for word in words(letters[start...]) {
            if isBegun, columns + word.spaces + word.columns > width {
                lines.append(current)
                (current, columns) = (Line(indent), indent.count)
            } else {
                current.append(String(repeating: " ", count: word.spaces), .plain)
                columns += word.spaces
            }
            for letter in word.letters { current.append(String(letter.character), letter.role) }
            (columns, isBegun) = (columns + word.columns, true)
        }
        // A text may come in pieces, and spaces at the end belong to it.
        let rest = letters.reversed().prefix(while: \.isSpace).count
        if isBegun { current.append(String(repeating: " ", count: rest), .plain) }
        return lines + [current]
    }

    private struct Letter {
        let character: Character
        let role: Line.Role
        let columns: Int
        /// nil for other characters than ASCII.
        let ascii: UInt8?

        var isSpace: Bool { ascii == 0x20 }
    }

    /// What is not broken, with the spaces before it.
    private struct Word {
        let spaces: Int
        let letters: ArraySlice<Letter>
        let columns: Int
    }

    private static func letters(of line: Line) -> [Letter] {
        line.pieces.flatMap { piece in
            piece.text.map { Letter(character: $0, role: piece.role, columns: $0.columns, ascii: $0.ascii) }
        }
    }

    private static func words(_ letters: ArraySlice<Letter>) -> [Word] {
        var words: [Word] = []
        var at = letters.startIndex
        while at < letters.endIndex {
            let first = letters[at...].firstIndex { !$0.isSpace } ?? letters.endIndex
            var end = first
            while end < letters.endIndex, !letters[end].isSpace {
                let isWide = letters[end].columns > 1
                end = afterCommand(letters, from: end) ?? end + 1
                // Between characters of scripts without spaces a line may be broken, but not before a closing mark.
                if end < letters.endIndex, isWide || letters[end].columns > 1,
                    !closing.contains(letters[end].character)
                {
                    break
                }
            }
            guard end > first else { break }
            words.append(
                Word(
                    spaces: first - at, letters: letters[first..<end],
                    columns: letters[first..<end].reduce(0) { $0 + $1.columns }))
            at = end
        }
        return words
    }

    /// The place after the command that begins here with a backtick; nil if none does.
    private static func afterCommand(_ letters: ArraySlice<Letter>, from start: Int) -> Int? {
        guard letters[start].ascii == 0x60 else { return nil }
        return letters[(start + 1)...].firstIndex { $0.ascii == 0x60 }.map { $0 + 1 }
    }

    private static let closing: Set<Character> = ["。", "，", "、", "！", "？", "；", "：", "」", "』", "）", "》", "”", "’"]
}

extension Character {
    /// The columns that a terminal gives it: none to a combining mark alone, 2 to East Asian wide characters and emoji
    /// (Unicode Annex 11), else 1.
    package var columns: Int { ascii != nil ? 1 : unicodeScalars.map(Self.columns).max() ?? 0 }

    /// Its one byte. `asciiValue` compares, which takes very long for a character with a thousand accents.
    fileprivate var ascii: UInt8? { utf8.count == 1 ? utf8.first : nil }

    private static func columns(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        if scalar.properties.isEmojiPresentation { return 2 }
        return switch scalar.value {
        case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff,
            0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x20000...0x3fffd:
            2
        default: 1
        }
    }
}

extension String {
    /// The columns that a terminal gives it.
    package var columns: Int { reduce(0) { $0 + $1.columns } }
}
