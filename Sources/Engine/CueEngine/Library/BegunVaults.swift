import CueBase
import CueCrypto
import CueLibrary
import CueSodium
import CueStorage
import CueSystem
import CueVault
import Foundation

/// The vaults that this device has begun to make. A `cue init` that is killed leaves key slots without `vault.json`; by these notes
/// the next one tells them from slots of others, which it never touches.
struct BegunVaults {
    private struct Note: Codable {
        var place: String
        /// Names files under `tmp/` that a killed run leaves.
        var writer: String
        /// The hash of each slot by its name.
        var slots: [String: String]
    }

    private let folder: Folder
    private let path: FilePathBytes
    /// One process at a time makes vaults: what another has just written is no left-over.
    private let lock: LibraryLock

    /// Waits while another process makes a vault.
    init(in state: StateFolder, _ cancellation: Cancellation, open: VaultLocation.Opening) throws {
        path = try state.makeFolder("begun")
        folder = try Folder.open(path)
        lock = try LibraryLock(in: path, cancellation)
        try sweep(open)
    }

    /// Notes what is about to be written, durably.
    func note(_ new: NewVault, at location: VaultLocation, writer: String) throws {
        let slots = new.slots.map { ($0.name.text, Self.hash($0.bytes)) }
        let note = Note(place: location.stored, writer: writer, slots: Dictionary(uniqueKeysWithValues: slots))
        try folder.replace("\(new.key.vault).json", with: Array(try JSONEncoder().encode(note)), mode: 0o600)
    }

    func forget(_ vault: VaultID) { try? folder.remove(Array("\(vault).json".utf8)) }

    /// Removes from a store without `vault.json` what this device's killed runs left there.
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

    /// A vault that was completed is begun no more: its slots are never left-overs.
    private func sweep(_ open: VaultLocation.Opening) throws {
        // What was being written when a run was killed says nothing.
        for name in try folder.names() where name.suffix(4).elementsEqual(".new".utf8) { try folder.remove(name) }
        for (file, note) in Self.notes(in: path) {
            guard let storage = try? open(VaultLocation(stored: note.place), "look"),
                let vault = try? Vault.id(in: storage.objects), file == Array("\(vault).json".utf8)
            else { continue }
            try folder.remove(file)
        }
    }

    /// Whether all that lies where key slots are, by no matter which name, was left by this device; sync services bring slots under
    /// names of their own.
    static func leftOnlyKeys(in store: any ObjectStore, at path: FilePathBytes, _ state: StateFolder) throws -> Bool {
        let keys = path.appending("keys")
        guard let info = try keys.info() else { return true }
        guard info.kind == .folder else { return false }
        let notes = notes(in: state.path.appending("begun")).map(\.note)
        return try Folder.open(keys).names().allSatisfy { name in
            let text = String(decoding: name, as: UTF8.self)
            return try ObjectName(listed: "keys/\(text)").map { try isOwn($0, in: store, notes) } ?? false
        }
    }

    private static func isOwn(_ slot: ObjectName, in store: any ObjectStore, _ notes: [Note]) throws -> Bool {
        let hashes = notes.compactMap { $0.slots[slot.text] }
        guard !hashes.isEmpty, let size = try store.size(of: slot), size <= 4096 else { return false }
        return hashes.contains(hash(try store.get(slot, upTo: 4096)))
    }

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

    private static func hash(_ bytes: [UInt8]) -> String {
        BLAKE2b.hash(bytes).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
