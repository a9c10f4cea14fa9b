import CueTerminal

/// The line of a command's help that shows how it is typed.
enum UsageLine {
    private static let start = "USAGE: "

    /// The help, with this line broken between options and never inside of a bracket.
    static func wrapped(in help: String, width: Int) -> String {
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return lines.flatMap { $0.hasPrefix(start) ? wrapped($0, width) : [$0] }.joined(separator: "\n")
    }

    private static func wrapped(_ line: String, _ width: Int) -> [String] {
        var depth = 0
        let whole = line.map { letter -> Character in
            depth += "[<".contains(letter) ? 1 : "]>".contains(letter) ? -1 : 0
            return letter == " " && depth > 0 ? "\u{a0}" : letter
        }
        return LineWrap.lines(of: Line(String(whole)), width: width, hang: start.count).map {
            $0.text.replacing("\u{a0}", with: " ")
        }
    }
}
