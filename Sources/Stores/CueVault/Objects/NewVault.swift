package import CueBase
package import CueCrypto
import CueSodium
package import CueStorage
import CueSystem

/// A key slot that is sealed under its name, and written nowhere yet.
package struct SealedSlot: Sendable {
    package let name: ObjectName
    package let bytes: [UInt8]

    /// Runs the key derivation; throws `Interrupted` when a stop is requested meanwhile.
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

/// A vault of which everything is made, and nothing written yet.
package struct NewVault: Sendable {
    package let key: VaultKey
    package let slots: [SealedSlot]

    /// Derives the keys of all slots.
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

    /// Writes the slots first and `vault.json` last, so that a half-made one is no vault. `ready` runs between the two; where it, or
    /// anything else, fails, all is taken back.
    package func write(to storage: VaultStorage, ready: () throws -> Void = {}) throws -> Vault {
        let store = storage.objects
        do {
            for slot in slots { try store.put(slot.name, slot.bytes) }
            try ready()
            // Whoever took them for left-overs meanwhile must not leave a vault that nothing opens.
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

    /// Nothing was sealed under the slots yet; without a vault they would only stand in the way of the next try.
    private func takeBack(from store: any ObjectStore) {
        // A write may have failed after it was done: slots go only from what is certainly no vault of theirs.
        do {
            if try Vault.id(in: store) == key.vault { try store.delete(VaultHeader.name) }
        } catch is VaultError {
        } catch {
            return
        }
        for slot in slots { try? store.delete(slot.name) }
    }
}
