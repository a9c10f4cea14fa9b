import ArgumentParser
import CueBase
import CueEngine
import CueSystem
import CueTerminal
import CueText
import CueVault

/// `cue diff`.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Show what changed in a document, in words.",
        discussion: """
            Without a version: what changed in the folder since the document was last stored. With one: since that version. With two: \
            between them. A version is what `cue log NAME` lists, or a time such as "2 days ago".
            """)

    @Argument(help: "The document.")
    var name: String

    @Argument(help: "The older version.")
    var old: String?

    @Argument(help: "The newer version.")
    var new: String?

    @OptionGroup var vault: VaultOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let session = try Session.openToRead(vault)
        let output = common.output
        try session.run { session in
            let diff = try session.reading(name, output) {
                try DocumentDiff.make($0, from: old, to: new, session.context(), session.library)
            }
            try output.object(DiffResult(diff))
            tell(diff, output)
            output.warnings(diff.gaps.map(\.sentence))
        }
    }

    /// Prints the comparison in lines.
    private func tell(_ diff: DocumentDiff, _ output: Output) {
        let counts = diff.parts.reduce((added: 0, removed: 0)) {
            ($0.added + $1.diff.addedWords, $0.removed + $1.diff.removedWords)
        }
        output.line(Display.text(diff.path))
        output.line("  from  \(words(diff.old))")
        output.line("  to    \(words(diff.new))")
        if diff.isEmpty { return output.line("Nothing changed.") }
        if !diff.parts.isEmpty {
            output.line("\(Style.count(counts.added, "word")) added, \(Style.number(counts.removed)) removed")
        }
        for part in diff.parts {
            output.line()
            if !part.title.isEmpty { output.line(part.title) }
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
        guard let version = end.version else { return "the folder, now\(count)" }
        let state = version.header.isTombstone ? ", deleted" : count
        return "\(version.id.short)  \(version.time.shown)  \(end.device ?? "")\(state)"
    }
}
