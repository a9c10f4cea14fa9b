/// The changes between two texts: by paragraph, and by word inside a rewritten paragraph.
///
/// A line end ends a paragraph and is not part of it. `same` and `removed`, in order, make the old text; `same` and
/// `added` make the new one. The pieces of a rewritten paragraph work in the same way.
package struct TextDiff: Sendable {
    /// A piece of a rewritten paragraph.
    package typealias Piece = TextPiece

    /// One step from the old text to the new one.
    package enum Change: Equatable, Sendable {
        /// So many paragraphs stay as they are.
        case same(paragraphs: Int)
        /// The old paragraph, without its line end.
        case removed(String)
        /// The new paragraph, without its line end.
        case added(String)
        /// A paragraph that became another, in pieces.
        case rewritten([Piece])
    }

    /// All steps, in order.
    package private(set) var changes: [Change] = []
    /// The words of all added paragraphs and pieces.
    package private(set) var addedWords = 0
    /// The words of all removed paragraphs and pieces.
    package private(set) var removedWords = 0

    /// Compares two texts. The time grows with their length, however little they have in common.
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
