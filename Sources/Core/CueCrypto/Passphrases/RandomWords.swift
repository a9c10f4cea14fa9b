import CueBase
package import CueSodium

/// A passphrase of words that the system's random numbers chose: six of them are worth 77 bits.
package struct RandomWords: Sendable {
    /// The words, with one space between.
    package let secret: SecretBytes

    /// Draws `count` words, each with the same chance and independent of the others.
    package init(_ count: Int = 6, from random: RandomSource = .system) {
        var random = random
        var text: [UInt8] = []
        // As much as there may be, so that the array never moves and leaves a copy.
        text.reserveCapacity(count * 16)
        defer { wipe(&text) }
        for _ in 0..<count {
            if !text.isEmpty { text.append(0x20) }
            // Draws again where the remainder would favour a word.
            text += WordList.words[Int.random(in: 0..<WordList.words.count, using: &random)]
        }
        secret = SecretBytes(copying: text.span)
    }

    /// The words for people. The caller cannot wipe this text.
    package var text: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(secret.count)
        defer { wipe(&bytes) }
        secret.withBytes { for i in 0..<$0.count { bytes.append($0[i]) } }
        return String(decoding: bytes, as: UTF8.self)
    }
}
