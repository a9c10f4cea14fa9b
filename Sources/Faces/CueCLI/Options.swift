import ArgumentParser
import CueEngine
import CueLibrary
import CueSystem

/// What every command takes.
struct CommonOptions: ParsableArguments {
    @Flag(help: "Print the result as one JSON object.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print nothing but warnings and errors.")
    var quiet = false

    var output: Output { Output(json: json, quiet: quiet) }
}

/// How the vault is opened where this device does not remember its key.
struct SecretOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Read the passphrase or recovery code from the first line of this file.",
            discussion: "Else from CUE_PASSPHRASE, from what CUE_PASSPHRASE_COMMAND prints, or from the terminal.",
            valueName: "file"))
    var passphraseFile: String?
}

/// Which vault a command reads: that of a library, or any by its place.
struct VaultOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The vault: a folder. Without it, the vault of the library.", valueName: "where"))
    var vault: String?

    @Option(help: ArgumentHelp("The library. Without it, the one around the current folder.", valueName: "folder"))
    var library: String?

    @OptionGroup var secret: SecretOptions
}
