import CueBase
import CueCrypto
import CueLibrary
import CueSodium
import CueStorage
import CueSystem
import CueVault
import Foundation

/// The vaults that this device has begun to make. A killed `cue init` leaves key slots and a first epoch without
/// `vault.json`. With these notes the next `cue init` recognizes its own; it never touches those of others.
struct BegunVaults {
    private struct Note: Codable {
        /// Where the vault was to be made, as `VaultLocation.stored`.
        var place: String
        /// The writer's name; it marks the files that a killed run leaves under `tmp/`.
        var writer: String
        /// The hash of the bytes of each slot, and of the epoch, by the object's name.
        var slots: [String: String]
    }

    private let folder: Folder
    private let path: FilePathBytes
    /// Only one process at a time makes vaults, so that slots which another one has just written are not taken for
    /// leftovers.
    private let lock: LibraryLock

    /// Waits while another process makes a vault, and forgets the vaults that were completed. `open` opens their
    /// places.
    init(in state: StateFolder, _ cancellation: Cancellation, open: VaultLocation.Opening) throws {
        path = try state.makeFolder("begun")
        folder = try Folder.open(path)
        lock = try LibraryLock(in: path, cancellation)
        try sweep(open)
    }

    /// Notes, durably, the objects that are about to be written.
    func note(_ new: NewVault, at location: VaultLocation, writer: String) throws {
        let slots = new.objects.map { ($0.name.text, Self.hash($0.bytes)) }
        let note = Note(place: location.stored, writer: writer, slots: Dictionary(uniqueKeysWithValues: slots))
        try folder.replace("\(new.key.vault).json", with: Array(try JSONEncoder().encode(note)), mode: 0o600)
    }

    /// Removes the note of a vault that is complete.
    func forget(_ vault: VaultID) { try? folder.remove(Array("\(vault).json".utf8)) }

    /// Removes the key slots and temporary files that killed runs of this device left in a store without `vault.json`.
    func clear(_ store: any ObjectStore, at location: VaultLocation) throws {
        for (file, note) in Self.notes(in: path) {
            let slots = try note.slots.keys.compactMap { ObjectName(listed: $0) }.filter {
                try Self.isOwn($0, in: store, [note])
            }
            for slot in slots { try store.delete(slot) }
            store.removeLeftovers(of: note.writer)
            if !slots.isEmpty || note.place == location.stored { try folder.remove(file) }
        }
    }

    /// Forgets the vaults that have their `vault.json`: their slots are no leftovers.
    private func sweep(_ open: VaultLocation.Opening) throws {
        // A draft of a note is left by a run that was killed while it wrote the note: no slot was written after it.
        for name in try folder.names() where name.suffix(4).elementsEqual(".new".utf8) { try folder.remove(name) }
        for (file, note) in Self.notes(in: path) {
            guard let storage = try? open(VaultLocation(stored: note.place), "look"),
                let vault = try? Vault.id(in: storage.objects), file == Array("\(vault).json".utf8)
            else { continue }
            try folder.remove(file)
        }
    }

    /// Whether this device left everything that lies in `keys/` and `epochs/`, under whatever name: sync services bring slots under
    /// names of their own. Also true if there are no such folders.
    static func leftOnlyKeys(in store: any ObjectStore, at path: FilePathBytes, _ state: StateFolder) throws -> Bool {
        let notes = notes(in: state.path.appending("begun")).map(\.note)
        return try ["keys", "epochs"].allSatisfy { top in
            let folder = path.appending(top)
            guard let info = try folder.info() else { return true }
            guard info.kind == .folder else { return false }
            return try Folder.open(folder).names().allSatisfy { name in
                let text = String(decoding: name, as: UTF8.self)
                return try ObjectName(listed: "\(top)/\(text)").map { try isOwn($0, in: store, notes) } ?? false
            }
        }
    }

    /// The same for a service, which gives every object its own name.
    static func leftOnlyKeys(in store: any ObjectStore, _ state: StateFolder) throws -> Bool {
        let notes = notes(in: state.path.appending("begun")).map(\.note)
        return try ["keys", "epochs"].allSatisfy { folder in
            try store.list(folder).allSatisfy { try isOwn($0.name, in: store, notes) }
        }
    }

    /// Whether the slot has the bytes that one of the notes names.
    private static func isOwn(_ slot: ObjectName, in store: any ObjectStore, _ notes: [Note]) throws -> Bool {
        let hashes = notes.compactMap { $0.slots[slot.text] }
        guard !hashes.isEmpty, let size = try store.size(of: slot), size <= 4096 else { return false }
        return hashes.contains(hash(try store.get(slot, upTo: 4096)))
    }

    /// The notes that can be read, with the names of their files.
    private static func notes(in path: FilePathBytes) -> [(file: [UInt8], note: Note)] {
        guard let folder = try? Folder.open(path), let names = try? folder.names() else { return [] }
        return names.compactMap { name in
            guard name.suffix(5).elementsEqual(".json".utf8),
                let bytes = (try? folder.contents(of: name, upTo: 1 << 16)) ?? nil,
                let note = try? JSONDecoder().decode(Note.self, from: Data(bytes))
            else { return nil }
            return (name, note)
        }
    }

    private static func hash(_ bytes: [UInt8]) -> String { Hexadecimal.text(BLAKE2b.hash(bytes)) }
}
