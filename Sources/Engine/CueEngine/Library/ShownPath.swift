import CueBase
import CueLibrary

/// A path as it is shown. Two that differ only in how they spell an é are two; for `String` they are one.
package struct ShownPath: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }
    init(_ path: RelativePath) { text = Display.text(path) }

    package static func == (one: ShownPath, other: ShownPath) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }
    package func hash(into hasher: inout Hasher) { for byte in text.utf8 { hasher.combine(byte) } }
}
