package import CueBase
package import CueCrypto
package import CueStorage

/// A key slot as it stands in the store, usable or not.
package struct SlotListing: Sendable {
    /// The name of the object.
    package let name: ObjectName
    /// The whole object; empty if its size is not that of a slot, or if it could not be read.
    package let bytes: [UInt8]
    /// The parsed slot, or the reason why it cannot be tried.
    package let slot: Result<KeySlot, KeySlotError>

    /// Reads all key slots, sorted by name. A slot that cannot be used is among them with its reason. Throws only
    /// `StorageError`, for an error that heals by itself, and for a listing that fails.
    package static func all(in store: any ObjectStore, vault: VaultID) throws -> [SlotListing] {
        try store.list("keys").filter { isSlot($0.name) }.sorted { $0.name < $1.name }.map { entry in
            try SlotListing(entry, in: store, vault)
        }
    }

    private init(_ entry: ObjectEntry, in store: any ObjectStore, _ vault: VaultID) throws {
        name = entry.name
        // A foreign file costs no reading, and keeps no slot from being tried.
        guard KeySlot.sizes.contains(entry.size) else {
            (bytes, slot) = ([], .failure(.invalid(.notASlot)))
            return
        }
        do throws(StorageError) { bytes = try store.get(entry.name, upTo: KeySlot.sizes.upperBound) } catch {
            guard error.heals == .never else { throw error }
            (bytes, slot) = ([], .failure(.invalid(.unreadable)))
            return
        }
        do throws(KeySlotError) {
            slot = .success(try KeySlot(bytes, name: Array(entry.name.text.utf8), vault: vault))
        } catch {
            slot = .failure(error)
        }
    }

    /// True for the names of slots. Other files in the folder are ignored (docs/format.md §2).
    private static func isSlot(_ name: ObjectName) -> Bool {
        name.components.count == 2 && CommitID(name.components[1]) != nil
    }

    /// The cost of one guess (`KeyDerivation.work`); 0 for a slot that cannot be tried.
    var work: UInt64 { (try? slot.get())?.derivation.work ?? 0 }
}
