import CueBase
import CueEngine
import CueLibrary
import CueTerminal

/// Sentences about a restore: what is in its way, and what it did.
enum RestoreWords {
    // MARK: In the way

    /// Work that no version holds is in the way of a restore without `--overwrite`.
    static func inTheWay(_ names: [String]) -> CueError {
        let isOne = names.count == 1
        return CueError(
            .failed,
            "\(isOne ? "a file is" : "\(names.count) files are") in the way that no snapshot holds as \(isOne ? "it is" : "they are"): \(list(names))",
            "with --overwrite \(isOne ? "it is" : "they are") kept first, and then replaced: in the library as a version, in any other folder under a name beside",
            "or restore into another folder with --to")
    }

    /// A folder stands in the place of a document, or the reverse.
    static func otherKind(_ names: [String]) -> CueError {
        CueError(
            .failed,
            "a folder is in the way where a document comes back, or a document where a folder does: \(list(names))",
            "give it another name, then run the command again; or restore into another folder with --to")
    }

    /// What is in the way cannot be stored, and is not replaced.
    static func notStored(_ error: NotStored, vault: String) -> CueError {
        let names = list(error.documents.map { Display.text($0) })
        let what = "\(names): what is in the way could not be stored first, so nothing was replaced"
        let elsewhere = "or restore into another folder with --to"
        switch error.cause {
        case .failed(let cause):
            let words = CueError.describing(cause, vault: vault)
            let error = CueError(words.outcome, "\(what): \(words.message)")
            return words.hints.reduce(error) { $0.hinting($1) }.hinting(elsewhere)
        case .skipped(let reason):
            return CueError(.failed, "\(what): \(reason.words)", "make it readable, or move it away", elsewhere)
        case .ignored:
            return CueError(
                .failed, "\(what): the rules of the library (`.cueignore`) leave it out",
                "move it away, then run the command again", elsewhere)
        case .unsettled:
            return CueError(
                .failed, "\(what): it changed while it was read", "run the command again once it is saved", elsewhere)
        }
    }

    /// No restore can be taken back.
    static var nothingToUndo: CueError {
        CueError(
            .failed, "no restore into this library is remembered that could be taken back",
            "`cue log` with a name lists the versions of a document, and `cue restore --version` brings one back")
    }

    /// An undo needs the library into which was restored.
    static var noLibrary: CueError {
        CueError(.usage, "there is no library here whose last restore could be taken back", "--library FOLDER names it")
    }

    private static func list(_ names: [String]) -> String {
        names.prefix(5).joined(separator: ", ") + (names.count > 5 ? ", …" : "")
    }

    // MARK: Done

    /// Lines about what was kept first, and about what an undo took away.
    static func lines(_ summary: RestoreSummary) -> [String] {
        summary.stored.map { "\(Display.text($0.path)): stored as \($0.version.short), then replaced" }
            + summary.aside.map { "\(Display.text($0)): it was in the way, and has this name now" }
    }

    /// Warnings about documents that an undo leaves.
    static func stayed(_ paths: [RelativePath]) -> [String] {
        paths.map { "\(Display.text($0)): the restore brought it, and it was changed since: it stays" }
    }

    /// What came back, and as it was when; nil if nothing did.
    static func source(_ summary: RestoreSummary) -> String? {
        guard let source = summary.source, summary.documents > 0 else { return nil }
        let when = "\(source.time.shown) (\(source.device))"
        if let only = source.only { return "\(Display.text(only)) as it was on \(when)" }
        if let snapshot = source.snapshot { return "each document as it was in snapshot \(snapshot.short), \(when)" }
        return "each document in its newest version; the last of them was stored on \(when)"
    }

    /// How a restore into a library is taken back. `library`: as `--library` named it; nil without that.
    static func undoing(_ library: String?) -> String {
        "to take it back: `cue restore --undo\(library.map { " --library \(ShellWord.quoted($0))" } ?? "")`"
    }

    /// The last line of a restore.
    static func result(_ summary: RestoreSummary, seconds: Double) -> String {
        let documents = Style.count(summary.documents, "document")
        if summary.wasThere, summary.failed.isEmpty {
            return "it is so already: \(documents) in \(summary.target), and nothing had to be written"
        }
        let kept = summary.kept > 0 ? ", \(Style.count(summary.kept, "file")) there already" : ""
        return "restored \(documents) to \(summary.target): \(Style.count(summary.files, "file")), "
            + "\(Style.bytes(summary.bytes))\(kept)  (\(Style.seconds(seconds)))"
    }

    /// The last line of an undo.
    static func undone(_ summary: RestoreSummary, seconds: Double) -> String {
        var parts: [String] = []
        if summary.documents > 0 { parts.append("\(Style.count(summary.documents, "document")) as before it") }
        if !summary.removed.isEmpty {
            parts.append("\(Style.count(summary.removed.count, "document")) that it had brought taken away")
        }
        guard !parts.isEmpty else { return "nothing to take back: the library is as before the last restore" }
        return "the last restore is taken back: \(parts.joined(separator: ", "))  (\(Style.seconds(seconds)))"
    }

    /// What did not come back. The documents first: a person knows them, and not the objects of the vault.
    static func failed(_ summary: RestoreSummary) -> [String] {
        (summary.failed.filter(\.isOfDocument) + summary.failed.filter { !$0.isOfDocument }).map(\.sentence)
    }
}
