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

    /// A restore that stores what it replaces works in a place of the library only.
    static func storesInCopy(_ place: VaultLocation) -> CueError {
        CueError(
            .usage, "\(place) is a copy that this library does not use, and this would store work only there",
            "--to DIR restores into another folder",
            "`cue vault add \(ShellWord.quoted(place.description))` makes it a place of the library's vault"
        ).unchanged
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
        "to take it back: \(undo(library))"
    }

    private static func undo(_ library: String?) -> String {
        "`cue restore --undo\(library.map { " --library \(ShellWord.quoted($0))" } ?? "")`"
    }

    /// The last line of a restore.
    static func result(_ summary: RestoreSummary, seconds: Double) -> String {
        let documents = Style.count(summary.documents - (summary.wasThere ? 0 : summary.already), "document")
        if summary.wasThere, summary.failed.isEmpty {
            return "it is so already: \(documents) in \(summary.target), and nothing had to be written"
        }
        let kept = summary.kept > 0 ? ", \(Style.count(summary.kept, "file")) there already" : ""
        let already =
            summary.already > 0
            ? "; \(Style.number(summary.already)) \(summary.already == 1 ? "was" : "were") so already" : ""
        return "restored \(documents) to \(summary.target): \(Style.count(summary.files, "file")), "
            + "\(Style.bytes(summary.bytes))\(kept)\(already)  (\(Style.seconds(seconds)))"
    }

    /// The last lines of an undo: which way it went, and the documents. `library`: as for `undoing`.
    static func undone(_ summary: RestoreSummary, _ library: String?, seconds: Double) -> [String] {
        guard let undone = summary.undone else { return [] }
        let restore = undone.restored.map { "the restore of \($0.shown)" } ?? "the last restore"
        let (count, removed) = (undone.documents.count, summary.removed.count)
        let (isOne, isBack) = (count == 1, undone.direction == .takenBack)
        var parts: [String] = []
        if count > 0, isBack {
            parts.append("\(named(undone.documents)) \(isOne ? "is as it was" : "are as they were") before \(restore)")
        } else if count > 0 {
            parts.append(
                "\(named(undone.documents)) \(isOne ? "is" : "are") as \(restore) had brought \(isOne ? "it" : "them")")
        }
        if removed > 0 {
            let cause = isBack ? "\(count > 0 ? "that restore" : restore) had brought" : "it had not brought"
            parts.append("\(named(summary.removed)), which \(cause), \(removed == 1 ? "is" : "are") taken away again")
        }
        guard !parts.isEmpty else {
            return ["nothing to take back: the library is as \(isBack ? "before" : "after") \(restore)"]
        }
        return [
            "\(isBack ? "taken back" : "restored again"): \(parts.joined(separator: "; "))  (\(Style.seconds(seconds)))",
            isBack ? "to restore again: \(undo(library))" : undoing(library),
        ]
    }

    /// Up to ten names, and how many more there are.
    private static func named(_ paths: [RelativePath]) -> String {
        let names = paths.prefix(10).map { Display.text($0) }
        let more = paths.count - names.count
        if more > 0 { return "\(names.joined(separator: ", ")) and \(Style.number(more)) more" }
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return "\(names.dropLast().joined(separator: ", ")) and \(last)"
    }

    /// What to do next where the vault is damaged and nothing came; `options` as for `emptied`.
    static func damaged(_ options: String) -> [String] {
        [
            "`cue check --read-data\(options)` tells what the vault has lost",
            "an older version may be whole: `cue log NAME\(options)` lists them, `cue restore NAME --version ID` brings one back",
        ]
    }

    /// Nothing came, as all documents are deleted. `options`: what names library and vault, as it was typed. `to`: the
    /// option of a restore that names the folder; empty for the library.
    static func emptied(_ vault: EmptiedVault, _ options: String, to: String) -> [String] {
        let count = vault.deleted
        let first =
            "No document is in the newest snapshot: \(Style.number(count)) \(count == 1 ? "was" : "were") deleted, the last on \(vault.last.shown)."
        guard let before = vault.before else { return [first] }
        let at = before.steps == 0 ? "latest" : "latest~\(before.steps)"
        let them = count == 1 ? "it" : "them"
        let back =
            before.documents >= count
            ? "brings \(them) back"
            : "brings back the \(before.documents == 1 ? "one that was" : "\(Style.number(before.documents)) that were") deleted last, and `cue restore NAME` each other one"
        return [first, "`cue ls --deleted\(options)` lists \(them); `cue restore --at \(at)\(options)\(to)` \(back)."]
    }

    /// What did not come back. The documents first: a person knows them, and not the objects of the vault.
    static func failed(_ summary: RestoreSummary) -> [String] {
        (summary.failed.filter(\.isOfDocument) + summary.failed.filter { !$0.isOfDocument }).map(\.sentence)
    }
}
