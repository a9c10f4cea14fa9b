import ArgumentParser

/// `cue complete`, which only the completion scripts of shells call (`tools/completions`).
///
/// `cue complete bash LINE BREAKS` takes the line up to the cursor and the characters at which bash begins a word anew.
/// `cue complete zsh|fish WORD…` takes the words after the program's name, the unfinished one last. The answer is a
/// line with the kind (`Completion.Kind`), and then a candidate a line; for zsh and fish with a tab and a description.
struct CompleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "complete", shouldDisplay: false)

    @Argument(parsing: .captureForPassthrough)
    var words: [String] = []

    func run() throws {
        guard let shell = words.first else { return }
        let given = words.dropFirst()
        var lines: [String]
        if shell == "bash" {
            let line = TypedLine(given.first ?? "", breaks: given.dropFirst().first ?? "")
            let completion = Completion(Array(line.words.dropFirst()), line.current)
            // bash replaces only what stands behind the last break.
            let kept = line.current.unicodeScalars.count - line.completed.unicodeScalars.count
            lines = [completion.kind.rawValue]
            lines += completion.candidates.map { String($0.text.unicodeScalars.dropFirst(kept)) }
        } else {
            let completion = Completion(given.dropLast(), given.last ?? "")
            lines = [completion.kind.rawValue]
            lines += completion.candidates.map { $0.about.isEmpty ? $0.text : "\($0.text)\t\($0.about)" }
        }
        Output.print(lines.map { $0 + "\n" }.joined())
    }
}
