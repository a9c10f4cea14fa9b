package import CueCrypto
import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// `cue key new-code`: replaces the recovery code of a vault.
package struct NewRecoveryCode: Sendable {
    /// The new code in groups, as it is shown.
    package let code: String
    /// The name of the slot that it opens, without the folder.
    package let slot: String
    /// The names of the slots whose codes open nothing from now on.
    package let replaced: [String]

    /// Makes a slot for a new code, reads it back, opens it, calls `show`, and only then removes the old slots: at
    /// every moment a code that was shown opens the vault. An error before that removes the new slot again.
    package static func make(
        _ context: VaultContext, of library: OpenLibrary?, derivation: KeyDerivation,
        show: (NewRecoveryCode) throws -> Void
    ) throws -> NewRecoveryCode {
        let (vault, surroundings) = (context.vault, context.surroundings)
        let old = try oldSlots(of: vault, library)
        let text = RecoveryCode.random().text
        guard case .recoveryCode(let code) = Secret(Array(text.utf8)) else { throw VaultError.wrongSecret }
        let slot = try SealedSlot(
            vault.key, for: .recoveryCode(code), label: "recovery code", at: surroundings.clock.now,
            derivation: derivation)
        let made = NewRecoveryCode(
            code: text, slot: String(slot.name.components.last ?? ""),
            replaced: old.compactMap { $0.components.last.map(String.init) })
        do {
            try vault.objects.put(slot.name, slot.bytes)
            try prove(slot, opens: vault, with: code)
            try surroundings.cancellation.throwIfRequested()
            try show(made)
        } catch {
            try? vault.objects.delete(slot.name)
            throw error
        }
        for name in old { try vault.objects.delete(name) }
        if let library { try note(slot, inPlaceOf: old, vault, library) }
        return made
    }

    /// All slots of recovery codes, including damaged ones that this device knows to be of that kind.
    private static func oldSlots(of vault: Vault, _ library: OpenLibrary?) throws -> [ObjectName] {
        let kind = KeySlot.Kind.recoveryCode
        let known = try library?.store.read { try $0.knownSlots() } ?? []
        let damaged = Set(known.filter { $0.kind == kind.rawValue }.map(\.name))
        return try SlotListing.all(in: vault.objects, vault: vault.id).filter { listing in
            damaged.contains(listing.name.text) || (try? listing.slot.get())?.kind == kind
        }.map(\.name)
    }

    /// Reads the slot back and opens it. Throws `VaultError.damaged` or `KeySlotError` if that fails.
    private static func prove(_ slot: SealedSlot, opens vault: Vault, with code: RecoveryCode) throws {
        let bytes = try vault.objects.get(slot.name, upTo: KeySlot.sizes.upperBound)
        let id = vault.id
        let opened = try Interruptible.run { () -> Result<VaultKey, KeySlotError> in
            Result { () throws(KeySlotError) in
                try KeySlot(bytes, name: Array(slot.name.text.utf8), vault: id)
                    .open(with: .recoveryCode(code), vault: id)
            }
        }
        guard try opened.get().secret == vault.key.secret else {
            throw VaultError.damaged(.object(slot.name.text), .notAsWritten)
        }
    }

    /// Notes in the local store that this device replaced the old slots, and that the new one is whole.
    private static func note(
        _ slot: SealedSlot, inPlaceOf old: [ObjectName], _ vault: Vault, _ library: OpenLibrary
    ) throws {
        let gone = Set(old.map(\.text))
        try library.store.write { transaction in
            let known = try transaction.knownSlots().filter { gone.contains($0.name) }
            try transaction.setKnownSlots(
                known.map { slot in
                    var slot = slot
                    (slot.standing, slot.bytes, slot.missing) = (.removed, nil, nil)
                    return slot
                })
        }
        let proven = Vault(vault.storage, key: vault.key, opened: [slot.name: slot.bytes])
        try KeyWatch(EngineContext(library, proven)).look()
    }
}
