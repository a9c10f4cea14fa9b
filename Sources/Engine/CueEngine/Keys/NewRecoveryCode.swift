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

    /// Makes a slot for a new code, reads it back, opens it, calls `show`, and only then changes the keys and removes
    /// the old slots: at every moment a code that was shown opens the vault. An error before that removes the new slot
    /// again.
    package static func make(
        _ context: VaultContext, of library: OpenLibrary?, derivation: KeyDerivation,
        show: (NewRecoveryCode) throws -> Void
    ) throws -> NewRecoveryCode {
        let (vault, surroundings) = (context.vault, context.surroundings)
        let text = RecoveryCode.random().text
        guard case .recoveryCode(let code) = Secret(Array(text.utf8)) else { throw VaultError.wrongSecret }
        let now = surroundings.clock.now
        let change = try KeyChange(
            of: vault,
            removing: { epochs in
                Set(epochs.slots.filter { $0.kind == KeySlot.Kind.recoveryCode.rawValue }.map(\.id))
            }, at: now
        ) { key in
            [try SealedSlot(key, for: .recoveryCode(code), label: "recovery code", at: now, derivation: derivation)]
        }
        guard let slot = change.added.first else { throw VaultError.tooManyKeys }
        let made = NewRecoveryCode(
            code: text, slot: slot.slot.id.description, replaced: change.removed.sorted().map(\.description))
        try ChangedKeys.write(change, context, library) {
            try prove(slot, of: change, opens: vault, with: code)
            try surroundings.cancellation.throwIfRequested()
            try show(made)
        }
        return made
    }

    /// Reads the slot back and opens it. Throws `VaultError.damaged` or `KeySlotError` if that fails.
    private static func prove(
        _ slot: SealedSlot, of change: KeyChange, opens vault: Vault, with code: RecoveryCode
    ) throws {
        let bytes = try vault.objects.get(slot.name, upTo: KeySlot.sizes.upperBound)
        let id = vault.id
        let opened = try Interruptible.run { () -> Result<KeySlot.Opened, KeySlotError> in
            Result { () throws(KeySlotError) in
                try KeySlot(bytes, name: Array(slot.name.text.utf8), vault: id).open(with: .recoveryCode(code))
            }
        }
        guard try opened.get().key.current.secret == change.epoch.key.secret else {
            throw VaultError.damaged(.object(slot.name.text), .notAsWritten)
        }
    }
}
