import CueBase
import CueSystem
import CueTerminal

/// What a command may ask and tell a person before its own output exists.
enum Asking {
    /// Whether questions may be asked. With `--json` and `--quiet` only a passphrase may be.
    static var isAllowed: Bool { ConflictPrompt.isPossible && !isForProgram && !isQuiet }

    private static var isForProgram: Bool { hasArgument("--json") }
    private static var isQuiet: Bool { hasArgument("--quiet", "-q") }
    private static func hasArgument(_ names: String...) -> Bool { processArguments().contains { names.contains($0) } }

    /// Asks whether what cannot be taken back is meant, where questions may be asked; elsewhere it is. Throws `CueError`
    /// unless the answer is yes; Enter alone is no.
    static func confirm(_ question: String, orElse stopped: String) throws {
        guard isAllowed else { return }
        let answer = Output.ask(question + " [y/N] ")?.lowercased()
        if answer == "y" || answer == "yes" { return }
        throw CueError(Interruption.isRequested ? .interrupted : .failed, stopped).unchanged
    }

    /// This command line with a name in the place of one that was typed, as a shell takes it; nil if that word stands at
    /// several places of it.
    static func command(with name: String, for typed: String) -> String? {
        let words = processArguments()
        guard words.count(where: { $0 == typed }) == 1 else { return nil }
        let shown = words.map { $0 == typed ? ShellWord.quoted(name) : ShellWord.argument($0) }
        return (["cue"] + shown).joined(separator: " ")
    }

    /// Shows a line on the terminal for as long as the work takes.
    static func during<Result>(_ line: String, _ work: () throws -> Result) rethrows -> Result {
        isForProgram || isQuiet ? try work() : try ProgressLine.during(line, work)
    }

    /// Prints a warning.
    static func warn(_ text: String) { Output(json: isForProgram, quiet: false).warning(text) }
}
