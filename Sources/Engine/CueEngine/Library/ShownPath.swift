import CueBase
import CueLibrary

/// A path as it is shown, compared byte by byte. `String` takes two paths for one if they differ only in the Unicode
/// form of an accent; a file system may hold both.
package struct ShownPath: Hashable, Sendable {
    /// The path as `Display` writes it.
    package let text: String

    /// For a path that is in its shown form already.
    package init(_ text: String) { self.text = text }
    init(_ path: RelativePath) { text = Display.text(path) }

    /// Compares UTF-8 bytes.
    package static func == (one: ShownPath, other: ShownPath) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }
    /// Hashes UTF-8 bytes.
    package func hash(into hasher: inout Hasher) { for byte in text.utf8 { hasher.combine(byte) } }
}
