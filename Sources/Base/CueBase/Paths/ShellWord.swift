/// Names in commands that are shown to people, written so that a shell reads each as one word.
package enum ShellWord {
    /// The text as one word, in quotes only if it needs them.
    package static func quoted(_ text: String) -> String {
        // A shell command would take a leading hyphen for an option.
        let text = text.hasPrefix("-") ? "./" + text : text
        let isPlain = text.allSatisfy { $0.isLetter || $0.isNumber || "/._-+,".contains($0) }
        return isPlain ? text : inQuotes(text)
    }

    /// The text in single quotes, whatever it holds.
    package static func inQuotes(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}
