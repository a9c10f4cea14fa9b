import ArgumentParser
import CueEngine
import CueLibrary
import CueSystem

/// The options of every command.
struct CommonOptions: ParsableArguments {
    @Flag(help: "Print the result as one JSON object.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print nothing but warnings and errors.")
    var quiet = false

    @Flag(help: "Print at the end how often the vault was asked, and for how many bytes.")
    var verbose = false

    /// The output that the options ask for.
    var output: Output { Output(json: json, quiet: quiet) }

    func validate() throws {
        if verbose && json {
            throw ValidationError("--verbose is for people, --json for programs: give one of them.")
        }
    }
}

/// How to get the passphrase if this device does not remember the vault's key.
struct SecretOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Read the passphrase or recovery code from the first line of this file.",
            discussion: "Else from CUE_PASSPHRASE, from what CUE_PASSPHRASE_COMMAND prints, or from the terminal.",
            valueName: "file"))
    var passphraseFile: String?
}

/// The vault that a command reads: that of a library, or one by its place.
struct VaultOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The vault: a folder. Without it, the vault of the library.", valueName: "where"))
    var vault: String?

    @Option(help: ArgumentHelp("The library. Without it, the one around the current folder.", valueName: "folder"))
    var library: String?

    @OptionGroup var secret: SecretOptions
}
