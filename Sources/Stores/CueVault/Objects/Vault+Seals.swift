import CueBase
import CueCrypto
import CueSodium
import CueStorage

/// The key and the context of each kind of object (docs/format.md §3). Packs have a key of their own; commits,
/// checkpoints and batches of events share another. Each epoch has both, and an object says whose it is.
extension Vault {
    private static func secret(of epoch: EpochKey, for kind: SealContext.Kind) -> SecretBytes {
        kind == .pack ? epoch.packs : epoch.records
    }

    /// The context of the object of this kind and name in this vault.
    func context(_ kind: SealContext.Kind, _ name: ObjectName) -> SealContext {
        SealContext(vault: id, kind: kind, name: Array(name.text.utf8))
    }

    /// Seals an object piece by piece with the current epoch's key.
    func sealer(for kind: SealContext.Kind, _ name: ObjectName) -> Sealer {
        let epoch = key.current
        return Sealer(
            key: Self.secret(of: epoch, for: kind), context: context(kind, name), prefix: epoch.id.bytes)
    }

    /// Opens pieces of an object whose header was read. Throws `SealError.wrongLength`, `.unknownEpoch` or
    /// `.notForThisPlace`, and `StorageError` if the epochs had to be listed anew.
    func opener(for kind: SealContext.Kind, _ name: ObjectName, header: [UInt8], sealedSize: Int) throws -> Opener {
        guard let id = EpochID(header) else { throw SealError.wrongLength }
        guard let epoch = try key[id] ?? lookedUp(id) else { throw SealError.unknownEpoch }
        return try Opener(
            object: header, size: sealedSize, key: Self.secret(of: epoch, for: kind), context: context(kind, name))
    }

    /// Seals a whole record in memory with the current epoch's key.
    func seal(_ plaintext: [UInt8], _ kind: SealContext.Kind, _ name: ObjectName) -> [UInt8] {
        let epoch = key.current
        return epoch.id.bytes
            + Message.seal(plaintext, key: Self.secret(of: epoch, for: kind), context: context(kind, name))
    }
}
