import CueTestSupport
import Foundation
import Testing

/// The sessions of README.md, with the real program on the documents of `fixtures/library`.
@Suite("Story: the README is true")
struct ReadmeStory {
    /// A command of the README with what it shows.
    private struct Example {
        let command: String
        var output: [String] = []
    }

    /// All that begin with `$ cue` or `$ cd`, in their order.
    private static func examples() throws -> [Example] {
        let lines = try String(contentsOfFile: Project.root + "/README.md", encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        var examples: [Example] = []
        var isExample = false
        for line in lines {
            if line.hasPrefix("    $ ") {
                examples.append(Example(command: String(line.dropFirst(6))))
                isExample = true
            } else if isExample, line.hasPrefix("    ") || line.isEmpty {
                examples[examples.count - 1].output.append(String(line.dropFirst(4)))
            } else {
                isExample = false
            }
        }
        return examples
    }

    /// What is different each time, or on each machine.
    private static let rules: [(String, String)] = [
        // A line of progress comes only where something takes time.
        ("\u{1b}\\[K[^\u{1b}]*(?=\u{1b}\\[K)", ""), ("\u{1b}\\[K", ""), (#"([0-9A-Z]{4}-){8}[0-9A-Z]{4}"#, "CODE"),
        (#"\b[0-9a-f]{16}\b"#, "ID"), (#"\b[0-9a-f]{8}(-\d+)?\b"#, "ID"),
        (#"\d{4}-\d\d-\d\d \d\d:\d\d"#, "TIME"), (#"\([0-9.]+ m?s\)"#, "(SECONDS)"),
        (#"just now|less than a minute ago|\d+ (h|min|s) ago"#, "AGO"), (#"\b[0-9.]+ (bytes|KiB)"#, "SIZE"),
        (#"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d+ [A-Z][a-z]+ \d{4}"#, "DAY"), (#"\b\d+ [A-Z][a-z][a-z] \d{4}"#, "DAY"),
        (#"(Choose a passphrase|The same once more|Passphrase or recovery code)[^:]*:"#, ""), (#" +"#, " "),
        (#" $"#, ""),
    ]

    /// In one line, as breaks depend on the window.
    private static func normalized(_ text: String) -> String {
        let line = text.replacing(/\s+/, with: " ")
        return rules.reduce(line) { $0.replacingOccurrences(of: $1.0, with: $1.1, options: .regularExpression) }
    }

    /// Whether the text is what the README shows, where `[...]` stands for anything.
    private static func agrees(_ output: [String], _ text: String) -> Bool {
        let parts = normalized(output.joined(separator: "\n")).components(separatedBy: "[...]")
        let pattern = parts.map { NSRegularExpression.escapedPattern(for: $0.trimmingCharacters(in: .whitespaces)) }
            .joined(separator: ".*")
        return normalized(text).trimmingCharacters(in: .whitespaces)
            .range(of: "^\(pattern)$", options: .regularExpression) != nil
    }

    /// A person's machine: a home of its own, and the one stick.
    private struct Machine {
        let cue: Cue
        let home: String
        var place: String

        init(_ cue: Cue, _ name: String) throws {
            (self.cue, home) = (cue, cue.folder.appending(name))
            place = home
            try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        }

        var environment: [String: String?] {
            ["HOME": home, "CUE_HOME": home + "/state", "PATH": cue.folder.appending("bin") + ":/usr/bin:/bin"]
        }

        /// The text as the README has it, in which the stick is a disk of its own.
        func shown(_ text: String) -> String {
            text.split(separator: "\n", omittingEmptySubsequences: false)
                .filter { !$0.hasPrefix("The vault is on the same disk") }.joined(separator: "\n")
                .replacing(home, with: "/home/you").replacing(cue.folder.appending("stick"), with: "/media/usb")
        }

        /// Runs a line of the README as it stands there.
        mutating func run(_ command: String) throws -> (code: Int32, text: String) {
            if command.hasPrefix("cd ~/") {
                let path = command.dropFirst(5).prefix { $0 != " " }
                place = "\(home)/\(path)"
                return (0, "")
            }
            let line = command.replacing("/media/usb", with: cue.folder.appending("stick"))
            let result = try cue.shell("cd \"$1\" && \(line)", place, environment: environment)
            return (result.code, shown(result.text + result.errors))
        }

        /// Answers a question at a terminal.
        func answer(_ words: [String], _ key: String) throws -> (code: Int32, text: String) {
            let result = try Typing.run(
                cue, words, answers: [("Your choice (nothing is lost by it):", key + "\n")], rows: 60, in: place,
                environment: environment)
            return (result.code, shown(result.text))
        }

        func edit(_ script: String) throws {
            let result = try cue.shell("sleep 0.3; cd \"$1/Writing\" && \(script)", home)
            #expect(result.code == 0, "\(result.errors)")
        }
    }

    /// Writes in the documents as the sessions tell it.
    private static let chapter = "'Salt and Iron/02 Salt.md'"
    private static let atDesk =
        "sed -i 's/good drawings\\./beautiful drawings, and none of them was true./' \(chapter)"
    private static let atLaptop =
        "sed -i 's/one by one\\. They were good/one by one, and did not hurry. They were careful/' \(chapter)"

    @Test("Every session of the README does and shows what stands there")
    func sessions() throws {
        let cue = Cue()
        try cue.shell("mkdir bin stick && ln -s \"$CUE\" bin/cue")
        var (desk, laptop) = (try Machine(cue, "desk"), try Machine(cue, "laptop"))
        try cue.copy(Project.root + "/fixtures/library", "desk/Writing")
        var second = try Machine(cue, "another")
        // The watcher has stories of its own, and a service needs systemd.
        var examples = try Self.examples().filter { !$0.command.hasPrefix("cue watch") }
        #expect(examples.count > 20)

        func check(_ example: Example, _ result: (code: Int32, text: String), code: Int32 = 0) {
            #expect(result.code == code, "$ \(example.command)\n\(result.text)")
            // Where only the command stands, its output is not shown.
            guard example.output.contains(where: { !$0.isEmpty }) else { return }
            #expect(
                Self.agrees(example.output, result.text),
                "$ \(example.command)\n\(result.text)\nand the README has\n\(example.output.joined(separator: "\n"))")
        }
        /// Runs the next `count` examples.
        func run(_ count: Int, on machine: inout Machine, code: Int32 = 0, _ words: [(String, String)] = []) throws {
            for example in examples.prefix(count) {
                let line = words.reduce(example.command) { $0.replacing($1.0, with: $1.1) }
                check(example, try machine.run(line), code: code)
            }
            examples.removeFirst(min(count, examples.count))
        }
        // Setting up and the first backup; then some writing.
        try run(2, on: &desk)
        try desk.edit(Self.atDesk + " && sed -i 's/the/The/' Novel.scriv/Files/Data/9ECB*/content.rtf")
        try run(3, on: &desk)
        // Everything of the story happens today.
        try run(4, on: &desk, [("yesterday", "latest~1")])
        // Another machine.
        try run(2, on: &second)
        // Two devices.
        try FileManager.default.createDirectory(atPath: laptop.home + "/Writing", withIntermediateDirectories: true)
        try run(2, on: &laptop)
        laptop.place = laptop.home + "/Writing"
        try desk.edit("sed -i 's/beautiful drawings, and none of them was true\\./good drawings./' \(Self.chapter)")
        #expect(try desk.run("cue sync").code == 0 && laptop.run("cue sync").code == 0)
        try desk.edit(Self.atDesk)
        try laptop.edit(Self.atLaptop)
        #expect(try desk.run("cue sync").code == 0)
        let conflict = examples.removeFirst()
        check(conflict, try laptop.answer(["sync"], "b"))
        try run(1, on: &laptop)
        try run(1, on: &laptop, code: 4)
        try run(1, on: &laptop)
        // How things stand.
        try run(1, on: &laptop)
        try laptop.edit("echo more >> \(Self.chapter); echo more >> 'Salt and Iron/01 The ferry.md'")
        try run(1, on: &laptop)
        // Events, and the garden.
        #expect(try laptop.run("cue backup").code == 0)
        try run(examples.count, on: &laptop)
    }
}
