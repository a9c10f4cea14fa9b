package import CueBase
package import CueCrypto
import CueSodium
package import CueStorage

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What `vault.json` says.
package struct VaultHeader: Codable, Sendable {
    package var format: Int
    package var vault: String
    package var about: String?

    static let name = ObjectName("vault.json")
}

extension Vault {
    /// Reads `vault.json`. What it says is not trusted: every seal binds the id and the format again.
    package static func id(in store: any ObjectStore) throws -> VaultID {
        let bytes: [UInt8]
        do { bytes = try store.get(VaultHeader.name, upTo: 1 << 16) } catch StorageError.notFound {
            throw VaultError.notAVault
        }
        guard let header = try? JSONDecoder().decode(VaultHeader.self, from: Data(bytes)) else {
            throw VaultError.damaged(object: "vault.json", reason: "it is not what cue writes")
        }
        guard header.format <= format else { throw VaultError.newerFormat(header.format) }
        guard header.format == format, let id = VaultID(header.vault) else {
            throw VaultError.damaged(object: "vault.json", reason: "it is not what cue writes")
        }
        return id
    }

    /// Makes a vault in an empty store: the slots first, `vault.json` last, so that a half-made one is no vault.
    package static func create(
        in store: any ObjectStore, slots: [(secret: Secret, label: String)], at time: Timestamp,
        derivation: KeyDerivation = .standard
    ) throws -> Vault {
        var generator = SodiumGenerator()
        let key = VaultKey.random(for: VaultID.random(using: &generator))
        let vault = Vault(store: store, key: key)
        var made: [ObjectName] = []
        do {
            for slot in slots {
                made.append(try vault.addSlot(slot.secret, label: slot.label, at: time, derivation: derivation))
            }
            try vault.writeHeader()
        } catch {
            // Nothing was sealed under them yet: slots without a vault would only stand in the way of the next try.
            for name in made { try? store.delete(name) }
            throw error
        }
        return vault
    }

    private func writeHeader() throws {
        let header = VaultHeader(
            format: Self.format, vault: key.vault.description,
            about: "A vault of cue: encrypted backup for writers. docs/format.md says how it is built.")
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try store.put(VaultHeader.name, Array(try encoder.encode(header)) + [0x0a])
    }

    /// Writes a new key slot.
    package func addSlot(
        _ secret: Secret, label: String, at time: Timestamp, derivation: KeyDerivation = .standard
    ) throws -> ObjectName {
        var generator = SodiumGenerator()
        let name = ObjectName("keys/\(generator.next().hexadecimal)")
        let bytes = try KeySlot.seal(
            key, for: secret, name: Array(name.text.utf8), label: label, at: time, derivation: derivation)
        try store.put(name, bytes)
        return name
    }

    /// One key slot as it stands in the store, usable or not.
    package struct SlotListing: Sendable {
        package let name: ObjectName
        package let slot: Result<KeySlot, KeySlotError>
    }

    package static func slots(in store: any ObjectStore, vault: VaultID) throws -> [SlotListing] {
        try store.list("keys").filter { isSlot($0.name) }.sorted { $0.name < $1.name }.map { entry in
            // Whatever is larger is none; reading it to say so would stop the others from being tried.
            guard entry.size <= 1 << 16 else {
                return SlotListing(name: entry.name, slot: .failure(.invalid("it is no key slot of this format")))
            }
            let bytes = try store.get(entry.name, upTo: 1 << 16)
            do throws(KeySlotError) {
                return SlotListing(
                    name: entry.name,
                    slot: .success(try KeySlot(bytes, name: Array(entry.name.text.utf8), vault: vault)))
            } catch {
                return SlotListing(name: entry.name, slot: .failure(error))
            }
        }
    }

    /// Other files in the folder are somebody's, and ignored (docs/format.md §2).
    private static func isSlot(_ name: ObjectName) -> Bool {
        name.components.count == 2 && CommitID(name.components[1]) != nil
    }

    /// Opens the vault with what a person gave. Slots of the other kind are not tried.
    package static func open(_ store: any ObjectStore, with secret: Secret) throws -> Vault {
        let id = try id(in: store)
        let listings = try slots(in: store, vault: id)
        var refusal: VaultError = .noKeySlot
        for listing in listings {
            switch listing.slot {
            case .failure(.derivationNotAllowed(let passes, let memory)):
                refusal = .derivationNotAllowed(passes: passes, memory: memory)
            case .failure(let error):
                refusal = .damaged(object: listing.name.text, reason: error.reason)
            case .success(let slot) where slot.kind != secret.kind:
                if refusal == .noKeySlot { refusal = .wrongSecret }
            case .success(let slot):
                do throws(KeySlotError) {
                    return Vault(store: store, key: try slot.open(with: secret, vault: id))
                } catch .noMemory(let memory) {
                    throw VaultError.noMemoryForKey(memory)
                } catch .wrongSecret {
                    refusal = .wrongSecret
                } catch {
                    refusal = .damaged(object: listing.name.text, reason: error.reason)
                }
            }
        }
        throw refusal
    }
}

extension KeySlotError {
    package var reason: String {
        switch self {
        case .invalid(let what): what
        case .derivationNotAllowed(let passes, let memory):
            "it asks for \(passes) passes over \(memory >> 20) MiB, which is outside of what is allowed"
        case .wrongSecret: "the secret does not open it"
        case .damaged: "its content was changed"
        case .noMemory: "there is not enough memory"
        }
    }
}
