package import CueBase
package import CueCrypto
package import CueStorage

/// One key slot as it stands in the store, usable or not.
package struct SlotListing: Sendable {
    package let name: ObjectName
    /// What was read; nothing where the size alone says that it is no slot.
    package let bytes: [UInt8]
    package let slot: Result<KeySlot, KeySlotError>

    package static func all(in store: any ObjectStore, vault: VaultID) throws -> [SlotListing] {
        try store.list("keys").filter { isSlot($0.name) }.sorted { $0.name < $1.name }.map { entry in
            try SlotListing(entry, in: store, vault)
        }
    }

    private init(_ entry: ObjectEntry, in store: any ObjectStore, _ vault: VaultID) throws {
        name = entry.name
        // It costs no reading, and keeps no other from being tried.
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

    /// Other files in the folder are somebody's, and ignored (docs/format.md §2).
    private static func isSlot(_ name: ObjectName) -> Bool {
        name.components.count == 2 && CommitID(name.components[1]) != nil
    }

    /// What one guess at it costs; nothing where nothing is tried.
    var work: UInt64 { (try? slot.get())?.derivation.work ?? 0 }
}
