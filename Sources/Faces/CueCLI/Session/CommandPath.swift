import ArgumentParser

/// The commands that a command line names, one inside the other, as far as there are such.
struct CommandPath {
    /// From the root on.
    private(set) var commands: [any ParsableCommand.Type]
    /// The first word in the place of a command that is none; nil if all are known.
    private(set) var unknown: String?
    /// Whether help is asked for in the place of a command: `help garden`, `--help garden`.
    private(set) var asksForHelp = false

    init(_ arguments: [String], from root: any ParsableCommand.Type) {
        commands = [root]
        for word in arguments {
            guard let last = commands.last, !last.configuration.subcommands.isEmpty else { return }
            if ["-h", "--help"].contains(word) || commands.count == 1 && word == "help" {
                asksForHelp = true
            } else if word.hasPrefix("-") {
                return
            } else if let next = last.configuration.subcommands.first(where: { Self.name($0) == word }) {
                commands.append(next)
            } else {
                unknown = word
                return
            }
        }
    }

    /// The names below the root.
    var names: [String] { commands.dropFirst().map(Self.name) }

    /// The commands, without the root's name, that are spelt like the unknown word; the nearest first, at most three.
    var near: [String] {
        guard let unknown, let last = commands.last else { return [] }
        let word = unknown.lowercased()
        let here = last.configuration.subcommands.map(Self.name)
        let close = here.map { (name: $0, distance: Spelling.distance(word, $0)) }
            .filter { $0.distance <= max(1, min(word.count, $0.name.count) / 3) }
        if let least = close.map(\.distance).min() {
            return close.filter { $0.distance == least }.prefix(3).map { full($0.name) }
        }
        let begun = word.count < 2 ? [] : here.filter { $0.hasPrefix(word) }
        return (begun.isEmpty ? inside(last, word) : begun.map(full)).prefix(3).map(\.self)
    }

    /// The commands of this name one level deeper: `water` is `garden water`.
    private func inside(_ command: any ParsableCommand.Type, _ word: String) -> [String] {
        command.configuration.subcommands.flatMap { group in
            group.configuration.subcommands.map(Self.name).filter { $0 == word }.map {
                full("\(Self.name(group)) \($0)")
            }
        }
    }

    private func full(_ name: String) -> String { (names + [name]).joined(separator: " ") }

    private static func name(_ command: any ParsableCommand.Type) -> String { command.configuration.commandName ?? "" }
}

/// How far apart two spellings are.
enum Spelling {
    /// The number of letters to put in, leave out, replace or swap with their neighbour (optimal string alignment).
    static func distance(_ one: String, _ other: String) -> Int {
        let (a, b) = (Array(one), Array(other))
        // Longer words are none that a command is misspelt as.
        guard a.count <= 64, b.count <= 64 else { return .max }
        var rows = [Array(0...b.count)]
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var least = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, rows[i - 1][j - 1] + 1) }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
