/// The words for command lines that are wrong.
enum UsageWords {
    /// A command that there is not. `path`: the commands before it, without `cue`; `near`: those that may be meant.
    static func noCommand(_ word: String, in path: [String], near: [String]) -> CueError {
        var error = CueError(.usage, "there is no command \((path + [word]).joined(separator: " "))")
        if path.isEmpty, let meant = others[word.lowercased()] {
            error.hints.append(meant)
        } else if !near.isEmpty {
            error.hints.append("did you mean \(near.map { "`cue \($0)`" }.joined(separator: ", or "))?")
        }
        error.hints.append("`cue help\(path.map { " " + $0 }.joined())` lists the commands")
        return error
    }

    /// A command line that ArgumentParser refuses. `sentence`: its own.
    static func refused(_ sentence: String, _ path: [String]) -> CueError {
        let command = path.joined(separator: " ")
        let text = sentence.hasSuffix(".") ? sentence.dropLast() : sentence[...]
        var error = CueError(.usage, text.prefix(1).lowercased() + text.dropFirst())
        if text.hasPrefix("Missing "), let example = CommandExamples.all[command] {
            error.hints.append("for example: `cue \(example)`")
        }
        if text.hasPrefix("Unknown option '-"), !text.hasPrefix("Unknown option '--") {
            error.hints.append("a name that begins with a hyphen is written as ./-name")
        }
        error.hints.append(
            path.isEmpty
                ? "`cue help` lists the commands, `cue COMMAND --help` their options"
                : "`cue \(command) --help` lists what it takes")
        return error
    }

    /// The words that other programs have for what cue does or does not do.
    static let others: [String: String] = {
        let log = "`cue log` lists the snapshots, `cue log NAME` the versions of a document"
        let restore = "`cue restore NAME` brings a document back, with --at or --version as it was before"
        let sync = "`cue sync` does both: it stores what is new here, and brings what other devices stored"
        let backup = "`cue backup` stores what changed"
        let search =
            "`cue find WORDS` looks in every version of every document, `cue ls` and `cue log` take a part of a name"
        let prune = "nothing is removed from a vault yet: it only grows"
        let unlock = "a vault needs no locks, so there is none to take away"
        let meant: [(words: [String], hint: String)] = [
            (["history", "snapshots", "versions"], log), (["checkout", "recover", "revert", "get"], restore),
            (["pull", "push", "fetch", "merge"], sync), (["commit", "save", "add", "store"], backup),
            (["search", "grep"], search), (["prune", "forget", "gc", "purge"], prune),
            (["unlock", "lock"], unlock),
            (
                ["undo"],
                "`cue resolve --undo NAME` takes back the answer to a conflict, `cue restore --undo` the last restore"
            ),
            (["verify", "fsck"], "`cue check` looks whether the vault is whole"),
            (["list"], "`cue ls` lists the documents in the vault"),
            (["clone"], "`cue restore --vault WHERE --to FOLDER` brings all documents of a vault into a folder"),
        ]
        return Dictionary(
            meant.flatMap { entry in entry.words.map { ($0, entry.hint) } }, uniquingKeysWith: { first, _ in first })
    }()
}
