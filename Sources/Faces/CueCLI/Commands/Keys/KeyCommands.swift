import ArgumentParser
import CueCrypto
import CueEngine
import CueTerminal

/// `cue key`.
struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Look at what opens the vault, or change it.",
        subcommands: [
            KeyListCommand.self, KeyAddCommand.self, KeyRemoveCommand.self, KeyNewCodeCommand.self,
            KeyRenewCommand.self,
        ])
}

/// `cue key list`. It ends with 6 if a slot is unusable, changed or missing.
struct KeyListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the key slots.",
        discussion: """
            Labels are sealed, and so is the list of the slots that the vault has. They are shown on a device that remembers \
            the key, and with --passphrase-file; without either, the files in the vault's folder are listed as they are.
            """)

    @OptionGroup var vault: VaultOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let list = try KeyListResult.of(vault)
        let output = common.output
        try output.object(list)
        for row in list.slots { output.line(row.line) }
        for trouble in list.troubles { output.warning(trouble) }
        if list.isOutdated {
            output.hint(KeyWords.outdated)
            return try end(.wrongSecret)
        }
        if let count = list.newest, count > 1 { output.hint(KeyWords.changedAtOnce(count)) }
        try end(list.isDamaged ? .damaged : .done)
    }
}

/// `cue key new-code`.
struct KeyNewCodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new-code", abstract: "Make a new recovery code in the place of the old one, and show it once.",
        discussion: """
            For a code that was lost, seen by others, or never written down. The old code opens the vault until the new one has \
            been written, tried and shown; from then on it opens nothing new. The passphrase stays as it is. Who has the old code and \
            a copy of the vault still reads what was stored before.
            """)

    @Option(help: .hidden)
    var kdfMemory: Int?

    @OptionGroup var vault: VaultOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let derivation = try KeyDerivation.ofOption(kdfMemory)
        var isShown = false
        let made: NewRecoveryCode
        do {
            made = try Session.changingKeys(vault) { context, library in
                try NewRecoveryCode.make(context, of: library, derivation: derivation) {
                    try show($0)
                    isShown = true
                }
            }
        } catch let error as CueError where isShown {
            throw error.hinting(KeyWords.codeMayNotOpen)
        }
        let count = made.replaced.count
        common.output.line(
            count == 0
                ? "The vault had no recovery code before."
                : "\(count == 1 ? "The old code opens" : "The \(count) old codes open") the vault no more.")
    }

    private func show(_ made: NewRecoveryCode) throws {
        let result = KeyNewCodeResult(recoveryCode: made.code, slot: made.slot, replaced: made.replaced)
        try common.output.showCode(made.code, result)
    }
}

extension KeyDerivation {
    /// The derivation for `--kdf-memory`, a hidden option for tests and small machines, in MiB; nil for the standard.
    /// Throws `CueError`.
    static func ofOption(_ memory: Int?) throws -> KeyDerivation {
        let derivation = memory.map { KeyDerivation(passes: 3, memory: UInt64(max(0, $0)) << 20) } ?? .standard
        guard derivation.isAllowed else { throw CueError(.usage, "--kdf-memory goes from 64 to 2048 MiB") }
        return derivation
    }
}
