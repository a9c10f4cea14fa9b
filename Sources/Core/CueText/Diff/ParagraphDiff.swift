/// Pairs the paragraphs of two texts.
///
/// A line end ends a paragraph and is not part of it; the last paragraph may lack one.
struct ParagraphDiff {
    enum Step: Equatable {
        case same(old: Int, new: Int)
        case removed(old: Int)
        case added(new: Int)
        /// A paragraph in the place of the old one, with words in common.
        case rewritten(old: Int, new: Int)
    }

    /// The bytes of both texts, old before new; all ranges are places in this array.
    let bytes: [UInt8]
    let old: [Range<Int>]
    let new: [Range<Int>]
    private(set) var steps: [Step] = []
    private var words = PieceTable()

    /// The number of new paragraphs among which an old one is searched.
    private static let window = 32

    init(_ oldText: String, _ newText: String) {
        let oldBytes = Array(oldText.utf8)
        bytes = oldBytes + Array(newText.utf8)
        old = Self.paragraphs(of: bytes, 0..<oldBytes.count)
        new = Self.paragraphs(of: bytes, oldBytes.count..<bytes.count)

        var table = PieceTable()
        let oldNumbers = old.map { table.number(of: $0, in: bytes.span) }
        let newNumbers = new.map { table.number(of: $0, in: bytes.span) }
        let runs = Alignment.runs(oldNumbers, newNumbers, count: table.count)
        var (oldStart, newStart) = (0, 0)
        for run in runs {
            addChanged(oldStart..<run.old, newStart..<run.new)
            for at in 0..<run.count { steps.append(.same(old: run.old + at, new: run.new + at)) }
            (oldStart, newStart) = (run.old + run.count, run.new + run.count)
        }
        addChanged(oldStart..<old.count, newStart..<new.count)
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private static func paragraphs(of bytes: [UInt8], _ range: Range<Int>) -> [Range<Int>] {
        var (paragraphs, start): ([Range<Int>], Int) = ([], range.lowerBound)
        for at in range where bytes[at] == 0x0a {
            paragraphs.append(start..<at)
            start = at + 1
        }
        if start < range.upperBound { paragraphs.append(start..<range.upperBound) }
        return paragraphs
    }

    /// Pairs each old paragraph with the first new one near by that shares most of its words.
    private mutating func addChanged(_ oldRange: Range<Int>, _ newRange: Range<Int>) {
        guard !oldRange.isEmpty, !newRange.isEmpty else {
            steps += oldRange.map(Step.removed) + newRange.map(Step.added)
            return
        }
        let oldBags = oldRange.map { bag(old[$0]) }
        let newBags = newRange.map { bag(new[$0]) }
        // A paragraph in the place of a single one counts as rewritten if it keeps a quarter of its words.
        let needed = oldRange.count == 1 && newRange.count == 1 ? 0.25 : 0.5
        var next = newRange.lowerBound
        for (at, oldBag) in zip(oldRange, oldBags) {
            let near = next..<min(next + Self.window, newRange.upperBound)
            let match = near.first { oldBag.likeness(to: newBags[$0 - newRange.lowerBound]) >= needed }
            guard let match else {
                steps.append(.removed(old: at))
                continue
            }
            steps += (next..<match).map(Step.added)
            steps.append(.rewritten(old: at, new: match))
            next = match + 1
        }
        steps += (next..<newRange.upperBound).map(Step.added)
    }

    private mutating func bag(_ paragraph: Range<Int>) -> WordBag {
        let bytes = bytes
        let span = bytes.span
        var numbers: [Int32] = []
        for token in Token.tokens(of: paragraph, in: span) { numbers.append(words.number(of: token.word, in: span)) }
        return WordBag(numbers)
    }
}

/// The words of a paragraph, without their order.
private struct WordBag {
    private let words: [Int32]

    init(_ words: [Int32]) { self.words = words.sorted() }

    /// The share of common words, from 0 to 1 (Dice's coefficient).
    func likeness(to other: WordBag) -> Double {
        let (x, y) = (words.span, other.words.span)
        // With lengths so different, the share cannot reach a quarter.
        guard x.count <= 7 * y.count, y.count <= 7 * x.count, !x.isEmpty else { return 0 }
        var (i, j, common) = (0, 0, 0)
        while i < x.count && j < y.count {
            if x[i] == y[j] { common += 1 }
            let step = (x[i] <= y[j], y[j] <= x[i])
            if step.0 { i += 1 }
            if step.1 { j += 1 }
        }
        return Double(2 * common) / Double(x.count + y.count)
    }
}

/// A word, and the white space behind it.
struct Token {
    let word: Range<Int>
    let space: Range<Int>

    /// All tokens of a paragraph.
    ///
    /// White space at its beginning counts as a word. So does each character of a script without spaces between words.
    static func tokens(of paragraph: Range<Int>, in bytes: Span<UInt8>) -> [Token] {
        var tokens: [Token] = []
        var position = paragraph.lowerBound
        while position < paragraph.upperBound {
            let start = position
            position = endOfWord(from: start, in: bytes, paragraph.upperBound)
            if position == start { position = endOfSpace(from: start, in: bytes, paragraph.upperBound) }
            let end = endOfSpace(from: position, in: bytes, paragraph.upperBound)
            tokens.append(Token(word: start..<position, space: position..<end))
            position = end
        }
        return tokens
    }

    private static func endOfWord(from start: Int, in bytes: Span<UInt8>, _ end: Int) -> Int {
        var position = start
        while position < end, Words.spaceLength(at: position, in: bytes) == 0 {
            let ideograph = ideographLength(at: position, in: bytes, end)
            if ideograph > 0 { return position == start ? position + ideograph : position }
            position += 1
        }
        return position
    }

    private static func endOfSpace(from start: Int, in bytes: Span<UInt8>, _ end: Int) -> Int {
        var position = start
        while position < end {
            let length = Words.spaceLength(at: position, in: bytes)
            if length == 0 { break }
            position += length
        }
        return position
    }

    /// The bytes of one kana or ideograph at a position; 0 for any other character.
    private static func ideographLength(at position: Int, in bytes: Span<UInt8>, _ end: Int) -> Int {
        switch bytes[position] {
        // U+3000 to U+9FFF, and the second forms from U+F900
        case 0xe3...0xe9: position + 3 <= end ? 3 : 0
        case 0xef where position + 3 <= end && (0xa4...0xab).contains(bytes[position + 1]): 3
        // U+20000 to U+3FFFF
        case 0xf0 where position + 4 <= end && bytes[position + 1] >= 0xa0: 4
        default: 0
        }
    }
}
