import CueBase
import CueCrypto
import CueEngine
import CueSodium
import CueSystem
import CueVault

/// Gets passphrases by option, variable, command or terminal. Without a terminal it never waits for input.
enum Secrets {
    /// How often a person may type a passphrase before a command gives up.
    private static let tries = 3

    /// A passphrase for a vault that is made now.
    struct New {
        let secret: SecretBytes
        /// Random words that were not shown yet, and have to be before the vault is made.
        var unseen: RandomWords?
    }

    /// Opens a vault with its passphrase or recovery code. On a terminal a wrong one may be typed again, two times.
    /// Throws `CueError` if there is none, and the errors of `open`.
    static func opening(
        _ options: SecretOptions, _ location: VaultLocation, _ open: (Secret) throws -> Vault
    ) throws -> Vault {
        func attempt(_ given: consuming [UInt8]) throws -> Vault {
            var bytes = given
            defer { wipe(&bytes) }
            guard !bytes.isEmpty else { throw CueError(.wrongSecret, PassphraseWords.empty) }
            let secret = Secret(bytes)
            return try Asking.during(ProgressWords.opening) { try open(secret) }
        }
        if let bytes = try given(options) { return try attempt(bytes) }
        for number in 1...tries {
            let typed = try ask(PassphraseWords.opening(location, number), orElse: KeyWords.notTried)
            // Enter alone counts as a try.
            if typed.isEmpty, number < tries { continue }
            do { return try attempt(typed) } catch VaultError.wrongSecret where number < tries { continue }
        }
        throw VaultError.wrongSecret
    }

    /// The passphrase for a new vault; typed twice on a terminal. `suggest`: made of random words.
    static func forMaking(_ options: SecretOptions, suggest: Bool) throws -> New {
        if suggest { return try suggested() }
        if var bytes = try given(options) {
            defer { wipe(&bytes) }
            try check(bytes)
            warnIfWeak(PassphraseEstimate(of: bytes))
            return New(secret: SecretBytes(copying: bytes.span))
        }
        return try typedTwice()
    }

    private static func typedTwice() throws -> New {
        var mistyped = 0
        while mistyped < tries {
            var first = try ask(PassphraseWords.choosing(mistyped), orElse: KeyWords.notMade)
            defer { wipe(&first) }
            try check(first)
            switch try choice(PassphraseEstimate(of: first)) {
            case .another: continue
            case .words: return try suggested()
            case .take: break
            }
            var second = try ask(PassphraseWords.again, orElse: KeyWords.notMade)
            defer { wipe(&second) }
            if first == second { return New(secret: SecretBytes(copying: first.span)) }
            mistyped += 1
        }
        throw CueError(.failed, PassphraseWords.neverTheSame, PassphraseWords.suggestion)
    }

    /// Another passphrase for a vault: from a file, or typed twice on a terminal. What opens the vault may stand in the
    /// environment, so nothing is taken from there.
    static func forAdding(_ file: String?) throws -> SecretBytes {
        if let file {
            var bytes = try contents(of: FilePathBytes(ArgumentBytes.bytes(file)))
            defer { wipe(&bytes) }
            var line = firstLine(bytes)
            defer { wipe(&line) }
            try check(line)
            warnIfWeak(PassphraseEstimate(of: line))
            return SecretBytes(copying: line.span)
        }
        return try typedTwice().secret
    }

    /// Six random words. Where a person can be asked they are shown and typed once, so that they are known to be right.
    private static func suggested() throws -> New {
        let words = RandomWords()
        guard Asking.isAllowed else { return New(secret: words.secret, unseen: words) }
        for number in 1...tries {
            var typed = try ask(PassphraseWords.typing(words, number), orElse: KeyWords.notMade)
            defer { wipe(&typed) }
            if SecretBytes(copying: typed.span) == words.secret { return New(secret: words.secret) }
        }
        throw CueError(.failed, PassphraseWords.neverTyped, PassphraseWords.retry)
    }

    private enum Choice {
        case take, words, another
    }

    /// Asks about a weak passphrase, where questions may be asked; elsewhere it is taken.
    private static func choice(_ estimate: PassphraseEstimate) throws -> Choice {
        guard estimate.isWeak else { return .take }
        Asking.warn(PassphraseWords.weak(estimate))
        guard Asking.isAllowed else { return .take }
        while let answer = Output.ask(PassphraseWords.takeAllTheSame) {
            switch answer.lowercased() {
            case "y", "yes": return .take
            case "w": return .words
            case "n", "no", "": return .another
            // It may be another passphrase, typed too early.
            default: Asking.warn(PassphraseWords.wasVisible)
            }
        }
        throw CueError(Interruption.isRequested ? .interrupted : .wrongSecret, KeyWords.notMade)
    }

    /// A script gets its vault all the same.
    private static func warnIfWeak(_ estimate: PassphraseEstimate) {
        if estimate.isWeak { Asking.warn(PassphraseWords.weak(estimate) + "; " + PassphraseWords.suggestion) }
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
            Asking.warn(
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
        guard let answer = Terminal.askSecretly(Output.wrapped(question)) else {
            throw CueError(Interruption.isRequested ? .interrupted : .wrongSecret, stopped)
        }
        return answer
    }
}
