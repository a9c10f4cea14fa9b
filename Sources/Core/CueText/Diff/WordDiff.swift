/// The changes inside a paragraph, in pieces of whole words.
struct WordDiff {
    /// Words of both sides, and the words of each side behind them, up to the next words of both.
    private struct Part {
        var same: [UInt8] = []
        var removed: [UInt8] = []
        var added: [UInt8] = []

        var hasChange: Bool { !removed.isEmpty || !added.isEmpty }
        var changeCount: Int { max(removed.count, added.count) }
    }

    private let bytes: [UInt8]
    private var parts = [Part()]

    init(_ old: Range<Int>, _ new: Range<Int>, in bytes: [UInt8]) {
        self.bytes = bytes
        let oldTokens = Token.tokens(of: old, in: bytes.span)
        let newTokens = Token.tokens(of: new, in: bytes.span)
        var table = PieceTable()
        let oldNumbers = oldTokens.map { table.number(of: $0.word, in: bytes.span) }
        let newNumbers = newTokens.map { table.number(of: $0.word, in: bytes.span) }
        var (oldNext, newNext) = (0, 0)
        for run in Alignment.runs(oldNumbers, newNumbers, count: table.count) {
            addChange(oldTokens[oldNext..<run.old], newTokens[newNext..<run.new])
            for at in 0..<run.count { addSame(oldTokens[run.old + at], newTokens[run.new + at]) }
            (oldNext, newNext) = (run.old + run.count, run.new + run.count)
        }
        addChange(oldTokens[oldNext...], newTokens[newNext...])
        foldSmallParts()
    }

    var pieces: [TextPiece] {
        parts.flatMap { part in
            var pieces: [TextPiece] = []
            if !part.same.isEmpty { pieces.append(.same(text(part.same))) }
            if !part.removed.isEmpty { pieces.append(.removed(text(part.removed))) }
            if !part.added.isEmpty { pieces.append(.added(text(part.added))) }
            return pieces
        }
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private mutating func addChange(_ removed: ArraySlice<Token>, _ added: ArraySlice<Token>) {
        parts[parts.count - 1].removed += content(of: removed)
        parts[parts.count - 1].added += content(of: added)
    }

    /// Adds a common word. The white space behind it may have changed.
    private mutating func addSame(_ old: Token, _ new: Token) {
        if parts[parts.count - 1].hasChange { parts.append(Part()) }
        parts[parts.count - 1].same += bytes[old.word]
        if bytes[old.space] == bytes[new.space] {
            parts[parts.count - 1].same += bytes[old.space]
        } else {
            parts[parts.count - 1].removed += bytes[old.space]
            parts[parts.count - 1].added += bytes[new.space]
        }
    }

    private func content(of tokens: ArraySlice<Token>) -> ArraySlice<UInt8> {
        guard let first = tokens.first, let last = tokens.last else { return [] }
        return bytes[first.word.lowerBound..<last.space.upperBound]
    }

    /// Folds short common parts into the changes around them: a word or two that two rewritten sentences happen to
    /// share ("and the") only make them harder to read.
    private mutating func foldSmallParts() {
        var folded: [Part] = []
        for part in parts {
            guard let before = folded.last, before.hasChange,
                part.same.count <= min(before.changeCount, part.changeCount),
                Words.count(in: part.same.span, 0..<part.same.count) <= 2
            else {
                folded.append(part)
                continue
            }
            folded[folded.count - 1].removed += part.same + part.removed
            folded[folded.count - 1].added += part.same + part.added
        }
        parts = folded
    }
}
