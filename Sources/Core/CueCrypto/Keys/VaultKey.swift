package import CueBase
package import CueSodium

/// The random key of a vault and its subkeys, one for each purpose (docs/format.md §3).
package struct VaultKey: Sendable {
    /// The bytes of the key and of each subkey.
    package static let length = 32

    /// The vault that the subkeys are bound to.
    package let vault: VaultID
    /// The key itself, which key slots hold.
    package let secret: SecretBytes
    /// Input key of packs.
    package let packs: SecretBytes
    /// Input key of commits, checkpoints and batches of events.
    package let records: SecretBytes
    /// Key of the hash that names chunks.
    package let chunkIDs: SecretBytes
    /// For the salts of key slots, and for recognising a slot.
    let slots: SecretBytes
    /// 256 words for the borders of chunks. They are secret, so that the sizes of chunks do not reveal which known file
    /// this is.
    package let gear: [UInt64]

    /// Derives all subkeys of a key of 32 bytes.
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

    /// Makes a new key.
    package static func random(for vault: VaultID) -> VaultKey { VaultKey(.random(length), vault: vault) }
}
