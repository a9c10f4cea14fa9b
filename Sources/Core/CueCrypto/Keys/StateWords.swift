package import CueBase

/// The state word: four words that stand for everything that a device has seen of a vault (docs/format.md §12).
package struct StateWords: Hashable, Sendable {
    /// The words of a state word.
    package static let count = 4
    /// The bits of each.
    private static let bits = 11
    /// The words from which they are taken: short ones of the list of passphrases.
    private static let words: [String] = Array(
        WordList.words.lazy.filter { (4...6).contains($0.count) && $0.allSatisfy { (0x61...0x7a).contains($0) } }
            .prefix(1 << bits).map { String(decoding: $0, as: UTF8.self) })

    /// The words with one space between.
    package let text: String

    /// Those of a hash: its first bits, highest first.
    package init(_ hash: ID32) {
        text = (1...Self.count).map { number in
            Self.words[Int(truncatingIfNeeded: hash.a >> UInt64(64 - number * Self.bits)) & (1 << Self.bits - 1)]
        }.joined(separator: " ")
    }

    /// Reads what a person typed, in any case and with any space or hyphens between. nil if it is not four of the words.
    package init?(typed: String) {
        let typed = typed.lowercased().split { $0.isWhitespace || $0 == "-" }.map(String.init)
        guard typed.count == Self.count, typed.allSatisfy(Self.words.contains) else { return nil }
        text = typed.joined(separator: " ")
    }
}
