package import CueBase
package import CueCrypto
package import CueLibrary
package import CueSodium
import CueStorage
package import CueSystem
package import CueVault

/// `cue init`: ties a folder to a vault that is made or joined.
package struct Initialization: Sendable {
    package struct Created: Sendable {
        package let vault: VaultID
        package let library: LibraryID
        package let path: FilePathBytes
        /// Shown once, kept nowhere; nil when an existing vault was joined.
        package let recoveryCode: RecoveryCode?
        package let device: String
        /// Documents that the vault holds already.
        package let documents: Int
    }

    /// What stands where the vault shall be.
    package enum Place: Sendable { case vault, nothing }

    private let folder: FilePathBytes
    private let location: VaultLocation
    private let device: String?
    private let remember: Bool
    private let state: StateFolder

    /// `device`: what this one is called; nil where nothing is said, and its old name stays.
    package init(
        _ folder: FilePathBytes, _ location: VaultLocation, device: String?, remember: Bool, state: StateFolder
    ) {
        (self.folder, self.location, self.device) = (folder, location, device)
        (self.remember, self.state) = (remember, state)
    }

    /// Checks folder and place before anybody is asked for a passphrase. Changes nothing.
    package func look() throws -> Place {
        guard let root = folder.resolved(), let info = try root.info() else {
            throw LibraryError.folderMissing(folder.description)
        }
        guard info.kind == .folder else { throw LibraryError.folderMissing(folder.description) }
        let vault = location.path.resolvedAsFarAsThere()
        if vault.isAtOrBelow(root) { throw EngineError.vaultInsideLibrary }
        if root.isAtOrBelow(vault) { throw EngineError.libraryInsideVault }
        try OpenLibrary.refuse(state, inside: root)
        if let marker = try LibraryMarker(in: try Folder.open(root)), marker.vault != location.stored {
            throw EngineError.alreadyLibrary(vault: marker.vault)
        }
        guard let there = try location.path.info() else { return .nothing }
        guard there.kind == .folder else { throw VaultError.notEmpty }
        let store = try location.open(writerName: "look")
        do {
            _ = try Vault.id(in: store)
            return .vault
        } catch VaultError.notAVault {
            let isBegun = try store.holdsOnly(["keys", "tmp"])
            if isBegun, try !BegunVaults.leftOnlyKeys(in: store, at: location, state) {
                throw EngineError.unfinishedVault
            }
            guard try isBegun || store.isEmpty() else { throw VaultError.notEmpty }
            return .nothing
        }
    }

    /// Makes the vault and ties the folder to it. Everything that can fail is tried, and `show` has shown the recovery code, before
    /// the vault counts as one: a failure leaves nothing, or a vault whose code was shown.
    package func create(
        passphrase: SecretBytes, derivation: KeyDerivation, show: (Created) throws -> Void
    ) throws -> Created {
        guard passphrase.count > 0 else { throw EngineError.emptyPassphrase }
        let code = RecoveryCode.random()
        let new = try NewVault(
            slots: [(.passphrase(passphrase), "passphrase"), (.recoveryCode(code), "recovery code")],
            at: Environment.now, derivation: derivation)
        let begun = try BegunVaults(in: state)
        let tie = try LibraryTie(folder, location, state)
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
            throw EngineError.notTied(error)
        }
        begun.forget(new.key.vault)
        return created
    }

    private func write(
        _ new: NewVault, _ begun: BegunVaults, _ tie: LibraryTie, show: () throws -> Void
    ) throws -> Vault {
        do { try location.path.makeFolders(mode: 0o755) } catch {
            throw DirectoryStore.error(error, location.description)
        }
        let store = try location.open(writerName: "init")
        // Meanwhile another `init` may have been here, while a passphrase was typed.
        guard try look() == .nothing else { throw StorageError.alreadyThere("vault.json") }
        try begun.clear(store, at: location)
        try begun.note(new, at: location, writer: store.writer)
        try Interruption.throwIfRequested()
        let vault = try new.write(to: store) {
            try Interruption.throwIfRequested()
            try show()
        }
        return vault
    }

    /// Ties the folder to a vault that is there.
    package func join(_ vault: Vault, acceptOlder: Bool) throws -> Created {
        let documents = try History.loadLatest(vault).state().live.count { $0.shown.header.kind.isDocument }
        let tie = try LibraryTie(folder, location, state)
        let library = try tie.finish(vault, device: device, remember: remember, forgetting: acceptOlder)
        try BegunVaults(in: state).forget(vault.id)
        return Created(
            vault: vault.id, library: library.marker.library, path: library.path, recoveryCode: nil,
            device: try library.device().name, documents: documents)
    }
}
