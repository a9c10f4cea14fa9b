package import CueBase
package import CueCrypto
package import CueStorage
import CueSystem

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The content of `vault.json` (docs/format.md §2).
package struct VaultHeader: Codable, Sendable {
    /// The version of the format.
    package var format: Int
    /// The id of the vault, as 32 hexadecimal digits.
    package var vault: String
    /// A note for people. No reader needs it.
    package var about: String?

    static let name = ObjectName("vault.json")

    init(of vault: VaultID) {
        (format, self.vault) = (Vault.format, vault.description)
        about = "A vault of cue: encrypted backup for writers. docs/format.md says how it is built."
    }

    /// The JSON with sorted keys and a line feed.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self)) + [0x0a]
    }
}

extension Vault {
    /// Reads the id from `vault.json`. It is not authenticated here; every seal binds it again.
    ///
    /// Throws `VaultError.notAVault` if there is no such object, `.newerFormat`, `.olderFormat`, `.damaged` with `.foreignHeader`, and
    /// `StorageError`, which is `.tooLarge` for over 64 KiB.
    package static func id(in store: any ObjectStore) throws -> VaultID {
        let bytes: [UInt8]
        do { bytes = try store.get(VaultHeader.name, upTo: 1 << 16) } catch StorageError.notFound {
            throw VaultError.notAVault
        }
        guard let header = try? JSONDecoder().decode(VaultHeader.self, from: Data(bytes)) else {
            throw VaultError.damaged(.object(VaultHeader.name.text), .foreignHeader)
        }
        guard header.format <= format else { throw VaultError.newerFormat(header.format) }
        guard header.format != 1 else { throw VaultError.olderFormat(1) }
        guard header.format == format, let id = VaultID(header.vault) else {
            throw VaultError.damaged(.object(VaultHeader.name.text), .foreignHeader)
        }
        return id
    }

    /// Opens the vault with a passphrase or a recovery code. Tries the slots of that kind, the cheapest first. A
    /// slot that was removed and put back counts only if no other opens. Calls `willTry` before each key derivation.
    ///
    /// Throws `VaultError.wrongSecret`, `.noKeySlot`, `.derivationNotAllowed`, `.noMemoryForKey` or `.tooManySlots` if
    /// none opens, `Interrupted` if a stop is requested, and the errors of `id(in:)`.
    package static func open(
        _ storage: VaultStorage, with secret: Secret, willTry: (SlotListing) -> Void = { _ in }
    ) throws -> Vault {
        let id = try id(in: storage.objects)
        var attempt = OpeningAttempt(secret: secret, vault: id)
        var shutOut: Vault?
        for listing in try SlotListing.all(in: storage.objects, vault: id).sorted(by: { $0.work < $1.work }) {
            guard let opened = try attempt.open(listing, willTry) else { continue }
            let (vault, epochs) = try Vault.unlocked(storage, opened)
            if epochs.later.isEmpty, epochs.slots.contains(where: { $0.id == opened.slot.id }) { return vault }
            shutOut = shutOut ?? vault
        }
        if let shutOut { return shutOut }
        throw attempt.refusal
    }

    /// The vault with the keys of a slot, and of the epochs that count with them.
    private static func unlocked(_ storage: VaultStorage, _ opened: KeySlot.Opened) throws -> (Vault, Epochs) {
        // Every epoch that counts comes after the first one, so that the newest of all is taken.
        let key = opened.key.adding([], current: opened.key.first.id)
        let vault = Vault(storage, ring: KeyRing(key: key, slot: opened.slot))
        let epochs = try vault.readEpochs()
        vault.passOver(epochs.later)
        return (vault, epochs)
    }
}

/// The results of trying one secret on the slots of a vault.
private struct OpeningAttempt {
    /// The most work in passes times bytes, as a bound for foreign slots (docs/format.md §4). A slot of
    /// `KeyDerivation.standard` takes 0.75 GiB of it.
    private static let workAtMost: UInt64 = 64 << 30

    let secret: Secret
    let vault: VaultID
    private var work: UInt64 = 0
    private var isWrong = false
    private var leftOut = 0
    private var notAllowed: VaultError?
    private var noMemory: VaultError?

    init(secret: Secret, vault: VaultID) { (self.secret, self.vault) = (secret, vault) }

    /// The content of a slot, if the secret opens it.
    mutating func open(_ listing: SlotListing, _ willTry: (SlotListing) -> Void) throws -> KeySlot.Opened? {
        switch listing.slot {
        case .failure(.derivationNotAllowed(let passes, let memory)):
            notAllowed = .derivationNotAllowed(passes: passes, memory: memory)
            return nil
        case .failure: return nil
        case .success(let slot) where slot.kind != secret.kind:
            isWrong = true
            return nil
        case .success(let slot):
            guard work + slot.derivation.work <= Self.workAtMost else {
                leftOut += 1
                return nil
            }
            work += slot.derivation.work
            willTry(listing)
            return try open(slot, listing.name)
        }
    }

    private mutating func open(_ slot: KeySlot, _ name: ObjectName) throws -> KeySlot.Opened? {
        let secret = secret
        let opened = try Interruptible.run { () -> Result<KeySlot.Opened, KeySlotError> in
            Result { () throws(KeySlotError) in try slot.open(with: secret) }
        }
        switch opened {
        case .success(let opened): return opened
        case .failure(.noMemory(let memory)):
            // The slot may be foreign, so the others are tried all the same.
            work -= slot.derivation.work
            noMemory = .noMemoryForKey(slot: name.text, memory: memory)
        case .failure:
            // A slot that was changed counts as one that the secret does not open.
            isWrong = true
        }
        return nil
    }

    /// The error if no slot opened.
    var refusal: VaultError {
        if leftOut > 0 { return .tooManySlots(leftOut) }
        return noMemory ?? (isWrong ? .wrongSecret : notAllowed ?? .noKeySlot)
    }
}
