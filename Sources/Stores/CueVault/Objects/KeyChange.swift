package import CueBase
package import CueCrypto
import CueSodium
import CueStorage

/// A new epoch of a vault: a new key for what is written from now on, sealed to the slots that the newest epochs list,
/// with what is added and without what is removed (docs/format.md §9).
package struct KeyChange: Sendable {
    /// The epochs as they were.
    package let before: Epochs
    /// The new epoch.
    package let epoch: EpochRecord
    /// The slots that were made for it, not written yet.
    package let added: [SealedSlot]
    /// The slots that the vault has no more.
    package let removed: Set<SlotID>
    private let vault: Vault
    private let draft: SealedObjectDraft

    /// Makes the key, and the slots with `add`, which gets the vault's keys with the new one. Nothing is written yet.
    ///
    /// Throws `VaultError.keysWentBack` if the epoch that this device knows is not there, `.shutOut` if a newer one is not
    /// for its slot, `.tooManyKeys` if it does not fit, and what `add` throws.
    package init(
        of vault: Vault, removing: (Epochs) -> Set<SlotID> = { _ in [] }, at time: Timestamp,
        adding add: (VaultKey) throws -> [SealedSlot] = { _ in [] }
    ) throws {
        let before = try vault.readEpochs()
        try vault.proveNewest(before)
        guard let number = before.newest.map(\.number).max(), number < .max else { throw VaultError.tooManyKeys }
        let own = EpochKey.random(for: vault.id)
        let known = vault.key
        added = try add(known.adding([own], current: own.id))
        let removed = removing(before).subtracting(added.map(\.slot.id))
        epoch = EpochRecord(
            number: number + 1, key: own, made: time, earlier: known.all,
            slots: before.slots.filter { !removed.contains($0.id) } + added.map(\.listed),
            removed: before.removed + removed.subtracting(before.removed).sorted())
        draft = try SealedObjectDraft(epoch, of: vault.id)
        (self.before, self.removed, self.vault) = (before, removed, vault)
    }

    /// Writes the new slots, calls `ready`, and then writes the epoch, with which it counts. What this vault seals from
    /// then on is sealed with the new key. The files of removed slots are deleted last; returns those that the store
    /// forbids to delete, or keeps locked. They open nothing that is written later.
    ///
    /// An error before the epoch is there removes the new slots again. Throws what `ready` throws, `StorageError`, and
    /// `VaultError.damaged` with `.notAsWritten`.
    @discardableResult
    package func write(ready: () throws -> Void = {}) throws -> Set<SlotID> {
        let store = vault.objects
        do {
            for slot in added { try put(slot.name, slot.bytes) }
            try ready()
            try put(draft.name, draft.bytes)
        } catch {
            // A write that failed may have happened all the same, and the slots are needed then.
            do {
                if try store.size(of: draft.name) == nil { for slot in added { try store.delete(slot.name) } }
            } catch {}
            throw error
        }
        vault.learn { ring in
            ring.key = ring.key.adding([epoch.key], current: epoch.key.id)
            // A device whose own slot is removed goes on through the one that took its place.
            if let own = ring.slot?.id, removed.contains(own) { ring.slot = added.first?.slot ?? ring.slot }
        }
        // Where objects are locked, a deletion hides the file, and its bytes stay.
        return try removed.filter { try !store.deleteIfAllowed(ObjectName("keys/\($0)")) || store.locking != nil }
    }

    private func put(_ name: ObjectName, _ bytes: [UInt8]) throws {
        try vault.objects.put(name, bytes)
        // A copy on this device would be right in any case.
        vault.objects.forget(name)
        guard try vault.objects.get(name, upTo: bytes.count) == bytes else {
            throw VaultError.damaged(.object(name.text), .notAsWritten)
        }
    }
}

extension Vault {
    /// Checks that this vault writes with the newest key that this device can know.
    ///
    /// Throws `VaultError.keysWentBack` if the epoch of the current key is gone. Throws `.shutOut` if a later epoch is not
    /// sealed to this device's slot, unless the person was asked for another passphrase already (`KeyRing.passedOver`).
    package func proveNewest(_ epochs: Epochs) throws {
        let ring = keyRing
        guard !epochs.isBehind else { throw VaultError.keysWentBack(missing: max(1, epochs.missing.count)) }
        if let later = epochs.later.subtracting(ring.passedOver).min() {
            throw VaultError.shutOut(epoch: "\(later)")
        }
    }
}
