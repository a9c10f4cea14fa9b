import ArgumentParser
import CueEngine
import CueLibrary
import CueSystem
import CueTerminal

/// `cue find`.
struct FindCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Find words in every version of every document: when they came, and when they were cut.",
        discussion: """
            Case, accents, and kinds of dashes and quotes do not matter; parts of words are found too. The first search reads all \
            versions once and keeps an index on this computer, in plain text; later ones take a moment. Where the vault's key is not \
            remembered (`cue init --forget-key`), no index is kept.
            """)

    @Argument(help: "Words that stand side by side in one paragraph.")
    var words: [String] = []

    @Flag(help: "Only what is still there.")
    var now = false

    @Flag(help: "Read all versions again, and make a new index.")
    var rebuild = false

    @OptionGroup var vault: VaultOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if !rebuild, words.allSatisfy({ $0.allSatisfy(\.isWhitespace) }) {
            throw ValidationError("Missing words to look for.")
        }
        if rebuild && vault.vault != nil {
            throw ValidationError(
                "--rebuild makes the index of a library, and with --vault none is kept: leave one of them out.")
        }
    }

    func run() throws {
        let output = common.pagedOutput
        let wanted = words.joined(separator: " ")
        let session: Session
        do { session = try Session.openToRead(vault) } catch let error as CueError where error.outcome == .unreachable {
            guard !rebuild, vault.vault == nil, let result = try offline(wanted) else { throw error }
            output.warning(SearchWords.offline)
            return try tell(result, wanted, output)
        }
        let reporter = output.reporter
        let result = try session.run { session in
            try Search.run(
                wanted, isNow: now, rebuilds: rebuild, session.context(reporter),
                session.isOwnVault ? session.library : nil)
        }
        reporter.finish()
        try tell(result, wanted, output)
    }

    /// What the index holds, where the vault is away; nil without an index.
    private func offline(_ wanted: String) throws -> Search.Result? {
        let library = try Session.openLibrary(vault.library, StateFolder.standard())
        return try Search.runOffline(wanted, isNow: now, library)
    }

    private func tell(_ result: Search.Result, _ wanted: String, _ output: Output) throws {
        try output.object(FindResult(result))
        guard !wanted.isEmpty else {
            output.line(SearchWords.rebuilt)
            return output.warnings(result.gaps.map(\.sentence))
        }
        let screen = FindScreen(result, wanted, width: Terminal.columns(of: Terminal.output))
        for line in screen.lines { output.line(line) }
        if result.isFull { output.warning(SearchWords.full) }
        if result.unread > 0 { output.warning(SearchWords.unread(result.unread)) }
        output.warnings(result.gaps.map(\.sentence))
    }
}
