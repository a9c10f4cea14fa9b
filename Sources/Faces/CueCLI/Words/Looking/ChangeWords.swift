import CueBase
import CueEngine
import CueTerminal
import CueVault

/// The lines that `cue diff --stat` and `cue show` print for documents that changed.
enum ChangeWords {
    /// A line of `cue diff --stat`.
    static func line(_ diff: DocumentDiff) -> Line {
        let isChange = diff.old.isThere && diff.new.isThere
        let what =
            isChange ? diff.renamedFrom == nil ? "changed" : "renamed" : diff.old.isThere ? "gone" : "new"
        let words = diff.old.words == nil || diff.new.words == nil ? nil : (diff.addedWords, diff.removedWords)
        let from = diff.renamedFrom.map { "\(Display.text($0)) is now " } ?? ""
        return line(what, diff.isEmpty && isChange ? (0, 0) : words, from + Display.text(diff.path))
    }

    /// That a document is the same at both ends, or differs in times or rights alone; nil if it differs.
    static func same(_ diff: DocumentDiff) -> String? {
        guard diff.isSame else { return nil }
        return diff.isTouched ? "Only times or rights changed." : "Nothing changed."
    }

    /// The names of a document that has another one at the new end; nil if it has not.
    static func renaming(_ diff: DocumentDiff) -> String? {
        guard let from = diff.renamedFrom else { return nil }
        let (old, new) = (Display.text(from), Display.text(diff.path))
        return diff.new.version == nil ? "\(old) is called \(new) now" : "\(old) was renamed to \(new)"
    }

    /// A line of `cue show`.
    static func line(_ change: SnapshotChanges.Change) -> Line {
        let from = change.renamedFrom.map { "\(Display.text($0)) is now " } ?? ""
        let name = from + Display.text(change.version.header.path)
        guard change.joined > 0 else { return line(change.kind.rawValue, change.words, name) }
        let what = change.kind == .touched ? "settled" : change.kind.rawValue
        return line(what, change.words, "\(name)  in place of \(change.joined) versions")
    }

    private static func line(_ what: String, _ words: (added: Int, removed: Int)?, _ name: String) -> Line {
        // Each in a column of its own, so that they can be compared at a glance.
        let more = words.map { $0.added == 0 ? "" : "+\(Style.number($0.added))" } ?? ""
        let fewer = words.map { $0.removed == 0 ? "" : "-\(Style.number($0.removed))" } ?? ""
        let count = words.map { $0 == (0, 0) ? "" : "words" } ?? ""
        let counts: Line = "\(Style.right(more, 7), .added) \(Style.right(fewer, 7), .removed) \(Style.left(count, 5))"
        return "  \(Style.left(what, 7))  \(counts)  \(name)"
    }

    /// How much changed in all.
    static func summary(_ diff: LibraryDiff) -> [String] {
        let touched =
            diff.touched == 0
            ? [] : ["In \(Style.count(diff.touched, "document")) only times or rights changed."]
        guard !diff.documents.isEmpty else {
            return [diff.skipped.isEmpty ? "Nothing changed." : "Nothing else changed."] + touched
        }
        let (added, removed) = diff.documents.reduce((0, 0)) { ($0.0 + $1.addedWords, $0.1 + $1.removedWords) }
        return [
            "\(Style.count(diff.documents.count, "document")) changed: \(Style.count(added, "word")) added, \(Style.number(removed)) removed."
        ] + touched
    }

    /// How many documents a snapshot changed, in `cue log`.
    static func count(_ entry: SnapshotLog.Entry) -> String {
        guard entry.changes > 0 else {
            if entry.hasOthers { return "only folders or links changed" }
            return entry.hasSettings ? "only settings changed" : "no document changed"
        }
        guard let first = entry.settled.first else { return Style.count(entry.changes, "change") }
        let more = entry.settled.count > 1 ? " and \(Style.number(entry.settled.count - 1)) more" : ""
        return "\(Style.count(entry.changes, "change"))  settled \(Display.text(first))\(more)"
    }

    /// The first line of `cue show`.
    static func head(_ entry: SnapshotLog.Entry) -> String {
        let note = entry.isWhole ? "" : "  (some files could not be read)"
        return "snapshot \(entry.snapshot)  \(entry.time.shown)  \(entry.device)\(note)"
    }

    /// How much a snapshot changed in all.
    static func summary(_ changes: [SnapshotChanges.Change]) -> String {
        guard !changes.isEmpty else { return "It changed no document." }
        let words = changes.compactMap(\.words).reduce((0, 0)) { ($0.0 + $1.added, $0.1 + $1.removed) }
        let counts = "\(Style.count(words.0, "word")) added, \(Style.number(words.1)) removed"
        return "\(Style.count(changes.count, "change")): \(counts)."
    }
}
