package import CueBase
package import CueCrypto
package import CueLibrary
package import CueSodium
import CueStorage
package import CueSystem
package import CueVault

/// `cue init`: ties a folder to a vault, which it makes or joins.
package struct Initialization: Sendable {
    /// A vault was made and its recovery code shown, but the folder could not be tied to it, for this cause.
    package struct NotTied: Error {
        /// The error that stopped it.
        package let cause: any Error

        /// Memberwise.
        package init(cause: any Error) { self.cause = cause }
    }

    /// The result of a `cue init`.
    package struct Created: Sendable {
        /// The id of the vault.
        package let vault: VaultID
        /// The id of the library.
        package let library: LibraryID
        /// The folder of the library, with links resolved.
        package let path: FilePathBytes
        /// The recovery code of a new vault, which is shown once and stored nowhere; nil if an existing vault was
        /// joined.
        package let recoveryCode: RecoveryCode?
        /// The name of this device for people.
        package let device: String
        /// The number of documents that the vault has already.
        package let documents: Int
        /// The number of snapshots that this device had seen and that the vault does not have, where it accepted that.
        package var snapshotsGone: Int?
    }

    /// The finding of `look` at the vault's place.
    package enum Place: Sendable {
        case vault, nothing
        /// The vault of this folder, which was at another place before.
        case moved(from: String)

        /// Whether a vault can be made there.
        package var isFree: Bool { if case .nothing = self { true } else { false } }
    }

    /// The vault of a folder is at a new place, which this device and the folder's marker know now.
    package struct Moved: Sendable {
        /// The id of the vault.
        package let vault: VaultID
        /// The id of the library.
        package let library: LibraryID
        /// The folder of the library, with links resolved.
        package let path: FilePathBytes
        /// The name of this device for people.
        package let device: String
    }

    private let folder: FilePathBytes
    private let location: VaultLocation
    private let device: String?
    private let remember: Bool
    private let state: StateFolder
    private let surroundings: Surroundings
    private let open: VaultLocation.Opening

    /// `device`: the name of this device for people; nil keeps the remembered name, or takes the host's. `remember`:
    /// whether this device keeps the vault's key.
    package init(
        _ folder: FilePathBytes, _ location: VaultLocation, device: String?, remember: Bool, state: StateFolder,
        surroundings: Surroundings = .system, open: @escaping VaultLocation.Opening
    ) {
        (self.folder, self.location, self.device) = (folder, location, device)
        (self.remember, self.state, self.open) = (remember, state, open)
        self.surroundings = surroundings
    }

    /// Checks folder and place, before a person is asked for a passphrase. Changes nothing.
    ///
    /// Throws `LibraryError.folderMissing` or `notAFolder`, `VaultError.notEmpty` if the place has other content, and an `EngineError`
    /// if folder, vault and state folder lie in one another, or the folder is tied already.
    package func look() throws -> Place {
        guard let root = folder.resolved(), let info = try root.info() else {
            throw LibraryError.folderMissing(folder.description)
        }
        guard info.kind == .folder else { throw LibraryError.notAFolder(folder.description) }
        if let vault = location.folder?.resolvedAsFarAsThere() {
            if vault.isAtOrBelow(root) { throw EngineError.vaultInsideLibrary }
            if root.isAtOrBelow(vault) { throw EngineError.libraryInsideVault }
            try vault.refuseForVault()
        }
        try OpenLibrary.refuse(state, inside: root)
        let marker = try LibraryMarker(in: try Folder.open(root))
        // What is in a library is stored with it already, and would be stored twice.
        if marker == nil, let around = try OpenLibrary.root(around: root) {
            throw EngineError.insideLibrary(root.description, library: around.description)
        }
        let place = try lookAtPlace()
        if let marker, marker.vault != location.stored {
            // The same vault at another place: a disk with a new mount point, a folder with a new name.
            guard case .vault = place, try isOwnVault(of: marker) else {
                throw EngineError.alreadyLibrary(vault: marker.vault)
            }
            return .moved(from: marker.vault)
        }
        // A disk that is not connected leaves no folder at its mount point, or an empty one.
        if marker != nil, case .nothing = place { throw EngineError.vaultAway(location.description) }
        return place
    }

    /// Whether the vault at the place is the one that this device knows for the library.
    private func isOwnVault(of marker: LibraryMarker) throws -> Bool {
        guard let memory = try state.openFolder("libraries", marker.library.description),
            try memory.info(of: Array("store.db".utf8)) != nil
        else { return false }
        let own = try LocalStore(in: state.library(marker.library)).read { try $0.value(.vault) }
        return try own == Vault.id(in: open(location, "look").objects)
    }

    /// Notes the new place of the vault. Its seals are checked as always when it is opened.
    package func move() throws -> Moved {
        let library = try OpenLibrary(at: folder, state: state, surroundings: surroundings)
        let lock = try library.lock()
        return try withExtendedLifetime(lock) {
            var marker = library.marker
            let old = marker.vault
            marker.vault = location.stored
            try library.store.write { try marker.takeFirst(location, before: old, $0) }
            // A watcher looks when the marker changes, and then finds the place accepted.
            try library.with(marker: marker).acceptPlace()
            try marker.write(in: library.root)
            return Moved(
                vault: try Vault.id(in: open(location, "look").objects), library: marker.library, path: library.path,
                device: try library.device().name)
        }
    }

    private func lookAtPlace() throws -> Place {
        if let path = location.folder {
            guard let there = try path.info() else { return .nothing }
            guard there.kind == .folder else { throw VaultError.notEmpty }
        }
        let objects = try open(location, "look").objects
        do {
            _ = try Vault.id(in: objects)
            return .vault
        } catch VaultError.notAVault {
            if let path = location.folder { try proveFree(path, objects) } else { try proveFree(objects) }
            return .nothing
        }
    }

    /// Throws unless a folder without a vault is empty, or has only what killed runs of this device left.
    private func proveFree(_ path: FilePathBytes, _ objects: any ObjectStore) throws {
        let names = try Folder.open(path).names().map { String(decoding: $0, as: UTF8.self) }
        if names.allSatisfy({ ["keys", "epochs", "tmp"].contains($0) }) {
            guard try BegunVaults.leftOnlyKeys(in: objects, at: path, state) else { throw EngineError.unfinishedVault }
        } else if !names.allSatisfy({ $0 == "lost+found" }) {
            throw VaultError.notEmpty
        }
    }

    /// The same for a place on a service. Half a copy of a vault stands there without `vault.json` too.
    private func proveFree(_ objects: any ObjectStore) throws {
        for folder in ["packs", "log", "checkpoints", "events"] {
            guard try objects.list(folder, after: nil).entries.isEmpty else { throw VaultError.notEmpty }
        }
        guard try BegunVaults.leftOnlyKeys(in: objects, state) else { throw EngineError.unfinishedVault }
    }

    /// Makes the vault and ties the folder to it. Writes every part and calls `show` with the recovery code before it
    /// completes the vault: a failure leaves nothing, or a vault whose code was shown.
    ///
    /// Throws `NotTied` if the vault is complete and only the folder could not be tied to it.
    package func create(
        passphrase: SecretBytes, derivation: KeyDerivation, show: (Created) throws -> Void
    ) throws -> Created {
        guard passphrase.count > 0 else { throw EngineError.emptyPassphrase }
        let code = RecoveryCode.random()
        let new = try NewVault(
            slots: [(.passphrase(passphrase), "passphrase"), (.recoveryCode(code), "recovery code")],
            at: surroundings.clock.now, derivation: derivation)
        let begun = try BegunVaults(in: state, surroundings.cancellation, open: open)
        let tie = try LibraryTie(folder, location, state, surroundings)
        let created = Created(
            vault: new.key.vault, library: tie.marker.library, path: tie.path, recoveryCode: code,
            device: try tie.deviceName(device), documents: 0)
        let vault: Vault
        do {
            vault = try write(new, begun, tie) { try show(created) }
        } catch {
            tie.takeBack()
            throw error
        }
        do { _ = try tie.finish(vault, device: device, remember: remember) } catch {
            throw NotTied(cause: error)
        }
        begun.forget(new.key.vault)
        return created
    }

    private func write(
        _ new: NewVault, _ begun: BegunVaults, _ tie: LibraryTie, show: () throws -> Void
    ) throws -> Vault {
        do { try location.folder?.makeFolders(mode: 0o755) } catch {
            throw StorageError(error, of: location.description)
        }
        let storage = try open(location, "init")
        // Another `init` may have made a vault while the passphrase was typed.
        guard case .nothing = try look() else { throw StorageError.alreadyThere("vault.json") }
        try begun.clear(storage.objects, at: location)
        try begun.note(new, at: location, writer: storage.objects.writer)
        try surroundings.cancellation.throwIfRequested()
        let vault = try new.write(to: storage) {
            try surroundings.cancellation.throwIfRequested()
            try show()
        }
        return vault
    }

    /// Ties the folder to an existing vault. `acceptOlder`: forgets what this device remembers of a newer state of the
    /// vault.
    package func join(_ vault: Vault, acceptOlder: Bool) throws -> Created {
        // A checkpoint would sum up commits that this device may never have seen.
        let history = try acceptOlder ? History.load(vault) : History.loadLatest(vault)
        let documents = history.state().live.count { $0.shown.header.kind.isDocument }
        let tie = try LibraryTie(folder, location, state, surroundings)
        let gone = try acceptOlder ? tie.snapshotsGone(from: history, vault) : nil
        let library = try tie.finish(
            vault, device: device, remember: remember, acceptingOlder: acceptOlder ? history : nil,
            shutOut: Set(history.devicesShutOut.map(\.what.device)))
        try BegunVaults(in: state, surroundings.cancellation, open: open).forget(vault.id)
        return Created(
            vault: vault.id, library: library.marker.library, path: library.path, recoveryCode: nil,
            device: try library.device().name, documents: documents, snapshotsGone: gone)
    }
}
