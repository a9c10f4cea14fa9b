/// The name of an object in a vault (docs/format.md §2).
///
/// It consists of lower-case letters, digits, `-` and `.`, in components that slashes separate. No component is empty
/// or begins with a dot.
package struct ObjectName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The whole name: `packs/ab/ab…`.
    package let text: String

    /// Takes a name that this program made. Other characters are a programming error and trap.
    package init(_ text: String) {
        precondition(Self.isAllowed(text), "an object name is lower-case letters, digits, '-', '.' and '/'")
        self.text = text
    }

    /// Checks a name that a store listed; nil if it is not the name of an object.
    package init?(listed text: String) {
        guard Self.isAllowed(text) else { return nil }
        self.text = text
    }

    /// True if the text has only allowed characters and components.
    private static func isAllowed(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: 0x2f, omittingEmptySubsequences: false)
        return parts.allSatisfy { part in
            !part.isEmpty && part.first != 0x2e
                && part.allSatisfy {
                    (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d || $0 == 0x2e
                }
        }
    }

    /// The parts between the slashes, at least one.
    package var components: [Substring] { text.split(separator: "/") }
    /// The whole name.
    package var description: String { text }
    /// The order of the bytes, which listings have.
    package static func < (x: ObjectName, y: ObjectName) -> Bool { x.text < y.text }
}
