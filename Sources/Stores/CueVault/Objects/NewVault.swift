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

    /// Runs the key derivation. `label` is for people, `time` the time of making.
    ///
    /// Throws `Interrupted` if a stop is requested meanwhile, and `KeySlotError.noMemory`.
    package init(
        _ key: VaultKey, for secret: Secret, label: String, at time: Timestamp, derivation: KeyDerivation = .standard
    ) throws {
        var generator = SodiumGenerator()
        let name = ObjectName("keys/\(generator.next().hexadecimal)")
        let sealed = try Interruptible.run { () -> Result<[UInt8], KeySlotError> in
            Result { () throws(KeySlotError) in
                try KeySlot.seal(
                    key, for: secret, name: Array(name.text.utf8), label: label, at: time, derivation: derivation)
            }
        }
        (self.name, bytes) = (name, try sealed.get())
    }
}

/// A new vault, complete in memory; nothing of it is written yet.
package struct NewVault: Sendable {
    /// A new random key, for a new vault id.
    package let key: VaultKey
    /// The slots in the order in which they were asked for.
    package let slots: [SealedSlot]

    /// Makes a key, and derives the keys of all slots one after the other.
    ///
    /// Throws `Interrupted` if a stop is requested meanwhile, and `KeySlotError.noMemory`.
    package init(
        slots: [(secret: Secret, label: String)], at time: Timestamp, derivation: KeyDerivation = .standard
    ) throws {
        var generator = SodiumGenerator()
        let key = VaultKey.random(for: VaultID.random(using: &generator))
        self.key = key
        self.slots = try slots.map {
            try SealedSlot(key, for: $0.secret, label: $0.label, at: time, derivation: derivation)
        }
    }

    /// Writes the slots first and `vault.json` last: a vault that is only begun is none (docs/format.md §9).
    ///
    /// `ready` runs between the two. If it or anything else throws, everything is removed again and the error is thrown
    /// on. Throws `VaultError.damaged` with `.changedWhileMade` if a slot does not read back, and `StorageError`.
    package func write(to storage: VaultStorage, ready: () throws -> Void = {}) throws -> Vault {
        let store = storage.objects
        do {
            for slot in slots { try store.put(slot.name, slot.bytes) }
            try ready()
            // Another run may have removed the slots as left-overs. A vault that no slot opens must not come to be.
            for slot in slots where try store.get(slot.name, upTo: slot.bytes.count) != slot.bytes {
                throw VaultError.damaged(.object(slot.name.text), .changedWhileMade)
            }
            try store.put(VaultHeader.name, VaultHeader(of: key.vault).encoded())
        } catch {
            takeBack(from: store)
            throw error
        }
        return Vault(
            storage, key: key, opened: Dictionary(uniqueKeysWithValues: slots.map { ($0.name, $0.bytes) }))
    }

    /// Removes the slots, which would only be in the way of the next try. Nothing is sealed under their key yet.
    private func takeBack(from store: any ObjectStore) {
        // A write that failed may have happened all the same. Remove the slots only if no `vault.json` needs them.
        do {
            if try Vault.id(in: store) == key.vault { try store.delete(VaultHeader.name) }
        } catch is VaultError {
        } catch {
            return
        }
        for slot in slots { try? store.delete(slot.name) }
    }
}
