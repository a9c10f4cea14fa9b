import CueBase
import CueCrypto
import CueSodium
import CueStorage

/// The key and the context of each kind of object (docs/format.md §3). Packs have a key of their own; commits,
/// checkpoints and batches of events share another.
extension Vault {
    private func secret(for kind: SealContext.Kind) -> SecretBytes { kind == .pack ? key.packs : key.records }

    /// The context of the object of this kind and name in this vault.
    func context(_ kind: SealContext.Kind, _ name: ObjectName) -> SealContext {
        SealContext(vault: id, kind: kind, name: Array(name.text.utf8))
    }

    /// Seals an object piece by piece.
    func sealer(for kind: SealContext.Kind, _ name: ObjectName) -> Sealer {
        Sealer(key: secret(for: kind), context: context(kind, name))
    }

    /// Opens pieces of an object whose header was read. Throws `SealError.wrongLength` or `.notForThisPlace`.
    func opener(
        for kind: SealContext.Kind, _ name: ObjectName, header: [UInt8], sealedSize: Int
    ) throws(SealError) -> Opener {
        try Opener(header: header, sealedSize: sealedSize, key: secret(for: kind), context: context(kind, name))
    }

    /// Seals a whole record in memory.
    func seal(_ plaintext: [UInt8], _ kind: SealContext.Kind, _ name: ObjectName) -> [UInt8] {
        Message.seal(plaintext, key: secret(for: kind), context: context(kind, name))
    }
}
