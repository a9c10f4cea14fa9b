import CueBase
import CueCrypto
import CueSodium
import CueStorage

/// Which key seals what (docs/format.md §3): packs have their own, everything else the key of records.
extension Vault {
    private func secret(for kind: SealContext.Kind) -> SecretBytes { kind == .pack ? key.packs : key.records }

    /// Packs are large enough for a cipher that costs more to set up.
    private func cipher(for kind: SealContext.Kind) -> Cipher.Choice { kind == .pack ? .bulk : .small }

    func context(_ kind: SealContext.Kind, _ name: ObjectName) -> SealContext {
        SealContext(vault: id, kind: kind, name: Array(name.text.utf8))
    }

    /// Seals an object piece by piece.
    func sealer(for kind: SealContext.Kind, _ name: ObjectName) -> Sealer {
        Sealer(key: secret(for: kind), context: context(kind, name), choice: cipher(for: kind))
    }

    /// Opens the pieces of an object, of which the header was read. Throws `SealError` where the header is not of this place.
    func opener(
        for kind: SealContext.Kind, _ name: ObjectName, header: [UInt8], sealedSize: Int
    ) throws(SealError) -> Opener {
        try Opener(
            header: header, sealedSize: sealedSize, key: secret(for: kind), context: context(kind, name),
            choice: cipher(for: kind))
    }

    /// Seals a whole record.
    func seal(_ plaintext: [UInt8], _ kind: SealContext.Kind, _ name: ObjectName) -> [UInt8] {
        Message.seal(plaintext, key: secret(for: kind), context: context(kind, name))
    }
}
