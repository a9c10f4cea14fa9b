import CueBase
package import CueCrypto
import CueLibrary
import CueSodium
import CueStorage
import CueSystem
import CueVault

/// `cue key renew`, `cue key add` and `cue key remove`: a new key for what is written from now on.
package struct ChangedKeys: Sendable {
    /// The reasons why keys cannot be changed as asked.
    package enum Refusal: Error, Sendable, Hashable {
        /// The vault has no slot of this name, and no other that begins with it.
        case unknownSlot(String)
        /// So few digits may be a slip of the finger.
        case tooFewDigits(String)
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
    /// Whether the place of the vault forbids to delete the file of the removed slot.
    package let isFileKept: Bool
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

    /// The fewest digits that name a slot, as of snapshots.
    private static let leastDigits = 4

    /// Removes the slot whose name begins with these digits. Throws `Refusal`.
    package static func remove(
        _ digits: String, _ context: VaultContext, of library: OpenLibrary?
    ) throws -> ChangedKeys {
        try change(context, library, removing: try find(digits, context))
    }

    /// The slot that `remove` would remove, for a question before it does. Throws `Refusal`.
    package static func find(_ digits: String, _ context: VaultContext) throws -> ListedSlot {
        let vault = context.vault
        guard digits.utf8.count >= leastDigits else { throw Refusal.tooFewDigits(digits) }
        let slots = try vault.readEpochs().slots
        let present = try SlotListing.all(in: vault.objects, vault: vault.id)
        let named = slots.filter { $0.id.description.hasPrefix(digits.lowercased()) }
        guard let slot = named.first else {
            let foreign = present.map(\.name.text).first { $0.hasPrefix("keys/\(digits.lowercased())") }
            throw foreign.map { Refusal.notOfVault(String($0.dropFirst("keys/".count))) } ?? .unknownSlot(digits)
        }
        guard named.count == 1 else { throw Refusal.ambiguousSlot(digits) }
        // Only a slot whose file is there and as it was made opens the vault afterwards.
        let digests = Dictionary(uniqueKeysWithValues: present.map { ($0.name.text, BLAKE2b.hash($0.bytes)) })
        guard slots.contains(where: { $0.id != slot.id && digests["keys/\($0.id)"] == $0.digest }) else {
            throw Refusal.lastSlot
        }
        return slot
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
        let kept = try write(change, context, library) { try context.surroundings.cancellation.throwIfRequested() }
        return ChangedKeys(
            number: change.epoch.number, slots: change.epoch.slots, added: change.added.first?.slot.id, removed: slot,
            isFileKept: slot.map { kept.contains($0.id) } ?? false, isOwnRemoved: slot.map { $0.id == own } ?? false)
    }

    /// Writes a change, and looks at the slots that are there then. What a run that was killed leaves, a slot that no
    /// epoch lists or one that is removed and not deleted, goes with the next change, or the next backup. Returns the
    /// slots whose files the place forbids to delete.
    @discardableResult
    static func write(
        _ change: KeyChange, _ context: VaultContext, _ library: OpenLibrary?, ready: () throws -> Void
    ) throws -> Set<SlotID> {
        guard let library else { return try change.write(ready: ready) }
        let now = context.surroundings.clock.now
        let gone = Set(change.removed.map { "keys/\($0)" })
        try library.store.write { transaction in
            // A new slot counts as removed until the epoch lists it.
            let new = change.added.map { slot in
                KnownSlot(
                    name: slot.name.text, kind: slot.listed.kind, standing: .removed, length: slot.bytes.count,
                    mark: slot.listed.digest, bytes: nil, noted: now)
            }
            let old = try transaction.knownSlots().filter { gone.contains($0.name) }.map { slot in
                var slot = slot
                slot.standing = .removed
                return slot
            }
            try transaction.setKnownSlots(old + new)
        }
        let kept = try change.write(ready: ready)
        let listed = Set(change.epoch.slots.map { "keys/\($0.id)" })
        let left = try library.store.read { try $0.knownSlots() }.filter {
            $0.standing == .removed && !listed.contains($0.name)
        }
        let names = Set(left.map(\.name))
        for slot in try context.vault.objects.list("keys") where names.contains(slot.name.text) {
            _ = try context.vault.objects.deleteIfAllowed(slot.name)
        }
        if !kept.isEmpty {
            try library.store.write { transaction in
                let names = Set(kept.map { "keys/\($0)" })
                try transaction.setKnownSlots(
                    transaction.knownSlots().filter { names.contains($0.name) }.map { slot in
                        var slot = slot
                        slot.missing = KnownSlot.never
                        return slot
                    })
            }
        }
        try KeyWatch(EngineContext(library, context.vault)).look()
        return kept
    }
}
