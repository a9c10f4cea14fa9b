import ArgumentParser
import Testing

@testable import CueCLI

@Suite("Command lines that are wrong, and those for help")
struct UsageTests {
    @Test(
        "A misspelt command is answered by the one that is spelt like it",
        arguments: [
            ("bakup", ["backup"]), ("stauts", ["status"]), ("lgo", ["log"]), ("Sync", ["sync"]),
            ("conf", ["conflicts"]),
            ("garden watter", ["garden water"]), ("garden seedling ad", ["garden seedling add"]),
            ("harvest", ["garden harvest"]), ("frobnicate", []), ("x", []),
        ])
    func near(line: String, commands: [String]) {
        let path = CommandPath(line.split(separator: " ").map(String.init), from: Cue.self)

        #expect(path.unknown == line.split(separator: " ").last.map(String.init))
        #expect(path.near == commands)
    }

    @Test("A command that is known, and what follows it, is nothing unknown")
    func known() {
        for line in [
            ["backup", "bakup"], ["garden", "--color", "watter"], [], ["--version"], ["garden", "water", "x"],
        ] {
            #expect(CommandPath(line, from: Cue.self).unknown == nil, "\(line)")
        }
    }

    @Test("A word of another program is answered by what cue has in its place")
    func others() {
        for (word, command) in [("undo", "cue resolve --undo"), ("commit", "cue backup"), ("pull", "cue sync")] {
            let error = UsageWords.noCommand(word, in: [], near: [])
            #expect(error.outcome == .usage && error.hints[0].contains("`\(command)"), "\(error)")
        }
        #expect(UsageWords.noCommand("prune", in: [], near: []).hints[0].contains("yet"))
        // No answer to a word that cue has itself.
        for command in Cue.configuration.subcommands {
            #expect(UsageWords.others[command.configuration.commandName ?? ""] == nil)
        }
    }

    @Test("The overview names every command once, and fits a window of 80 columns; the start fits 24 lines")
    func overview() {
        let names = CommandOverview.groups.flatMap(\.commands).map(\.name)

        #expect(Set(names) == Set(Cue.configuration.subcommands.map { $0.configuration.commandName ?? "" }))
        #expect(Set(names).count == names.count)
        for text in [CommandOverview.start, CommandOverview.whole] {
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        }
        #expect(CommandOverview.start.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 24)
    }

    @Test("Every command that needs an argument has an example, and every example can be read")
    func examples() throws {
        for command in Self.leaves(Cue.self, []) {
            let name = command.joined(separator: " ")
            do { _ = try Cue.parseAsRoot(command) } catch {
                guard Cue.message(for: error).hasPrefix("Missing expected") else { continue }
                #expect(CommandExamples.all[name] != nil, "\(name): \(Cue.message(for: error))")
            }
        }
        for (command, example) in CommandExamples.all {
            #expect(example.hasPrefix(command + " "))
            #expect(throws: Never.self, "\(example)") { try Cue.parseAsRoot(Self.words(example)) }
        }
    }

    @Test("A missing argument shows an example, and a bad value names the good ones")
    func refused() {
        let missing = UsageWords.refused("Missing expected argument '<folder>'", ["init"])
        #expect(missing.message == "missing expected argument '<folder>'")
        #expect(missing.hints[0] == "for example: `cue init ~/Writing --vault /media/usb/vault`")
        do { _ = try Cue.parseAsRoot(["sync", "--keep", "that"]) } catch {
            #expect(["'this'", "'other'", "'both'"].allSatisfy { Cue.message(for: error).contains($0) })
        }
    }

    private static func leaves(_ command: any ParsableCommand.Type, _ path: [String]) -> [[String]] {
        let inside = command.configuration.subcommands
        return inside.isEmpty ? [path] : inside.flatMap { leaves($0, path + [$0.configuration.commandName ?? ""]) }
    }

    /// The words of a line as a shell reads them, with quotes.
    private static func words(_ line: String) -> [String] {
        line.split(separator: "\"", omittingEmptySubsequences: false).enumerated().flatMap { number, part in
            number % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
        }
    }
}

@Suite("What shells complete")
struct CompletionTests {
    @Test("For each argument and option of each command it is known what its value is")
    func values() throws {
        func look(_ command: any ParsableCommand.Type, _ path: [String]) throws {
            for argument in try CommandInfo(of: command).shown where argument.kind != .flag {
                #expect(CompletedValue.of(argument, path) != nil, "\(path) \(argument.key)")
            }
            for inside in command.configuration.subcommands where inside.configuration.shouldDisplay {
                try look(inside, path + [inside.configuration.commandName ?? ""])
            }
        }
        try look(Cue.self, [])
    }

    @Test(
        "A line is parted into words as a shell does",
        arguments: [
            ("cue log My\\ No", ["cue", "log"], "My No", "My No"), ("cue \"a b\" 'c d", ["cue", "a b"], "c d", "c d"),
            ("cue a:b", ["cue"], "a:b", "b"), ("cue \"a:b", ["cue"], "a:b", "a:b"),
            ("cue a\\:b", ["cue"], "a:b", "a:b"),
            ("cue --keep=th", ["cue"], "--keep=th", "th"), ("cue '' ", ["cue", ""], "", ""),
            ("cue \"\\$x\\y", ["cue"], "$x\\y", "$x\\y"), ("cue \\", ["cue"], "", ""),
        ])
    func words(line: String, words: [String], current: String, completed: String) {
        let line = TypedLine(line, breaks: " \t\n\"'@><=;|&(:")

        #expect(line.words == words && line.current == current && line.completed == completed, "\(line)")
    }
}
