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

    /// Whether it is the library's vault in its usual place, and not a copy of it elsewhere.
    var isOwnVault: Bool {
        let own = library.map { VaultLocation(stored: $0.marker.vault) }
        return own == location
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
    static func open(_ options: VaultOptions, folder: String? = nil) throws -> Session {
        try open(vault: options.vault, library: folder ?? options.library, options.secret)
    }

    /// The same for a command that shows what the vault holds. It warns if this is less than the device has seen.
    static func openToRead(_ options: VaultOptions) throws -> Session {
        let session = try open(options)
        try session.run { try $0.warnOfOlderVault() }
        return session
    }

    /// Warns if the library's vault lacks commits that its device has seen. A copy of the vault may be older.
    func warnOfOlderVault() throws {
        guard let library, isOwnVault else { return }
        let missing = try Check.commitsLost(by: vault, since: library)
        guard missing > 0 else { return }
        // Also for a program: nothing in the object would say so.
        Output(json: false, quiet: false).warning(PackWords.older(missing))
    }

    /// The same with single values. Asks for a passphrase if this device does not remember the key.
    static func open(vault: String?, library folder: String?, _ secret: SecretOptions) throws -> Session {
        let state = try StateFolder.standard()
        if let vault, folder == nil {
            return try open(VaultLocation(vault), library: nil, secret, state)
        }
        let library = try openLibrary(folder, state)
        let location = try vault.map { VaultLocation($0) } ?? place(of: library)
        return try open(location, library: library, secret, state)
    }

    /// The place of a library's vault. If the marker names a new place, a person is asked whether to accept it. Throws
    /// `EngineError.vaultMoved` if asking is not possible.
    static func place(of library: OpenLibrary) throws -> VaultLocation {
        do { return try library.vaultLocation() } catch EngineError.vaultMoved(let old, let new, _) where mayAsk {
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

    /// Whether questions may be asked. With `--json` and `--quiet` only a passphrase may be.
    static var mayAsk: Bool { ConflictPrompt.isPossible && !isForProgram && !hasArgument("--quiet", "-q") }
    private static var isForProgram: Bool { hasArgument("--json") }
    private static func hasArgument(_ names: String...) -> Bool { processArguments().contains { names.contains($0) } }

    /// Prints a warning before the command's own output exists.
    fileprivate static func warn(_ text: String) { Output(json: isForProgram, quiet: false).warning(text) }

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

    private static func open(
        _ location: VaultLocation, library: OpenLibrary?, _ secret: SecretOptions, _ state: StateFolder
    ) throws -> Session {
        do {
            let storage = try location.open(writerName: try library?.device().id.description ?? "cue")
            let id = try id(in: storage.objects, isKnown: library != nil, location)
            if let library, let own = try library.store.read({ try $0.value(.vault) }), own != id {
                throw EngineError.otherVault(location.description)
            }
            if let key = try state.key(of: id) {
                return Session(
                    vault: Vault(storage, key: VaultKey(key, vault: id)), library: library, location: location)
            }
            let vault = try Vault.open(storage, with: try Secrets.forOpening(secret, location))
            if let library, library.marker.rememberKey { try state.remember(vault.key.secret, of: id) }
            return Session(vault: vault, library: library, location: location)
        } catch {
            throw CueError.describing(error, vault: location.description)
        }
    }

    /// Opens the vault again with a known key: its disk may have gone and come back. Throws if another vault is in its
    /// place.
    static func reopen(_ location: VaultLocation, _ key: VaultKey, _ library: OpenLibrary) throws -> Vault {
        let storage = try location.open(writerName: try library.device().id.description)
        let id = try id(in: storage.objects, isKnown: true, location)
        guard id == key.vault else { throw EngineError.otherVault(location.description) }
        return Vault(storage, key: key)
    }

    /// The id of the vault. For a known vault, an empty folder in its place is a disk that is not mounted.
    static func id(in store: any ObjectStore, isKnown: Bool, _ location: VaultLocation) throws -> VaultID {
        do { return try Vault.id(in: store) } catch VaultError.notAVault where isKnown {
            throw EngineError.vaultNotInFolder(location.description)
        }
    }

    /// Runs a command's work. Errors become `CueError` and name this vault.
    func run<Result>(_ body: (Session) throws -> Result) throws -> Result {
        do { return try body(self) } catch { throw CueError.describing(error, vault: location.description) }
    }
}

/// Gets passphrases by option, variable, command or terminal. Without a terminal it never waits for input.
enum Secrets {
    /// The passphrase or recovery code of a vault. Throws `CueError` if there is none.
    static func forOpening(_ options: SecretOptions, _ location: VaultLocation) throws -> Secret {
        var bytes =
            try given(options) ?? ask("Passphrase or recovery code for \(location): ", orElse: KeyWords.notTried)
        defer { wipe(&bytes) }
        guard !bytes.isEmpty else { throw CueError(.wrongSecret, "the passphrase is empty; nothing was tried") }
        return Secret(bytes)
    }

    /// The passphrase for a new vault; typed twice on a terminal.
    static func forMaking(_ options: SecretOptions) throws -> SecretBytes {
        if var bytes = try given(options) {
            defer { wipe(&bytes) }
            try check(bytes)
            return SecretBytes(copying: bytes.span)
        }
        var first = try ask(
            "Choose a passphrase for the new vault (several words are best): ", orElse: KeyWords.notMade)
        defer { wipe(&first) }
        try check(first)
        var second = try ask("The same once more: ", orElse: KeyWords.notMade)
        defer { wipe(&second) }
        guard first == second else {
            throw CueError(.failed, "the two passphrases are not the same; nothing was made", "run the command again")
        }
        return SecretBytes(copying: first.span)
    }

    /// Throws unless the text can be a passphrase.
    private static func check(_ passphrase: [UInt8]) throws {
        guard !passphrase.isEmpty else { throw EngineError.emptyPassphrase }
        // It would be read as a recovery code wherever it is typed, and never tried as a passphrase.
        guard RecoveryCode(passphrase) == nil else {
            throw CueError(
                .usage, "this is a recovery code, and cannot be a passphrase", "choose several words instead")
        }
    }

    /// The first line of the file, variable or command; nil if none is given.
    private static func given(_ options: SecretOptions) throws -> [UInt8]? {
        if let file = options.passphraseFile {
            var bytes = try contents(of: FilePathBytes(ArgumentBytes.bytes(file)))
            defer { wipe(&bytes) }
            return firstLine(bytes)
        }
        if let bytes = Environment.bytes("CUE_PASSPHRASE") { return firstLine(bytes) }
        guard let command = Environment["CUE_PASSPHRASE_COMMAND"], !command.isEmpty else { return nil }
        guard let bytes = ShellCommand.output(of: command, upTo: 1 << 16) else {
            throw CueError(.wrongSecret, "the command in CUE_PASSPHRASE_COMMAND failed", "run it by hand to see why")
        }
        return firstLine(bytes)
    }

    /// The content of a passphrase file. Links and FIFOs are refused, as they may be anyone's; a file that others can
    /// read gives a warning.
    private static func contents(of path: FilePathBytes) throws -> [UInt8] {
        guard let folder = try? Folder.open(path.parent), let info = (try? folder.info(of: path.name)) ?? nil else {
            throw CueError(.failed, "the passphrase file \(path) cannot be read")
        }
        let way = "CUE_PASSPHRASE_COMMAND takes what a command prints, such as `cat`"
        switch info.kind {
        case .file: break
        case .symlink:
            throw CueError(
                .failed, "the passphrase file \(path) is a link, and not followed", "name the file that it leads to",
                way)
        case .folder: throw CueError(.failed, "the passphrase file \(path) is a folder")
        case .other(let what):
            throw CueError(.failed, "the passphrase file \(path) is \(what.words), and not read", way)
        }
        if info.mode & 0o077 != 0 {
            Session.warn(
                "others may read or change the passphrase file \(path) (mode \(String(info.mode, radix: 8))): `chmod 600` keeps them out"
            )
        }
        guard let bytes = (try? folder.contents(of: path.name, upTo: 1 << 16)) ?? nil else {
            throw CueError(.failed, "the passphrase file \(path) cannot be read")
        }
        return bytes
    }

    /// Without its line end, which may be CR LF.
    private static func firstLine(_ bytes: [UInt8]) -> [UInt8] {
        let line = Array(bytes.prefix { $0 != 0x0a })
        return line.last == 0x0d ? Array(line.dropLast()) : line
    }

    /// Asks on the terminal without an echo. Throws `CueError` if there is no terminal, and if the person ends the
    /// question with Ctrl-C or Ctrl-D. `stopped`: the sentence for that.
    private static func ask(_ question: String, orElse stopped: String) throws -> [UInt8] {
        guard Environment.isTerminal(0), Terminal.isThere else {
            try Interruption.throwIfRequested()
            throw CueError(
                .wrongSecret, "a passphrase is needed, and there is no terminal to ask on",
                "give it with --passphrase-file, CUE_PASSPHRASE or CUE_PASSPHRASE_COMMAND")
        }
        guard let answer = Terminal.askSecretly(question) else {
            throw CueError(Interruption.isRequested ? .interrupted : .wrongSecret, stopped)
        }
        return answer
    }
}
