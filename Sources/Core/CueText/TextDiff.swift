/// What changed between two texts: paragraph by paragraph, and word by word inside a paragraph that was rewritten.
///
/// A line end ends a paragraph and is no part of it. What is `same` and `removed`, in order, is the old text; what is `same`
/// and `added`, the new one. A rewritten paragraph is both, likewise.
package struct TextDiff: Sendable {
    /// Words one after the other, with the white space around them.
    package enum Piece: Equatable, Sendable {
        case same(String), removed(String), added(String)
    }

    package enum Change: Equatable, Sendable {
        case same(paragraphs: Int)
        case removed(String)
        case added(String)
        case rewritten([Piece])
    }

    /// In order.
    package private(set) var changes: [Change] = []
    package private(set) var addedWords = 0
    package private(set) var removedWords = 0

    /// Takes about as long as both texts are, however little they have in common.
    package static func between(_ old: String, _ new: String) -> TextDiff {
        var diff = TextDiff()
        let paragraphs = ParagraphDiff(old, new)
        for step in paragraphs.steps { diff.add(step, of: paragraphs) }
        return diff
    }

    private mutating func add(_ step: ParagraphDiff.Step, of paragraphs: ParagraphDiff) {
        switch step {
        case .same:
            if case .same(let before)? = changes.last {
                changes[changes.count - 1] = .same(paragraphs: before + 1)
            } else {
                changes.append(.same(paragraphs: 1))
            }
        case .removed(let old):
            let text = paragraphs.text(paragraphs.old[old])
            removedWords += Words.count(in: text)
            changes.append(.removed(text))
        case .added(let new):
            let text = paragraphs.text(paragraphs.new[new])
            addedWords += Words.count(in: text)
            changes.append(.added(text))
        case .rewritten(let old, let new):
            let pieces = WordDiff(paragraphs.old[old], paragraphs.new[new], in: paragraphs.bytes).pieces
            for piece in pieces { count(piece) }
            changes.append(.rewritten(pieces))
        }
    }

    private mutating func count(_ piece: Piece) {
        switch piece {
        case .same: break
        case .removed(let text): removedWords += Words.count(in: text)
        case .added(let text): addedWords += Words.count(in: text)
        }
    }
}
