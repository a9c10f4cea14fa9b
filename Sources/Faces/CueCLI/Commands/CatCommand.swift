import ArgumentParser
import CueBase
import CueEngine
import CueSystem
import CueTerminal
import CueVault

/// `cue cat`. On a terminal it prints text, with control characters escaped; elsewhere bytes.
struct CatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cat", abstract: "Print a document, or one file of it, to the standard output.",
        discussion: """
            On a terminal it prints the text: of a Word, RTF or OpenDocument file without its layout, of a Scrivener project scene \
            by scene. Control characters and invisible marks, which a terminal would obey, are written \\xNN. To a file or a pipe \
            it writes the bytes as they are.

            --version latest~1 is the version before the newest one of the document; --at latest~1 is the library before its latest \
            snapshot, in which the document perhaps was the same.

            Examples:
              cue cat "02 Salt" --version latest~1
              cue cat "02 Salt" --at yesterday
            """)

    @Argument(help: "The document; NAME:FILE for a file in it, by its path or the title of a scene.")
    var name: String

    @Option(help: ArgumentHelp("The state at a time or snapshot.", valueName: "when"))
    var at: String?

    @Option(
        help: ArgumentHelp(
            "One version of the document: an id that `cue log NAME` lists, or latest~1, the one before its newest.",
            valueName: "id"))
    var version: String?

    @Flag(help: "Write the bytes as they are, also on a terminal.")
    var raw = false

    @Flag(help: "Write the text, also to a file or a pipe.")
    var text = false

    @OptionGroup var vault: VaultOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        try NameWords.refuse(empty: [name])
        if raw && text { throw ValidationError("--raw and --text are two different things: give one of them.") }
        if at != nil && version != nil {
            throw ValidationError("--at and --version name two different things: give one of them.")
        }
    }

    func run() throws {
        let session = try Session.openToRead(vault)
        let isTerminal = Terminal.isTerminal(Terminal.output)
        let form: Cat.Form = text ? .text : raw || !isTerminal ? .bytes : .readable
        try session.run { session in
            try session.reading(name, at: at, common.output) { name in
                var page = TerminalPage()
                func write(_ bytes: Span<UInt8>) {
                    if raw || !isTerminal { Output.write(bytes) } else { show(page.shown(bytes)) }
                }
                try Cat.run(name, at: at, version: version, as: form, session.context(), write: write) { sections in
                    DraftText(sections, of: [], as: .plain).write { write($0.span) }
                }
                show(page.rest)
            }
        }
    }

    /// Prints text for a person, broken between words on a terminal.
    private func show(_ text: String) {
        guard Terminal.isTerminal(Terminal.output), !text.isEmpty else { return Output.print(text) }
        let width = Terminal.columns(of: Terminal.output)
        let lines = text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false).map { String(Substring($0)) }
        Output.print(lines.map { LineWrap.lines(of: $0, width: width).joined(separator: "\n") }.joined(separator: "\n"))
    }
}
