import ArgumentParser
import CueCrypto
import CueEngine
import CueTerminal
import CueVault

/// `cue key renew`.
struct KeyRenewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew", abstract: "Change the vault's key: what is written from now on has a new one.",
        discussion: """
            For a key that may have been seen, as that of a lost computer: remove its slot with `cue key remove`, which changes \
            the key too. All passphrases and codes stay as they are, nobody has to type one, and other devices go on by \
            themselves. What was stored before keeps its key: whoever has that and a copy of the vault still reads it.
            """)

    @OptionGroup var vault: VaultOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let changed = try Session.changingKeys(vault) { try ChangedKeys.renew($0, of: $1) }
        try common.output.object(KeyChangeResult(changed))
        common.output.line(KeyWords.renewed(changed))
    }
}

/// `cue key add`.
struct KeyAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a passphrase that opens the vault too.",
        discussion: """
            Each passphrase has a key slot of its own with a label, so that one of them can be removed. It is asked for on the \
            terminal, twice, or read from --new-passphrase-file. To change a passphrase, add the new one and remove the slot \
            of the old one.
            """)

    @Option(help: ArgumentHelp("What the slot is called: whose it is, or for what.", valueName: "text"))
    var label: String?

    @Option(
        help: ArgumentHelp("Read the new passphrase from the first line of this file.", valueName: "file"))
    var newPassphraseFile: String?

    @Option(help: .hidden)
    var kdfMemory: Int?

    @OptionGroup var vault: VaultOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if let label, !(1...KeySlot.labelLength).contains(label.utf8.count) {
            throw ValidationError("--label has 1 to \(KeySlot.labelLength) bytes.")
        }
    }

    func run() throws {
        let derivation = try KeyDerivation.ofOption(kdfMemory)
        let session = try Session.open(vault)
        let passphrase = try Secrets.forAdding(newPassphraseFile)
        let changed = try session.changingKeys {
            try ChangedKeys.add(
                .passphrase(passphrase), label: label ?? "passphrase", derivation: derivation, $0, of: $1)
        }
        try common.output.object(KeyChangeResult(changed))
        common.output.line(KeyWords.added(changed))
    }
}

/// `cue key remove`.
struct KeyRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a passphrase or recovery code: it opens nothing that is written from now on.",
        discussion: """
            SLOT is what `cue key list` shows, or its first digits, four or more. The vault gets a new key, which is sealed to the other slots. \
            What was stored before stays readable to whoever has the removed passphrase and a copy of the vault from before: that \
            cannot be taken back. A device that used the slot asks for another passphrase.
            """)

    @Argument(help: "The slot, or its first digits (four or more).")
    var slot: String

    @Flag(help: "Do not ask. Without a terminal nothing is asked in any case.")
    var yes = false

    @OptionGroup var vault: VaultOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let changed = try Session.changingKeys(vault) { context, library in
            let found = try ChangedKeys.find(slot, context)
            if !yes {
                let isOwn = found.id == context.vault.keyRing.slot?.id
                try Asking.confirm(KeyWords.question(found, isOwn: isOwn), orElse: KeyWords.notRemoved)
            }
            return try ChangedKeys.remove(found.id.description, context, of: library)
        }
        try common.output.object(KeyChangeResult(changed))
        common.output.line(KeyWords.removed(changed))
    }
}
