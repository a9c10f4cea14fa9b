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
    /// Throws `VaultError.notAVault` if there is no such object, `.newerFormat`, `.damaged` with `.foreignHeader`, and
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
        guard header.format == format, let id = VaultID(header.vault) else {
            throw VaultError.damaged(.object(VaultHeader.name.text), .foreignHeader)
        }
        return id
    }

    /// Opens the vault with a passphrase or a recovery code. Tries the slots of that kind, the cheapest first.
    ///
    /// Throws `VaultError.wrongSecret`, `.noKeySlot`, `.derivationNotAllowed`, `.noMemoryForKey` or `.tooManySlots` if
    /// none opens, `Interrupted` if a stop is requested, and the errors of `id(in:)`.
    package static func open(_ storage: VaultStorage, with secret: Secret) throws -> Vault {
        let id = try id(in: storage.objects)
        var attempt = OpeningAttempt(secret: secret, vault: id)
        for listing in try SlotListing.all(in: storage.objects, vault: id).sorted(by: { $0.work < $1.work }) {
            guard let key = try attempt.key(of: listing) else { continue }
            return Vault(storage, key: key, opened: [listing.name: listing.bytes])
        }
        throw attempt.refusal
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

    /// The vault key, if the secret opens this slot.
    mutating func key(of listing: SlotListing) throws -> VaultKey? {
        switch listing.slot {
        case .failure(.derivationNotAllowed(let passes, let memory)):
            notAllowed = .derivationNotAllowed(passes: passes, memory: memory)
            return nil
        case .failure: return nil
        case .success(let slot) where slot.kind != secret.kind:
            isWrong = true
            return nil
        case .success(let slot): return try key(of: slot, listing.name)
        }
    }

    private mutating func key(of slot: KeySlot, _ name: ObjectName) throws -> VaultKey? {
        guard work + slot.derivation.work <= Self.workAtMost else {
            leftOut += 1
            return nil
        }
        work += slot.derivation.work
        let (secret, vault) = (secret, vault)
        let opened = try Interruptible.run { () -> Result<VaultKey, KeySlotError> in
            Result { () throws(KeySlotError) in try slot.open(with: secret, vault: vault) }
        }
        switch opened {
        case .success(let key): return key
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
