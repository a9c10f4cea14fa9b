/// A command line up to the cursor, as a person typed it into a shell.
struct TypedLine {
    /// The finished words as the program would get them; the program's name is the first.
    private(set) var words: [String] = []
    /// The word at the cursor, without its quotes; empty after a space.
    private(set) var current = ""
    /// The end of `current` that the shell completes: bash begins anew behind a colon or an equals sign.
    private(set) var completed = ""

    /// Undoes the quoting of a POSIX shell; variables and commands stay as they are typed. `breaks`: characters that
    /// end what the shell completes, where they stand unquoted.
    init(_ line: String, breaks: String) {
        var quote: Unicode.Scalar?
        var isEscaped = false
        var isWord = false
        let breaks = Set(breaks.unicodeScalars).subtracting(["\"", "'"])
        func isSpace(_ scalar: Unicode.Scalar) -> Bool { [" ", "\t", "\n"].contains(scalar) }
        for scalar in line.unicodeScalars {
            if isEscaped {
                // Between double quotes a backslash stands for itself before most characters.
                if quote == "\"", !["$", "`", "\"", "\\"].contains(scalar) { take("\\") }
                isEscaped = false
                take(scalar)
            } else if scalar == "\\", quote != "'" {
                (isEscaped, isWord) = (true, true)
            } else if let open = quote {
                if scalar == open { quote = nil } else { take(scalar) }
            } else if scalar == "\"" || scalar == "'" {
                (quote, isWord) = (scalar, true)
                completed = ""
            } else if isSpace(scalar) {
                if isWord { words.append(current) }
                (current, completed, isWord) = ("", "", false)
            } else {
                isWord = true
                take(scalar)
                if breaks.contains(scalar) { completed = "" }
            }
        }
    }

    private mutating func take(_ scalar: Unicode.Scalar) {
        current.unicodeScalars.append(scalar)
        completed.unicodeScalars.append(scalar)
    }
}
