import ArgumentParser

/// What may stand at the end of a command line. Nothing is asked, and no vault is opened.
struct Completion {
    /// What a shell does with the answer. The scripts in `tools/completions` read these words.
    enum Kind: String {
        /// Complete with the candidates.
        case words
        /// The same; they may have spaces, and one with a slash at the end is a folder and goes on.
        case names
        /// Complete files, or folders, of this machine.
        case files, folders
    }

    typealias Candidate = LocalNames.Candidate

    private(set) var kind = Kind.words
    private(set) var candidates: [Candidate] = []

    /// `words`: the finished words after the program's name; `current`: the word at the cursor; `root`: the program.
    init(_ words: [String], _ current: String, from root: any ParsableCommand.Type) {
        var rest = words[...]
        var path: [String] = []
        var command = root
        while let word = rest.first, let next = Self.shown(command).first(where: { Self.name($0) == word }) {
            rest.removeFirst()
            path.append(word)
            command = next
        }
        if path.isEmpty, rest.first == "help" { rest = [] }
        if rest.isEmpty {
            candidates = Self.shown(command).map { Candidate(text: Self.name($0), about: $0.configuration.abstract) }
        }
        if let usual = command.configuration.defaultSubcommand {
            command = usual
            path.append(Self.name(usual))
        } else if !Self.shown(command).isEmpty {
            // ArgumentParser would describe all commands in it, which takes longer than a person waits.
            if !current.isEmpty { candidates += ["--help", "--version"].map { Candidate(text: $0) } }
            keep(current)
            return
        }
        guard let arguments = try? CommandInfo(of: command).shown else { return }
        let typed = Typed(rest, arguments)
        if let option = typed.waiting {
            candidates = []
            complete(CompletedValue.of(option, path), current, typed)
        } else if current.hasPrefix("-"), !typed.isTerminated {
            if let (option, value) = Self.assignment(current, arguments) {
                complete(CompletedValue.of(option, path), value, typed)
                let name = current.dropLast(value.count)
                candidates = candidates.map { Candidate(text: name + $0.text, about: $0.about) }
            } else {
                candidates = Self.options(arguments)
            }
        } else if let argument = typed.next {
            complete(CompletedValue.of(argument, path), current, typed)
        }
        keep(current)
    }

    /// Leaves out what does not go on from what is typed.
    private mutating func keep(_ current: String) {
        candidates.removeAll { !$0.text.utf8.starts(with: current.utf8) }
    }

    /// Completes one value, of which `begun` is typed.
    private mutating func complete(_ value: CompletedValue?, _ begun: String, _ typed: Typed) {
        let names = LocalNames(library: typed.values["library"], isElsewhere: typed.values["vault"] != nil)
        switch value {
        case .file: kind = .files
        case .folder: kind = .folders
        case .conflict where !typed.flags.contains("undo"): take(names.conflicts(begun))
        case .document, .conflict:
            // Paths as a shell gives them are its own matter; so is a library of which nothing is known yet.
            if ["/", "./", "../", "~"].contains(where: begun.hasPrefix) { return kind = .files }
            guard let paths = names.paths(begun) else { return kind = .files }
            kind = .names
            // An option would be read in the place of a name that begins with a hyphen.
            candidates += paths.map { Candidate(text: !typed.isTerminated && $0.hasPrefix("-") ? "./" + $0 : $0) }
        case .sprout: take(names.sprouts())
        case .leaf: take(names.leaves())
        case .seedling: take(names.seedlings())
        case .eventType: take(names.eventTypes())
        case .twig: candidates += LocalNames.twigs
        case .snapshot: candidates += names.snapshots()
        case .words(let words): candidates += words.map { Candidate(text: $0) }
        case .text, nil: break
        }
    }

    private mutating func take(_ names: [Candidate]) {
        kind = .names
        candidates += names
    }

    /// What the words before the cursor are.
    private struct Typed {
        /// Values of options by name.
        var values: [String: String] = [:]
        /// Flags by name.
        var flags: Set<String> = []
        /// The option whose value comes next.
        var waiting: CommandInfo.Argument?
        /// The argument that comes next.
        var next: CommandInfo.Argument?
        /// Whether `--` came: nothing is an option any more.
        var isTerminated = false

        init(_ words: ArraySlice<String>, _ arguments: [CommandInfo.Argument]) {
            var positions = arguments.filter { $0.kind == .positional }[...]
            for word in words {
                if let option = waiting {
                    values[option.key] = word
                    waiting = nil
                } else if word == "--", !isTerminated {
                    isTerminated = true
                } else if word.hasPrefix("-"), !isTerminated {
                    if let (option, value) = Completion.assignment(word, arguments) {
                        values[option.key] = value
                    } else {
                        waiting = arguments.first { $0.kind == .option && $0.answers(to: word) }
                        if let flag = arguments.first(where: { $0.kind == .flag && $0.answers(to: word) }) {
                            flags.insert(flag.key)
                        }
                    }
                } else if let first = positions.first, !first.isRepeating {
                    positions.removeFirst()
                }
            }
            next = positions.first
        }
    }

    /// The option and the value of a word such as `--keep=this`.
    private static func assignment(
        _ word: String, _ arguments: [CommandInfo.Argument]
    ) -> (CommandInfo.Argument, String)? {
        guard let sign = word.firstIndex(of: "=") else { return nil }
        let option = arguments.first { $0.kind == .option && $0.answers(to: String(word[..<sign])) }
        return option.map { ($0, String(word[word.index(after: sign)...])) }
    }

    private static func options(_ arguments: [CommandInfo.Argument]) -> [Candidate] {
        arguments.flatMap { argument in
            (argument.names ?? []).filter { $0.kind == "long" }.map {
                Candidate(text: $0.typed, about: argument.abstract ?? "")
            }
        }
    }

    private static func shown(_ command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    }

    private static func name(_ command: any ParsableCommand.Type) -> String { command.configuration.commandName ?? "" }
}

extension CommandInfo.Argument {
    fileprivate func answers(to word: String) -> Bool { (names ?? []).contains { $0.typed == word } }
}
