import ArgumentParser

/// The answer to the completion scripts of shells (`tools/completions`), which call `cue complete`. It is no command of
/// cue: no help lists it.
///
/// `complete bash LINE BREAKS` takes the line up to the cursor and the characters at which bash begins a word anew.
/// `complete zsh|fish WORD…` takes the words after the program's name, the unfinished one last. The answer is a line
/// with the kind (`Completion.Kind`), and then a candidate a line; for zsh and fish with a tab and a description.
struct CompletionAnswer {
    static let word = "complete"

    private let lines: [String]

    /// `arguments`: what follows `complete`.
    init(_ arguments: some Collection<String>, from root: any ParsableCommand.Type) {
        let given = Array(arguments.dropFirst())
        let isForBash = arguments.first == "bash"
        /// bash inserts words as they are, and only names in quotes: a word that is anything to a shell is left out. Of
        /// names, too, it quotes neither a backtick nor a dollar sign where no such file is in the current folder.
        func safe(_ completion: Completion) -> [Completion.Candidate] {
            completion.candidates.filter { candidate in
                guard !candidate.text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
                else {
                    return false
                }
                guard completion.kind == .words else {
                    return !isForBash || candidate.text.utf8.allSatisfy { !"`$".utf8.contains($0) }
                }
                return candidate.text.utf8.allSatisfy { !#" \"'`$&|;<>()[]{}*?!#~^"#.utf8.contains($0) }
            }
        }
        if isForBash {
            let line = TypedLine(given.first ?? "", breaks: given.dropFirst().first ?? "")
            let completion = Completion(Array(line.words.dropFirst()), line.current, from: root)
            // bash replaces only what stands behind the last break.
            let kept = line.current.unicodeScalars.count - line.completed.unicodeScalars.count
            lines =
                [completion.kind.rawValue]
                + safe(completion).map { String($0.text.unicodeScalars.dropFirst(kept)) }
        } else {
            let completion = Completion(given.dropLast(), given.last ?? "", from: root)
            lines =
                [completion.kind.rawValue]
                + safe(completion).map { $0.about.isEmpty ? $0.text : "\($0.text)\t\($0.about)" }
        }
    }

    func print() { Output.print(lines.map { $0 + "\n" }.joined()) }
}
