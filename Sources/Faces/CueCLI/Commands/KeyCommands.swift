import ArgumentParser
import CueCrypto
import CueEngine
import CueTerminal

/// `cue key`.
struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Look at what opens the vault, or make a new recovery code.",
        subcommands: [KeyListCommand.self, KeyNewCodeCommand.self])
}

/// `cue key list`. It ends with 6 if a slot is unusable.
struct KeyListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the key slots.")

    @OptionGroup var vault: VaultOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if vault.secret.passphraseFile != nil {
            throw ValidationError("The list of key slots needs no passphrase: leave --passphrase-file out.")
        }
    }

    func run() throws {
        let rows = try KeySlotInfo.list(vault: vault.vault, library: vault.library)
        let output = common.output
        try output.object(KeyListResult(slots: rows))
        for row in rows {
            output.line(
                "\(row.slot)  \(Style.left(row.kind, 14))  \(row.problem ?? "Argon2id, \(row.memory >> 20) MiB, \(row.passes) passes")"
            )
        }
        try end(rows.contains { $0.problem != nil } ? .damaged : .done)
    }
}

/// `cue key new-code`.
struct KeyNewCodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new-code", abstract: "Make a new recovery code in the place of the old one, and show it once.",
        discussion: """
            For a code that was lost, seen by others, or never written down. The old code opens the vault until the new one has \
            been written, tried and shown; from then on it opens nothing. The passphrase stays as it is. Copies of the vault \
            that were made before keep the old code.
            """)

    @Option(help: .hidden)
    var kdfMemory: Int?

    @OptionGroup var vault: VaultOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let derivation = try KeyDerivation.ofOption(kdfMemory)
        let session = try Session.open(vault)
        let library = session.isOwnVault ? session.library : nil
        let made = try session.run { session in
            try NewRecoveryCode.make(session.context(), of: library, derivation: derivation) { try show($0) }
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
