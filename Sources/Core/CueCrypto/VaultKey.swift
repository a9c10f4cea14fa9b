package import CueBase
package import CueSodium

/// The random key of a vault and what is derived from it, one subkey a purpose (docs/format.md §3).
package struct VaultKey: Sendable {
    package static let length = 32

    package let vault: VaultID
    package let secret: SecretBytes
    package let packs: SecretBytes
    package let records: SecretBytes
    package let chunkIDs: SecretBytes
    /// For the salts of key slots, and for knowing a slot again.
    let slots: SecretBytes
    /// 256 words for the borders of chunks, so that their sizes do not tell which known file this is.
    package let gear: [UInt64]

    package init(_ secret: SecretBytes, vault: VaultID) {
        func subkey(_ label: String) -> SecretBytes { Self.subkey(of: secret, vault: vault, label: label) }
        (self.vault, self.secret) = (vault, secret)
        packs = subkey("packs")
        records = subkey("records")
        chunkIDs = subkey("chunk ids")
        slots = subkey("key slots")
        gear = Self.gearTable(subkey("gear table"))
    }

    private static func subkey(of secret: SecretBytes, vault: VaultID, label: String) -> SecretBytes {
        var info = ByteWriter()
        info.raw("cue/1 subkey\0".utf8)
        info.id(vault)
        info.raw(label.utf8)
        return HKDF.expand(secret, info: info.bytes, count: length)
    }

    private static func gearTable(_ key: SecretBytes) -> [UInt64] {
        HKDF.expand(key, info: Array("gear".utf8), count: 2048).withBytes { bytes in
            (0..<256).map { word in (0..<8).reduce(0) { $0 << 8 | UInt64(bytes[word * 8 + $1]) } }
        }
    }

    package static func random(for vault: VaultID) -> VaultKey { VaultKey(.random(length), vault: vault) }
}
