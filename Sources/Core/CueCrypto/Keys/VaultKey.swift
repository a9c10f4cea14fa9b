package import CueBase
package import CueSodium
import Synchronization

/// The key of one epoch with its subkeys (docs/format.md §3). Each subkey is derived when it is first needed: a vault may
/// have a thousand epochs, and each secret takes guarded pages.
package final class EpochKey: Sendable {
    /// The bytes of the key and of each subkey.
    package static let length = 32

    /// What the objects say that this key sealed.
    package let id: EpochID
    /// The key itself.
    package let secret: SecretBytes
    private let vault: VaultID
    private let subkeys = Mutex<[String: SecretBytes]>([:])

    /// Takes a key of 32 bytes.
    package init(_ secret: SecretBytes, vault: VaultID) {
        (self.secret, self.vault) = (secret, vault)
        let id = Self.subkey(of: secret, vault: vault, label: "epoch id")
        self.id = EpochID(id.withBytes { bytes in (0..<8).reduce(0) { $0 << 8 | UInt64(bytes[$1]) } })
    }

    /// Input key of packs.
    package var packs: SecretBytes { subkey("packs") }
    /// Input key of commits, checkpoints and batches of events.
    package var records: SecretBytes { subkey("records") }
    /// Input key of the epoch's own object.
    package var epochs: SecretBytes { subkey("epochs") }

    private func subkey(_ label: String) -> SecretBytes {
        subkeys.withLock { subkeys in
            if let known = subkeys[label] { return known }
            let made = Self.subkey(of: secret, vault: vault, label: label)
            subkeys[label] = made
            return made
        }
    }

    /// Makes a new key.
    package static func random(for vault: VaultID) -> EpochKey { EpochKey(.random(length), vault: vault) }

    static func subkey(of secret: SecretBytes, vault: VaultID, label: String) -> SecretBytes {
        var info = ByteWriter()
        info.raw("cue/1 subkey\0".utf8)
        info.id(vault)
        info.raw(label.utf8)
        return HKDF.expand(secret, info: info.bytes, count: length)
    }
}

/// All keys of a vault that are known here: that of each epoch, and what follows from the first for ever.
///
/// A value that never changes; who learns an epoch makes another.
package final class VaultKey: Sendable {
    /// The vault that all subkeys are bound to.
    package let vault: VaultID
    /// The key of the first epoch.
    package let first: EpochKey
    /// The key that new objects are sealed with.
    package let current: EpochKey
    /// All keys by the ids that objects name.
    private let epochs: [EpochID: EpochKey]
    /// Key of the hash that names chunks.
    package let chunkIDs: SecretBytes
    /// Key of the hash that makes UUIDs of projects.
    package let projectUUIDs: SecretBytes
    /// 256 words for the borders of chunks. They are secret, so that the sizes of chunks do not reveal which known file
    /// this is.
    package let gear: [UInt64]

    /// The keys of a vault whose only epoch has this key of 32 bytes.
    package convenience init(_ secret: SecretBytes, vault: VaultID) {
        self.init(first: EpochKey(secret, vault: vault), vault: vault)
    }

    /// The keys of a vault of which only the first epoch is known.
    package init(first: EpochKey, vault: VaultID) {
        func subkey(_ label: String) -> SecretBytes {
            EpochKey.subkey(of: first.secret, vault: vault, label: label)
        }
        (self.vault, self.first, current, epochs) = (vault, first, first, [first.id: first])
        (chunkIDs, projectUUIDs) = (subkey("chunk ids"), subkey("project uuids"))
        gear = Self.gearTable(subkey("gear table"))
    }

    private init(_ old: VaultKey, epochs: [EpochID: EpochKey], current: EpochKey) {
        (vault, first, chunkIDs, gear) = (old.vault, old.first, old.chunkIDs, old.gear)
        projectUUIDs = old.projectUUIDs
        (self.epochs, self.current) = (epochs, current)
    }

    /// The key of an epoch; nil if it is not known here.
    package subscript(_ id: EpochID) -> EpochKey? { epochs[id] }

    /// The ids of all known epochs.
    package var ids: Set<EpochID> { Set(epochs.keys) }

    /// The keys of all known epochs: the first one, then the others by their ids.
    package var all: [EpochKey] {
        [first] + epochs.values.filter { $0.id != first.id }.sorted { $0.id < $1.id }
    }

    /// These keys and more. `current` is the id of a known key or of one of `more`; nil leaves it as it is.
    package func adding(_ more: some Sequence<EpochKey>, current id: EpochID? = nil) -> VaultKey {
        let epochs = epochs.merging(more.map { ($0.id, $0) }) { old, _ in old }
        return VaultKey(self, epochs: epochs, current: id.flatMap { epochs[$0] } ?? current)
    }

    private static func gearTable(_ key: SecretBytes) -> [UInt64] {
        HKDF.expand(key, info: Array("gear".utf8), count: 2048).withBytes { bytes in
            (0..<256).map { word in (0..<8).reduce(0) { $0 << 8 | UInt64(bytes[word * 8 + $1]) } }
        }
    }
}
