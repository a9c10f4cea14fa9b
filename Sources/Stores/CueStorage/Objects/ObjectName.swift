/// The name of an object in a vault: lower-case letters, digits, `-`, `.` and `/` (docs/format.md §2).
package struct ObjectName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let text: String

    /// Takes a name that this program made.
    package init(_ text: String) {
        precondition(Self.isAllowed(text), "an object name is lower-case letters, digits, '-', '.' and '/'")
        self.text = text
    }

    /// Checks a name that a store listed; nil for what no object is called.
    package init?(listed text: String) {
        guard Self.isAllowed(text) else { return nil }
        self.text = text
    }

    private static func isAllowed(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: 0x2f, omittingEmptySubsequences: false)
        return parts.allSatisfy { part in
            !part.isEmpty && part.first != 0x2e
                && part.allSatisfy {
                    (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d || $0 == 0x2e
                }
        }
    }

    package var components: [Substring] { text.split(separator: "/") }
    package var description: String { text }
    package static func < (x: ObjectName, y: ObjectName) -> Bool { x.text < y.text }
}
