import CueBase
package import CueCrypto
import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// `cue key renew`, `cue key add` and `cue key remove`: a new key for what is written from now on.
package struct ChangedKeys: Sendable {
    /// The reasons why keys cannot be changed as asked.
    package enum Refusal: Error, Sendable, Hashable {
        /// The vault has no slot of this name, and no other that begins with it.
        case unknownSlot(String)
        /// Several slots begin with these digits.
        case ambiguousSlot(String)
        /// The file lies in `keys/`, and no epoch lists it: nothing is sealed to it.
        case notOfVault(String)
        /// Nothing would open the vault any more.
        case lastSlot
    }

    /// The number of the new epoch.
    package let number: UInt32
    /// The slots that open the vault from now on.
    package let slots: [ListedSlot]
    /// The slot that was added; nil if none was.
    package let added: SlotID?
    /// The slot that was removed; nil if none was.
    package let removed: ListedSlot?
    /// Whether the removed slot is the one through which this device learns of new keys.
    package let isOwnRemoved: Bool

    /// Makes a new epoch with the same slots. Throws `VaultError` and `StorageError`, as all of these.
    package static func renew(_ context: VaultContext, of library: OpenLibrary?) throws -> ChangedKeys {
        try change(context, library)
    }

    /// Adds a slot for a secret. Runs a key derivation.
    package static func add(
        _ secret: Secret, label: String, derivation: KeyDerivation, _ context: VaultContext, of library: OpenLibrary?
    ) throws -> ChangedKeys {
        let now = context.surroundings.clock.now
        return try change(context, library) { key in
            [try SealedSlot(key, for: secret, label: label, at: now, derivation: derivation)]
        }
    }

    /// Removes the slot whose name begins with these digits. Throws `Refusal`.
    package static func remove(
        _ digits: String, _ context: VaultContext, of library: OpenLibrary?
    ) throws -> ChangedKeys {
        let vault = context.vault
        let slots = try vault.readEpochs().slots
        let named = slots.filter { $0.id.description.hasPrefix(digits.lowercased()) }
        guard let slot = named.first, !digits.isEmpty else {
            let lies = try SlotListing.all(in: vault.objects, vault: vault.id).contains {
                $0.name.text == "keys/\(digits.lowercased())"
            }
            throw lies ? Refusal.notOfVault(digits) : Refusal.unknownSlot(digits)
        }
        guard named.count == 1 else { throw Refusal.ambiguousSlot(digits) }
        guard slots.count > 1 else { throw Refusal.lastSlot }
        return try change(context, library, removing: slot)
    }

    private static func change(
        _ context: VaultContext, _ library: OpenLibrary?, removing slot: ListedSlot? = nil,
        adding add: (VaultKey) throws -> [SealedSlot] = { _ in [] }
    ) throws -> ChangedKeys {
        let vault = context.vault
        let own = vault.keyRing.slot?.id
        let change = try KeyChange(
            of: vault, removing: { _ in Set([slot?.id].compactMap { $0 }) }, at: context.surroundings.clock.now,
            adding: add)
        try change.write { try context.surroundings.cancellation.throwIfRequested() }
        if let library { try note(change, vault, library) }
        return ChangedKeys(
            number: change.epoch.number, slots: change.epoch.slots, added: change.added.first?.slot.id, removed: slot,
            isOwnRemoved: slot.map { $0.id == own } ?? false)
    }

    /// Notes in the local store that this device removed slots, and looks at those that are there now.
    static func note(_ change: KeyChange, _ vault: Vault, _ library: OpenLibrary) throws {
        let gone = Set(change.removed.map { "keys/\($0)" })
        try library.store.write { transaction in
            let known = try transaction.knownSlots().filter { gone.contains($0.name) }
            try transaction.setKnownSlots(
                known.map { slot in
                    var slot = slot
                    (slot.standing, slot.bytes, slot.missing) = (.removed, nil, nil)
                    return slot
                })
        }
        try KeyWatch(EngineContext(library, vault)).look()
    }
}
