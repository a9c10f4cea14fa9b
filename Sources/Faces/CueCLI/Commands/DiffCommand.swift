import ArgumentParser
import CueBase
import CueEngine
import CueLibrary
import CueSystem
import CueTerminal
import CueText
import CueVault

/// `cue diff`.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Show what changed, in words: everywhere, in a folder, or in a document.",
        discussion: """
            Without a version: what changed in the folder since it was last stored. With one: since that version. With two: \
            between them. A version is what `cue log NAME` lists, or a snapshot, or a time such as "2 days ago"; of a folder \
            (`.` is all of the library) one of the last two.
            """)

    @Argument(help: "A document or a folder. Without it, everything.")
    var name: String?

    @Argument(help: "The older version.")
    var old: String?

    @Argument(help: "The newer version.")
    var new: String?

    @Flag(help: "A line for each document: how many words came and went.")
    var stat = false

    @Flag(help: "End with 1 if anything differs.")
    var exitCode = false

    @OptionGroup var vault: VaultOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        try NameWords.refuse(empty: [name].compactMap(\.self))
        if stat && common.json {
            throw ValidationError("--stat shortens what people read, and --json has its numbers: leave --stat out.")
        }
    }

    func run() throws {
        let session = try Session.openToRead(vault)
        let output = common.pagedOutput
        let (differs, isWhole) = try session.run { session in
            let diff = try session.reading(name ?? "", output) { name in
                try LibraryDiff.make(
                    name.isEmpty ? nil : name, from: old, to: new, session.context(), session.library)
            }
            if diff.isOfDocument, let only = diff.documents.first {
                try output.object(DiffResult(only))
                if !stat {
                    tell(only, output)
                } else {
                    output.line(ChangeWords.same(only).map { "\($0)" } ?? ChangeWords.line(only))
                }
            } else {
                try output.object(
                    LibraryDiffResult(
                        documents: diff.documents.map { DiffResult($0) }, touched: diff.touched,
                        skipped: diff.skipped.map { .init(path: $0.shownPath, reason: $0.reason.words) }))
                tell(diff, output)
            }
            output.warnings(diff.gaps.map(\.sentence))
            output.warnings(diff.skipped.map { "\($0.shownPath): \($0.reason.words); it was not compared" })
            return (diff.documents.contains { !$0.isSame }, diff.skipped.isEmpty)
        }
        try end(exitCode && differs ? .failed : isWhole ? .done : .incomplete)
    }

    /// Prints what changed in several documents.
    private func tell(_ diff: LibraryDiff, _ output: Output) {
        for (number, document) in diff.documents.enumerated() {
            if stat {
                output.line(ChangeWords.line(document))
            } else {
                if number > 0 { output.line() }
                tell(document, output)
            }
        }
        if !stat, !diff.documents.isEmpty { output.line() }
        for line in ChangeWords.summary(diff) { output.line(line) }
    }

    /// Prints the comparison in lines.
    private func tell(_ diff: DocumentDiff, _ output: Output) {
        output.line(Line(Display.text(diff.path), .strong))
        output.line("  from  \(words(diff.old))")
        output.line("  to    \(words(diff.new))")
        if let renamed = ChangeWords.renaming(diff) { output.line(renamed) }
        if diff.isEmpty, diff.old.isThere == diff.new.isThere {
            return output.line(ChangeWords.same(diff) ?? "No word changed.")
        }
        if !diff.parts.isEmpty {
            output.line("\(Style.count(diff.addedWords, "word")) added, \(Style.number(diff.removedWords)) removed")
        }
        for part in diff.parts {
            output.line()
            if !part.title.isEmpty { output.line(Line(part.title, .strong)) }
            let screen = TextDiffScreen(
                part.diff, width: Terminal.columns(of: Terminal.output), old: "removed: ", new: "added: ")
            for line in screen.lines(atMost: .max) { output.line(line) }
        }
        if !diff.others.isEmpty { output.line() }
        for path in diff.others {
            output.line("\(path.isRoot ? "The document" : Display.text(path)) differs, and cannot be shown as text.")
        }
    }

    /// One end in a line: version, time, device, words.
    private func words(_ end: DocumentDiff.End) -> String {
        let count = end.words.map { ", \(Style.count($0, "word"))" } ?? ""
        guard let version = end.version else { return end.isThere ? "the folder, now\(count)" : "not there" }
        let state = version.header.isTombstone ? ", deleted" : count
        return "\(version.id.short)  \(version.time.shown)  \(end.device ?? "")\(state)"
    }
}
