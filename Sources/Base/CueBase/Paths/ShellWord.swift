/// Names in commands that are shown to people, written so that a shell reads each as one word.
package enum ShellWord {
    /// The text as one word, in quotes only if it needs them.
    package static func quoted(_ text: String) -> String {
        // A shell command would take a leading hyphen for an option.
        let text = text.hasPrefix("-") ? "./" + text : text
        return text.utf8.allSatisfy(isPlain) ? text : inQuotes(text)
    }

    /// The argument of a command line as one word; an option stays one.
    package static func argument(_ text: String) -> String {
        !text.isEmpty && text.utf8.allSatisfy { isPlain($0) || $0 == 0x3d } ? text : inQuotes(text)
    }

    /// Bytes that no shell takes for anything else. Not by characters: one may hold a sign of the shell beside a letter.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x80...: true
        default: "/._-+,".utf8.contains(byte)
        }
    }

    /// The text in single quotes, whatever it holds.
    package static func inQuotes(_ text: String) -> String {
        "'" + text.replacing(scalar: "'", with: "'\\''") + "'"
    }
}

extension String {
    /// The text with another in the place of each such scalar. In a character a sign may be joined to a letter of some
    /// scripts, and `replacing` on characters does not find it.
    package func replacing(scalar wanted: Unicode.Scalar, with text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar == wanted { scalars.append(contentsOf: text.unicodeScalars) } else { scalars.append(scalar) }
        }
        return String(scalars)
    }
}
