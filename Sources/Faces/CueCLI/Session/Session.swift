import CueBase
import CueCrypto
import CueEngine
import CueLibrary
import CueSodium
import CueStorage
import CueSystem
import CueTerminal
import CueVault

/// A vault that a command has opened, and its library if the command has one.
struct Session {
    let vault: Vault
    /// nil if the vault was named by its place alone.
    let library: OpenLibrary?
    /// Where the vault was opened.
    let location: VaultLocation
    /// True if this is another place of the library's vault, opened in place of its own.
    var standsIn = false
    /// How many commits the vault lacks that this device has seen, if that was looked up.
    var missing = 0

    /// Whether it is the library's vault in its usual place, and not a copy of it elsewhere.
    var isOwnVault: Bool {
        standsIn || library?.vaultPlace == location
    }

    /// What the engine works on the vault with.
    func context(_ reporter: any Reporter = SilentReporter()) -> VaultContext {
        VaultContext(vault, reporter: reporter, surroundings: library?.surroundings ?? .system)
    }

    /// What the engine works on the library and its vault with; nil if there is no library.
    func libraryContext(_ reporter: any Reporter) -> EngineContext? {
        library.map { EngineContext($0, vault, reporter: reporter) }
    }

    /// Opens the vault that the options name. `folder` names a library. Throws `CueError`.
    static func open(_ options: VaultOptions, folder: String? = nil, for purpose: Purpose = .store) throws -> Session {
        try open(vault: options.vault, library: folder ?? options.library, options.secret, for: purpose)
    }

    /// The same for a command that shows what the vault holds. It warns if this is less than the device has seen.
    static func openToRead(_ options: VaultOptions) throws -> Session {
        var session = try open(options, for: .read)
        session.missing = try session.run { try $0.commitsLost() }
        session.warn(ofLost: session.missing)
        return session
    }

    /// Warns if the vault, or a copy of it, lacks commits that this device has seen.
    func warnOfOlderVault() throws { warn(ofLost: try commitsLost()) }

    /// The number of those commits.
    private func commitsLost() throws -> Int {
        if let library { return try OlderVault.commitsLost(by: vault, since: library) }
        return try OlderVault.commitsLost(by: vault, knownIn: StateFolder.standard())
    }

    private func warn(ofLost missing: Int) {
        guard missing > 0 else { return }
        // Also for a program: nothing in the object would say so.
        Output(json: false, quiet: false).warning(
            isOwnVault ? PackWords.older(missing) : PackWords.olderCopy(missing))
    }

    /// The same with single values. Asks for a passphrase if this device does not remember the key, or if
    /// the keys were changed and its slot was removed.
    static func open(
        vault: String?, library folder: String?, _ secret: SecretOptions, for purpose: Purpose = .store
    ) throws -> Session {
        let state = try StateFolder.standard()
        if let vault, folder == nil {
            return try open(VaultLocation(vault), library: nil, secret, state, for: purpose)
        }
        let library = try openLibrary(folder, state)
        func opened(_ place: VaultLocation) throws -> Session {
            try open(place, library: library, secret, state, for: purpose)
        }
        if let vault { return try opened(VaultLocation(vault)) }
        let location = try place(of: library)
        if purpose == .read, let near = try openNearest(library, opened) { return near }
        do { return try opened(location) } catch let error as CueError
            where error.outcome == .unreachable || error.isOfFullVault
        {
            if purpose != .check, let other = try openElsewhere(library, insteadOf: error, for: purpose, opened) {
                return other
            }
            guard error.outcome == .unreachable, let found = FoundVault(of: library),
                try !LibraryPlaces.all(of: library).contains(found.place)
            else {
                throw error.hinting(atPlacesOf: library, for: purpose)
            }
            return try open(found.place, library: found.accepted(insteadOf: error), secret, state, for: purpose)
        }
    }

    /// The place of a library's vault. If the marker names a new place, a person is asked whether to accept it. Throws
    /// `EngineError.vaultMoved` if asking is not possible.
    static func place(of library: OpenLibrary) throws -> VaultLocation {
        do { return try library.vaultLocation() } catch EngineError.vaultMoved(let old, let new, _)
            where Asking.isAllowed
        {
            Output.complain(
                "\(library.path)/.cue/library.toml names another place for the vault than before: \(new), and not \(old)."
            )
            guard
                Output.ask("Go on with the vault at \(new), from now on? [y] yes  [n] no: ")?.lowercased().hasPrefix(
                    "y") == true
            else {
                throw CueError(.failed, "the vault at \(new) was not accepted; nothing was done")
            }
            try library.acceptPlace()
            return try library.vaultLocation()
        }
    }

    /// Opens the library in a folder, or the one around the current folder. Throws `CueError` if there is none.
    static func openLibrary(_ folder: String?, _ state: StateFolder) throws -> OpenLibrary {
        if let folder {
            let path = FilePathBytes(ArgumentBytes.bytes(folder))
            do { return try OpenLibrary(at: path, state: state) } catch LibraryError.notALibrary(let name) {
                guard let around = try OpenLibrary.root(around: path) else { throw LibraryError.notALibrary(name) }
                throw EngineError.insideLibrary(name, library: around.description)
            }
        }
        guard let here = currentFolder(), let root = try OpenLibrary.root(around: here) else {
            throw CueError(
                .usage, "no library is named, and the current folder is in none",
                "name the folder (with --library, where a command takes names), or change into it; `cue init FOLDER --vault WHERE` makes a folder a library"
            )
        }
        return try OpenLibrary(at: root, state: state)
    }

    /// Opens the vault at one place.
    static func open(
        _ location: VaultLocation, library: OpenLibrary?, _ secret: SecretOptions, _ state: StateFolder,
        for purpose: Purpose
    ) throws -> Session {
        do {
            let storage = try location.open(
                writerName: try library?.device().id.description ?? "cue", isCached: purpose != .check)
            let id = try id(in: storage.objects, isKnown: library != nil, location)
            if let library, let own = try library.store.read({ try $0.value(.vault) }), own != id {
                throw EngineError.otherVault(location.description)
            }
            let known = try state.keyRing(of: id)
            if let known {
                let vault = Vault(storage, ring: known)
                if try vault.readEpochs().later.isSubset(of: known.passedOver) {
                    return Session(vault: vault, library: library, location: location)
                }
                Asking.warn(KeyWords.changedElsewhere)
            }
            let vault = try Secrets.opening(secret, location) { try Vault.open(storage, with: $0) }
            if let known { vault.adopt(known) }
            if known != nil || library?.marker.rememberKey ?? false { try state.remember(vault.keyRing) }
            return Session(vault: vault, library: library, location: location)
        } catch {
            throw CueError.describing(error, vault: location.description)
        }
    }

    /// Opens the vault again with known keys: its disk may have gone and come back. Throws if another vault is in its
    /// place.
    static func reopen(_ location: VaultLocation, _ ring: KeyRing, _ library: OpenLibrary) throws -> Vault {
        let storage = try location.open(writerName: try library.device().id.description)
        let id = try id(in: storage.objects, isKnown: true, location)
        guard id == ring.key.vault else { throw EngineError.otherVault(location.description) }
        // Another command may have learned more since.
        return Vault(storage, ring: try library.state.keyRing(of: id) ?? ring)
    }

    /// Looks whether a vault that was older than what this device has seen is current again, where it is there and needs
    /// no passphrase; a status would call it damaged until the next backup.
    static func lookAgain(atOlderVaultOf library: OpenLibrary, _ state: StateFolder) {
        guard OlderVault.isKnown(of: library), let location = try? library.vaultLocation(),
            let known = try? library.store.read({ try $0.value(.vault) }), let ring = try? state.keyRing(of: known),
            let vault = try? reopen(location, ring, library)
        else { return }
        try? OlderVault.forget(ifCurrent: vault, in: library)
    }

    /// The id of the vault. For a known vault, an empty folder in its place is a disk that is not mounted.
    static func id(in store: any ObjectStore, isKnown: Bool, _ location: VaultLocation) throws -> VaultID {
        do { return try Vault.id(in: store) } catch VaultError.notAVault where isKnown {
            throw EngineError.vaultNotInFolder(location.description)
        }
    }

    /// Runs a command's work. Errors become `CueError` and name this vault.
    func run<Result>(_ body: (Session) throws -> Result) throws -> Result {
        do { return try body(self) } catch VaultError.missing where missing > 0 {
            // It stands in a commit that an older vault does not have: that is no damage.
            throw CueError.describing(VaultError.wentBack(missing: missing), vault: location.description)
        } catch {
            var error = CueError.describing(error, vault: location.description)
            if error.outcome == .damaged, let hint = mendHint { error.hints.insert(hint, at: 0) }
            throw error
        }
    }
}
