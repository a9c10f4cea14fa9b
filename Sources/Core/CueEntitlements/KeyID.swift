import CueBase
package import CueSodium

/// The first 16 hexadecimal digits of the BLAKE2b-256 of a public key (docs/entitlements.md §2).
package struct KeyID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The digits, in lower case.
    package let description: String

    /// Hashes the key.
    package init(of key: Ed25519.PublicKey) {
        description = Hexadecimal.text(Array(BLAKE2b.hash(key.bytes).prefix(8)))
    }

    /// Reads 16 lower-case digits; nil for anything else.
    package init?(_ text: String) {
        guard text.utf8.count == 16, Hexadecimal.bytes(text) != nil else { return nil }
        description = text
    }

    /// The order of the digits.
    package static func < (a: KeyID, b: KeyID) -> Bool { a.description < b.description }
}
