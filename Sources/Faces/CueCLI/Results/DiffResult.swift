import CueBase
import CueEngine
import CueText
import CueVault

/// The result of `cue diff` in JSON (docs/json.md).
struct DiffResult: Encodable {
    /// A part of the text that differs; `added` and `removed` count words.
    struct Part: Encodable {
        let title: String
        let added, removed: Int
        let changes: [Change]
    }

    /// One of: a number of same paragraphs, a removed or an added one, or the pieces of a rewritten one.
    struct Change: Encodable {
        let same: Int?
        let removed, added: String?
        let pieces: [Piece]?
    }

    /// Text of a rewritten paragraph; `kind` is "same", "removed" or "added".
    struct Piece: Encodable {
        let kind, text: String
    }

    let path: String
    let renamedFrom: String?
    let old, new: String?
    let oldWords, newWords: Int?
    let parts: [Part]
    let others: [String]
    let touchedOnly: Bool

    init(_ diff: DocumentDiff) {
        path = Display.text(diff.path)
        renamedFrom = diff.renamedFrom.map { Display.text($0) }
        (old, new) = (diff.old.version?.id.description, diff.new.version?.id.description)
        (oldWords, newWords) = (diff.old.words, diff.new.words)
        parts = diff.parts.map { part in
            Part(
                title: part.title, added: part.diff.addedWords, removed: part.diff.removedWords,
                changes: part.diff.changes.map { Change($0) })
        }
        others = diff.others.map { Display.text($0) }
        touchedOnly = diff.isTouched
    }
}

/// The result of `cue diff` of a folder, or of everything, in JSON.
struct LibraryDiffResult: Encodable {
    /// A document that could not be read.
    struct Skipped: Encodable {
        let path: String
        let reason: String
    }

    let documents: [DiffResult]
    let touched: Int
    let skipped: [Skipped]
}

extension DiffResult.Change {
    init(_ change: TextDiff.Change) {
        switch change {
        case .same(let count): self.init(same: count, removed: nil, added: nil, pieces: nil)
        case .removed(let text): self.init(same: nil, removed: text, added: nil, pieces: nil)
        case .added(let text): self.init(same: nil, removed: nil, added: text, pieces: nil)
        case .rewritten(let pieces):
            self.init(
                same: nil, removed: nil, added: nil,
                pieces: pieces.map { piece in
                    switch piece {
                    case .same(let text): DiffResult.Piece(kind: "same", text: text)
                    case .removed(let text): DiffResult.Piece(kind: "removed", text: text)
                    case .added(let text): DiffResult.Piece(kind: "added", text: text)
                    }
                })
        }
    }
}
