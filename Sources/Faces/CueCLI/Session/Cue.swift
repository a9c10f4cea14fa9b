package import ArgumentParser
import CueCrypto
import CueEngine
import CueLibrary
import CueSodium
import CueSystem
import CueTerminal

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The command `cue` with its subcommands. It reads the command line, runs a command, and returns the exit code.
package struct Cue: ParsableCommand {
    /// The list of subcommands, in the order of the help.
    package static let configuration = CommandConfiguration(
        commandName: "cue",
        abstract: "Encrypted backup, version history and sync for writers.",
        version: "0.1.0",
        subcommands: [
            InitCommand.self, BackupCommand.self, SyncCommand.self, WatchCommand.self, RestoreCommand.self,
            ConflictsCommand.self,
            ResolveCommand.self, StatusCommand.self,
            ListCommand.self,
            LogCommand.self, ShowCommand.self, DiffCommand.self, FindCommand.self, CatCommand.self, ExportCommand.self,
            CheckCommand.self, VaultCommand.self, CopyCommand.self, DoctorCommand.self,
            KeyCommand.self, DeviceCommand.self,
            ProjectCommand.self, NudgeCommand.self, EventsCommand.self, GardenCommand.self, PlanCommand.self,
        ])

    /// For ArgumentParser.
    package init() {}

    /// Runs `cue` alone: how things stand in the library around the current folder, else the commands to begin with.
    package func run() throws {
        guard let here = currentFolder(), let root = try OpenLibrary.root(around: here) else {
            return CommandOverview.show(CommandOverview.start)
        }
        let library = try OpenLibrary(at: root, state: try StateFolder.standard())
        let line = StatusLine(try LibraryStatus.of(library))
        for text in [line.sentence, "Next: \(line.next)"] {
            Output.print(Output.laidOut(Line(text), for: Terminal.output))
        }
    }

    /// Runs the command that the arguments name, and returns its exit code (`Outcome`). Errors are printed here.
    package static func run(_ arguments: [String]) -> Int32 {
        Interruption.install()
        Colours.choose(ColourOption.choice(in: arguments))
        defer { Pager.finish() }
        ProcessLimits.raiseFileLimit()
        ProcessLimits.returnFreedMemory()
        do {
            try Sodium.start()
            Cipher.Choice.useEverywhere(Environment["CUE_TEST_AES"])
            var arguments = arguments
            if arguments.first == CompletionAnswer.word {
                CompletionAnswer(arguments.dropFirst(), from: Cue.self).print()
                return Outcome.done.rawValue
            }
            if ["version", "-v"].contains(arguments.first) { arguments = ["--version"] }
            let path = CommandPath(arguments, from: Cue.self)
            if let word = path.unknown { throw UsageWords.noCommand(word, in: path.names, near: path.near) }
            if path.asksForHelp {
                guard !path.names.isEmpty else {
                    Pager.use()
                    CommandOverview.show(CommandOverview.whole)
                    return Outcome.done.rawValue
                }
                arguments = path.names + ["--help"]
            }
            var command = try parseAsRoot(arguments)
            defer { VaultTraffic.report() }
            try command.run()
            return Outcome.done.rawValue
        } catch {
            return tell(error, arguments)
        }
    }

    /// Prints an error, or the help that was asked for, and returns the exit code.
    private static func tell(_ error: any Error, _ arguments: [String]) -> Int32 {
        if let exit = error as? ExitCode { return exit.rawValue }
        let isParsing = !(error is CueError) && String(reflecting: type(of: error)).contains("ArgumentParser")
        if isParsing && exitCode(for: error).isSuccess {
            let text = fullMessage(for: error) + "\n"
            Pager.use()
            let isTerminal = Terminal.isTerminal(Terminal.output)
            Output.print(
                isTerminal ? UsageLine.wrapped(in: text, width: Terminal.columns(of: Terminal.output)) : text)
            return Outcome.done.rawValue
        }
        let path = CommandPath(arguments, from: Cue.self).names
        let told =
            (isParsing
            ? UsageWords.refused(message(for: error), path) : CueError.describing(error, vault: "the vault")).printable
        if arguments.contains("--json") {
            try? Output(json: true, quiet: false).object(ErrorObject(error: .init(told)))
        } else {
            Output.complain("cue: \("error:", .error) \(told.message)")
            for hint in told.hints { Output.complain("cue: \("hint:", .hint) \(hint)") }
        }
        return told.outcome.rawValue
    }
}

extension ParsableCommand {
    /// Ends the command with an exit code; for after the result was printed.
    func end(_ outcome: Outcome) throws { if outcome != .done { throw ExitCode(outcome.rawValue) } }
}

/// The arguments of the process, without the program's name. `ArgumentBytes.bytes` returns the original bytes of each.
package func processArguments() -> [String] {
    unsafe CommandLine.unsafeArgv.withArguments(count: Int(CommandLine.argc)).dropFirst().map(ArgumentBytes.text)
}

extension UnsafeMutablePointer<UnsafeMutablePointer<Int8>?> {
    fileprivate func withArguments(count: Int) -> [[UInt8]] {
        (0..<count).compactMap { i in
            unsafe self[i].map { unsafe Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        }
    }
}
