package import CueBase
package import CueCrypto
import CueSodium
package import CueStorage
import CueSystem

/// A key slot that is sealed under its name and not written yet (docs/format.md §4).
package struct SealedSlot: Sendable {
    /// The name of the object: `keys/` and 16 random hexadecimal digits.
    package let name: ObjectName
    /// The whole object.
    package let bytes: [UInt8]
    /// What opens the epochs that are sealed to this slot.
    package let slot: SlotSecret
    /// The slot as an epoch lists it.
    package let listed: ListedSlot

    /// A slot that comes with the current epoch of `key`. Runs the key derivation. `label` is for people, `time` the
    /// time of making.
    ///
    /// Throws `Interrupted` if a stop is requested meanwhile, and `KeySlotError.noMemory`.
    package init(
        _ key: VaultKey, for secret: Secret, label: String, at time: Timestamp, derivation: KeyDerivation = .standard
    ) throws {
        var generator = SodiumGenerator()
        let slot = SlotSecret(id: SlotID(max(1, generator.next())), pair: .random())
        let sealed = try Interruptible.run { () -> Result<[UInt8], KeySlotError> in
            Result { () throws(KeySlotError) in
                try KeySlot.seal(key, slot, for: secret, label: label, at: time, derivation: derivation)
            }
        }
        let bytes = try sealed.get()
        (name, self.bytes, self.slot) = (ObjectName("keys/\(slot.id)"), bytes, slot)
        listed = ListedSlot(
            id: slot.id, publicKey: slot.pair.publicKey, kind: secret.kind.rawValue, digest: BLAKE2b.hash(bytes),
            made: time, label: KeySlot.label(label))
    }
}

/// An object that is complete in memory and not written yet.
package struct SealedObjectDraft: Sendable {
    /// The name of the object.
    package let name: ObjectName
    /// The whole object.
    package let bytes: [UInt8]

    /// An epoch. Throws `VaultError.tooManyKeys` if it does not fit.
    init(_ epoch: EpochRecord, of vault: VaultID) throws {
        guard epoch.earlier.count < KeyRing.epochs, epoch.slots.count <= EpochRecord.slots,
            epoch.removed.count <= EpochRecord.removed, let bytes = epoch.sealed(for: vault)
        else { throw VaultError.tooManyKeys }
        (name, self.bytes) = (ObjectName(String(decoding: epoch.name, as: UTF8.self)), bytes)
    }
}

/// A new vault, complete in memory; nothing of it is written yet.
package struct NewVault: Sendable {
    /// A new random key, for a new vault id.
    package let key: VaultKey
    /// The slots in the order in which they were asked for.
    package let slots: [SealedSlot]
    /// The first epoch, sealed to all of them.
    private let epoch: SealedObjectDraft
    /// The slots, then the epoch: all that is written before `vault.json`.
    package var objects: [(name: ObjectName, bytes: [UInt8])] {
        slots.map { ($0.name, $0.bytes) } + [(epoch.name, epoch.bytes)]
    }

    /// Makes a key, and derives the keys of all slots one after the other.
    ///
    /// Throws `Interrupted` if a stop is requested meanwhile, and `KeySlotError.noMemory`.
    package init(
        slots: [(secret: Secret, label: String)], at time: Timestamp, derivation: KeyDerivation = .standard
    ) throws {
        var generator = SodiumGenerator()
        let vault = VaultID.random(using: &generator)
        let first = EpochKey.random(for: vault)
        let key = VaultKey(first: first, vault: vault)
        self.key = key
        self.slots = try slots.map {
            try SealedSlot(key, for: $0.secret, label: $0.label, at: time, derivation: derivation)
        }
        epoch = try SealedObjectDraft(
            EpochRecord(
                number: 1, key: first, made: time, earlier: [], slots: self.slots.map(\.listed), removed: []),
            of: vault)
    }

    /// Writes the slots first, then the epoch, and `vault.json` last: a vault that is only begun is none (docs/format.md §9).
    ///
    /// `ready` runs between the two. If it or anything else throws, everything is removed again and the error is thrown
    /// on. Throws `VaultError.damaged` with `.changedWhileMade` if an object does not read back, and `StorageError`.
    package func write(to storage: VaultStorage, ready: () throws -> Void = {}) throws -> Vault {
        let store = storage.objects
        do {
            for object in objects { try store.put(object.name, object.bytes) }
            try ready()
            // Another run may have removed the slots as left-overs. A vault that no slot opens must not come to be.
            for object in objects where try store.get(object.name, upTo: object.bytes.count) != object.bytes {
                throw VaultError.damaged(.object(object.name.text), .changedWhileMade)
            }
            try store.put(VaultHeader.name, VaultHeader(of: key.vault).encoded())
        } catch {
            takeBack(from: store)
            throw error
        }
        return Vault(storage, ring: KeyRing(key: key, slot: slots.first?.slot))
    }

    /// Removes the slots and the epoch, which would only be in the way of the next try. Nothing is sealed under it yet.
    private func takeBack(from store: any ObjectStore) {
        // A write that failed may have happened all the same. Remove the slots only if no `vault.json` needs them.
        do {
            if try Vault.id(in: store) == key.vault { try store.delete(VaultHeader.name) }
        } catch is VaultError {
        } catch {
            return
        }
        for object in objects { try? store.delete(object.name) }
    }
}
