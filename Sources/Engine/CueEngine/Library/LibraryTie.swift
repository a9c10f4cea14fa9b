import CueBase
import CueCrypto
import CueLibrary
import CueSearch
import CueSodium
import CueStorage
import CueSystem
import CueVault

/// Ties a folder to a vault, by a marker in the folder and a local store. `init` proves that both can be written.
struct LibraryTie {
    let path: FilePathBytes
    private(set) var marker: LibraryMarker
    private let location: VaultLocation
    private let root: Folder
    private let store: LocalStore
    private let state: StateFolder
    private let surroundings: Surroundings
    /// Whether this device had no local store for the library before.
    private let isNew: Bool

    init(
        _ folder: FilePathBytes, _ location: VaultLocation, _ state: StateFolder, _ surroundings: Surroundings
    ) throws {
        guard let path = folder.resolved() else { throw LibraryError.folderMissing(folder.description) }
        (self.path, self.location, self.state, self.surroundings) = (path, location, state, surroundings)
        root = try Folder.open(path)
        var generator = surroundings.randomness
        marker =
            try LibraryMarker(in: root) ?? LibraryMarker(library: .random(using: &generator), vault: location.stored)
        var known = try Self.isKnown(marker.library, state)
        if known, let other = try Self.lastPath(of: marker.library, state), other != Display.text(path.bytes),
            marker.stands(at: FilePathBytes(Display.bytes(other)))
        {
            // The library still stands at its last known path, so this folder is a copy, and becomes a library of its
            // own.
            marker.library = .random(using: &generator)
            known = false
        }
        isNew = !known
        try state.makeFolder(of: marker.library)
        store = try LocalStore(in: state.library(marker.library))
        try store.write { try $0.set(.path, to: Display.text(path.bytes)) }
        do throws(SystemError) { try marker.tryWriting(in: root) } catch {
            guard error.isNoPermission || error.isReadOnly else { throw error }
            throw LibraryError.folderNotWritable(path.description, error)
        }
    }

    private static func isKnown(_ library: LibraryID, _ state: StateFolder) throws -> Bool {
        try state.library(library).appending("store.db").info() != nil
    }

    private static func lastPath(of library: LibraryID, _ state: StateFolder) throws -> String? {
        try LocalStore(in: state.library(library)).read { try $0.value(.path) }
    }

    /// The name of this device for people: the given one, else the remembered one, else the host's.
    func deviceName(_ name: String?) throws -> String {
        try name ?? store.read { try $0.value(.deviceName) } ?? Environment.hostName
    }

    /// Notes the vault in the local store, writes the marker, and returns the library. `remember`: whether this device
    /// keeps the vault's key. `older`: the whole history of the vault, if this device accepts an older
    /// state. `shutOut`: devices that were shut out.
    func finish(
        _ vault: Vault, device name: String?, remember: Bool, acceptingOlder older: History? = nil,
        shutOut: Set<DeviceID> = []
    ) throws -> OpenLibrary {
        // A watcher may be in the middle of a round, and note the device's id at its end.
        let lock = try LibraryLock(in: state.library(marker.library), surroundings.cancellation)
        return try withExtendedLifetime(lock) {
            try tie(vault, device: name, remember: remember, older, shutOut)
        }
    }

    /// The number of snapshots that this device has seen in this vault and that its log does not list now.
    func snapshotsGone(from history: History, _ vault: Vault) throws -> Int {
        try store.read { store in
            guard try store.value(.vault) == vault.id else { return 0 }
            return try store.seen().count { !history.listed.contains($0.commit) }
        }
    }

    private func tie(
        _ vault: Vault, device name: String?, remember: Bool, _ older: History?, _ shutOut: Set<DeviceID>
    ) throws -> OpenLibrary {
        var marker = marker
        marker.rememberKey = remember
        let deviceName = try deviceName(name)
        try store.write { transaction in
            // Drop what this device remembers of another vault, or of a newer state of this one; the next run reads the
            // vault as it is.
            if try older != nil || transaction.value(.vault) != vault.id {
                let bases = try older.map { try OlderBases(transaction, $0, vault) }
                try transaction.forgetVault()
                try bases?.save(transaction)
            }
            // A device that was shut out goes on under a new id, with what it knows of the vault.
            if let seed = try transaction.value(.deviceSeed),
                shutOut.contains(DeviceKey(seed: seed, vault: vault.id).id)
            {
                try transaction.set(.deviceSeed, to: nil)
                // Of its batches of events some may be set aside: the new device stores all of its events again.
                try transaction.forgetEventsOfVault()
                try transaction.set(nil, as: .historyProblem)
            }
            if try transaction.value(.deviceSeed) == nil {
                var random = surroundings.randomness
                try transaction.set(
                    OpenLibrary.Device(seed: DeviceKey.newSeed(using: &random), of: vault.id, name: deviceName))
            }
            // The further places are those of the vault that the library had.
            if try transaction.value(.vault) != vault.id { try marker.forgetPlaces(transaction) }
            try marker.takeFirst(location, before: marker.vault, transaction)
            marker.vault = location.stored
            try transaction.set(.vault, to: vault.id)
            try transaction.set(.place, to: location.stored)
        }
        if remember {
            try state.remember(vault.keyRing, acceptOlder: older != nil)
        } else {
            try state.forgetKey(of: vault.id)
            // They hold the text of all versions, also those of other libraries with this vault.
            for folder in state.libraryFolders() + [state.library(marker.library)]
            where SearchIndex.vault(in: folder) == vault.id.description {
                SearchIndex.remove(in: folder)
            }
            SearchIndex.remove(in: state.library(marker.library))
        }
        try marker.write(in: root)
        let library = OpenLibrary(
            path: path, root: root, marker: marker, store: store, state: state, surroundings: surroundings)
        _ = try KeyWatch(EngineContext(library, vault)).look()
        return library
    }

    /// Undoes `init`: removes the tried marker, and the local store if it is new.
    func takeBack() {
        LibraryMarker.takeBackTry(in: root)
        if isNew { state.removeFolder(of: marker.library) }
    }
}
