import CueBase
package import CueCrypto
package import CueLibrary
package import CueSodium
import CueStorage
package import CueSystem
package import CueVault

/// `cue init`: ties a folder to a vault that is made or joined.
package enum Setup {
    package struct Created: Sendable {
        package let vault: Vault
        package let library: OpenLibrary
        /// Printed once, kept nowhere; nil when an existing vault was joined.
        package let recoveryCode: RecoveryCode?
        package let device: String
        /// Documents that the vault holds already.
        package let documents: Int
    }

    /// What stands where the vault shall be.
    package enum Place: Sendable { case vault, nothing }

    /// Checks folder and place before anybody is asked for a passphrase. Changes nothing.
    package static func look(_ folder: FilePathBytes, _ location: VaultLocation) throws -> Place {
        guard let root = folder.resolved(), let info = try root.info() else {
            throw LibraryError.folderMissing(folder.description)
        }
        guard info.kind == .folder else { throw LibraryError.folderMissing(folder.description) }
        let vault = location.path.resolvedAsFarAsThere()
        if vault.isAtOrBelow(root) { throw EngineError.vaultInsideLibrary }
        if root.isAtOrBelow(vault) { throw EngineError.libraryInsideVault }
        try OpenLibrary.refuse(StateFolder.standard(), inside: root)
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
            if isBegun, try holdsKeys(location) { throw EngineError.unfinishedVault }
            guard try isBegun || store.isEmpty() else { throw VaultError.notEmpty }
            return .nothing
        }
    }

    /// Whether anything is where key slots are, by no matter which name: sync services bring them under names of their own.
    private static func holdsKeys(_ location: VaultLocation) throws -> Bool {
        let keys = location.path.appending("keys")
        guard let info = try keys.info() else { return false }
        return try info.kind != .folder || !Folder.open(keys).names().isEmpty
    }

    /// Makes the vault and ties the folder to it. `device`: what this one is called; nil where nobody says, and its old name stays.
    package static func create(
        _ folder: FilePathBytes, _ location: VaultLocation, passphrase: SecretBytes, device: String?, remember: Bool,
        state: StateFolder, derivation: KeyDerivation
    ) throws -> Created {
        guard passphrase.count > 0 else { throw EngineError.emptyPassphrase }
        do { try location.path.makeFolders(mode: 0o755) } catch {
            throw DirectoryStore.error(error, location.description)
        }
        let store = try location.open(writerName: "init")
        let code = RecoveryCode.random()
        let vault = try Vault.create(
            in: store, slots: [(.passphrase(passphrase), "passphrase"), (.recoveryCode(code), "recovery code")],
            at: Environment.now, derivation: derivation)
        let library = try tie(folder, location, vault, device, remember, state)
        return Created(
            vault: vault, library: library, recoveryCode: code, device: try library.device().name, documents: 0)
    }

    /// Ties the folder to a vault that is there.
    package static func join(
        _ folder: FilePathBytes, _ location: VaultLocation, _ vault: Vault, device: String?, remember: Bool,
        acceptOlder: Bool,
        state: StateFolder
    ) throws -> Created {
        let documents = try History.loadLatest(vault).state().live.count { $0.shown.header.kind.isDocument }
        let library = try tie(folder, location, vault, device, remember, state, forgetting: acceptOlder)
        return Created(
            vault: vault, library: library, recoveryCode: nil, device: try library.device().name, documents: documents)
    }

    private static func tie(
        _ folder: FilePathBytes, _ location: VaultLocation, _ vault: Vault, _ name: String?, _ remember: Bool,
        _ state: StateFolder, forgetting: Bool = false
    ) throws -> OpenLibrary {
        guard let path = folder.resolved() else { throw LibraryError.folderMissing(folder.description) }
        let root = try Folder.open(path)
        var generator = SodiumGenerator()
        var marker =
            try LibraryMarker(in: root) ?? LibraryMarker(library: .random(using: &generator), vault: location.stored)
        let known = try state.library(marker.library).appending("store.db").info() != nil
        if known, let other = try lastPath(of: marker.library, state), other != Display.text(path.bytes),
            FilePathBytes(Display.bytes(other)).resolved() != nil
        {
            // A copied folder that is given a library of its own.
            marker.library = .random(using: &generator)
        }
        marker.rememberKey = remember
        try state.library(marker.library).makeFolders()
        let store = try LocalStore(in: state.library(marker.library))
        try store.write { transaction in
            // What this device remembers of another vault, or of a newer state, is thrown away, and read from what is there.
            if try forgetting || transaction.text("vault") != vault.id.description {
                try transaction.forgetVault()
            }
            if try transaction.text("device") == nil {
                // For a person it is the device that it was.
                let name = try name ?? transaction.text("device name") ?? Environment.hostName
                try transaction.set(
                    OpenLibrary.Device(id: .random(using: &generator), name: name, generation: 0, commit: .none))
            }
            try transaction.set("path", Display.text(path.bytes))
            try transaction.set("vault", vault.id.description)
        }
        if remember { try state.remember(vault.key.secret, of: vault.id) } else { try state.forgetKey(of: vault.id) }
        try marker.write(in: root)
        return OpenLibrary(path: path, root: root, marker: marker, store: store, state: state)
    }

    private static func lastPath(of library: LibraryID, _ state: StateFolder) throws -> String? {
        try LocalStore(in: state.library(library)).read { try $0.text("path") }
    }
}
