import ArgumentParser
import CueBase
import CueCrypto
import CueEngine
import CueLibrary
import CueRemotes
import CueStorage
import CueSystem
import CueTerminal
import CueVault

/// `cue init`: makes a vault, or joins one that exists.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Tie a folder to a vault, made now or there already.",
        discussion: """
            A new vault gets a passphrase, and a recovery code that is shown once. Without one of the two nobody can \
            read the vault, and nobody can reset them. On a folder or a device that cue knew before, nothing is uploaded again.
            """)

    @Argument(help: "The folder with your writing.")
    var folder: String

    @Option(
        help: ArgumentHelp(
            "Where the vault is or shall be: a folder outside of the library, or s3://bucket/prefix.",
            valueName: "where"))
    var vault: String

    @Option(help: ArgumentHelp("What this device is called in the history.", valueName: "name"))
    var name: String?

    @Flag(help: "Do not keep the key on this device: every command then needs the passphrase.")
    var forgetKey = false

    @Flag(
        help:
            "Accept a vault that has less than this device has seen in it. It opens with a passphrase that it had then."
    )
    var acceptOlderVault = false

    @Flag(help: "Make the passphrase of a new vault: six random words, shown now and kept nowhere.")
    var suggest = false

    @Option(
        help: ArgumentHelp(
            "Lock each object of a vault in S3 for so long, also against you; cue extends it. As lock=90d in the address.",
            valueName: "days"))
    var objectLock: String?

    @Option(help: .hidden)
    var kdfMemory: Int?

    @OptionGroup var secret: SecretOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let state = try StateFolder.standard()
        let location = try place
        do {
            let folder = FilePathBytes(ArgumentBytes.bytes(self.folder))
            let setup = Initialization(
                folder, location, device: name, remember: !forgetKey, state: state,
                open: { try $0.open(writerName: $1) })
            let place = try setup.look()
            if suggest, !place.isFree { throw CueError(.usage, PassphraseWords.chosenAlready(location)).unchanged }
            switch place {
            case .nothing: try create(setup, location)
            case .vault:
                try tryLocks(location)
                try join(setup, location, state)
            case .moved(let old):
                try tryLocks(location)
                try move(setup, location, from: old)
            }
        } catch {
            throw hinting(CueError.describing(error, vault: location.description), state)
        }
    }

    /// The error with the place where the folder's own vault is now, if that is why it cannot be tied.
    private func hinting(_ error: CueError, _ state: StateFolder) -> CueError {
        switch error.cause as? EngineError {
        case .vaultAway, .alreadyLibrary: break
        default: return error
        }
        guard let library = try? Session.openLibrary(folder, state),
            let own = library.vaultPlace.folder,
            (try? own.appending("vault.json").info()) == .some(nil),
            let found = FoundVault(of: library)
        else { return error }
        var told = error
        told.hints = [found.hint]
        return told
    }

    /// The place, with what --object-lock adds to it.
    private var place: VaultLocation {
        get throws {
            let location = VaultLocation(vault)
            return try lockDays.map { try location.locking(days: $0) } ?? location
        }
    }

    private var lockDays: Int? {
        get throws {
            guard let objectLock else { return nil }
            guard let days = S3Address.days(objectLock) else {
                throw ValidationError(DurationWords.lock("--object-lock", S3Address.lockRange))
            }
            return days
        }
    }

    func validate() throws {
        _ = try lockDays
        if let name, !(1...100).contains(name.utf8.count) { throw ValidationError("--name has 1 to 100 bytes.") }
        if suggest, secret.passphraseFile != nil {
            throw ValidationError(
                "--suggest makes a passphrase, and --passphrase-file brings one: give one of the two.")
        }
    }

    /// Makes the vault; the recovery code is shown before the vault exists.
    private func create(_ setup: Initialization, _ location: VaultLocation) throws {
        let derivation = try KeyDerivation.ofOption(kdfMemory)
        try location.tryOut(common.output)
        let passphrase = try Secrets.forMaking(secret, suggest: suggest)
        var isShown = false
        let made: Initialization.Created
        do {
            made = try setup.create(passphrase: passphrase.secret, derivation: derivation) { made in
                if let words = passphrase.unseen { try show(words) }
                try common.output.showCode(
                    made.recoveryCode?.text ?? "", InitResult(made, at: location, passphrase: passphrase.unseen?.text))
                isShown = true
            }
        } catch let error as Initialization.NotTied {
            throw CueError.describing(error.cause, vault: location.description).hinting(
                "the vault was made, and the recovery code that was shown opens it; `cue init` with the same vault ties the folder to it"
            )
        } catch  where isShown {
            throw CueError.describing(error, vault: location.description).hinting(
                "no vault was made: the recovery code that was shown opens nothing")
        }
        let disk = location.sharesDisk(with: made.path) ? VaultWords.oneDisk + "\n" : ""
        common.output.line(
            """
            Made a vault at \(location), for \(made.path), as device "\(made.device)".
            \(disk)This stores the folder in it (and `cue watch` does so by itself from then on):
              cue backup \(ShellWord.quoted("\(made.path)"))
            """)
    }

    /// Tries out whether a place locks objects, if a vault that is there is to be locked from now on.
    private func tryLocks(_ location: VaultLocation) throws {
        if location.locksObjects { try location.tryOut(common.output) }
    }

    /// Shows the words before the recovery code, as far as the result in JSON does not hold them.
    private func show(_ words: RandomWords) throws {
        guard !common.json else { return }
        let text = common.quiet ? words.text + "\n" : Output.wrapped(PassphraseWords.shown(words), for: Terminal.output)
        guard (try? Terminal.write(Array(text.utf8).span, to: Terminal.output)) == true else {
            throw CueError(.failed, PassphraseWords.notShown)
        }
    }

    /// Notes the new place of the folder's vault. Nothing is asked: the vault is opened by the next command.
    private func move(_ setup: Initialization, _ location: VaultLocation, from old: String) throws {
        let moved = try setup.move()
        // The other options are those of a join, which asks for the passphrase.
        if forgetKey || acceptOlderVault || name != nil {
            return try join(setup, location, StateFolder.standard())
        }
        try common.output.object(InitResult(moved, at: location))
        common.output.line(VaultWords.moved(moved, from: old, to: location))
    }

    /// Ties the folder to an existing vault.
    private func join(_ setup: Initialization, _ location: VaultLocation, _ state: StateFolder) throws {
        let storage = try location.open(writerName: "join")
        // Ask for the passphrase even if the key is remembered: a person who ties a folder should know it.
        let vault = try Secrets.opening(secret, location) { try Vault.open(storage, with: $0) }
        let joined = try setup.join(vault, acceptOlder: acceptOlderVault)
        try common.output.object(InitResult(joined, at: location))
        common.output.line(
            """
            Joined the vault at \(location), which holds \(Style.count(joined.documents, "document")), as device "\(joined.device)".
            This brings what is in the vault, and stores what is in the folder:
              cue sync \(ShellWord.quoted("\(joined.path)"))
            """)
        if let gone = joined.snapshotsGone { common.output.line(VaultWords.accepted(gone)) }
        let library = try OpenLibrary(at: joined.path, state: state)
        try Session(vault: vault, library: library, location: location).warnOfOlderVault()
    }
}
