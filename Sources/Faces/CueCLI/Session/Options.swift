import ArgumentParser
import CueBase
import CueEngine
import CueLibrary
import CueSystem
import CueTerminal

/// The options of every command.
struct CommonOptions: ParsableArguments {
    @Flag(help: "Print the result as one JSON object.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print nothing but warnings and errors.")
    var quiet = false

    @Flag(
        help:
            "Print at the end how often the vault was asked, and for how many bytes; of a service each request as well."
    )
    var verbose = false

    @OptionGroup var colour: ColourOption

    /// The output that the options ask for.
    var output: Output { Output(json: json, quiet: quiet) }

    /// The same for a result that may be long: a person reads it a page at a time.
    var pagedOutput: Output {
        if !json, !quiet { Pager.use() }
        return output
    }

    func validate() throws {
        if verbose && json {
            throw ValidationError("--verbose is for people, --json for programs: give one of them.")
        }
        if colour.choice == .always && json {
            throw ValidationError("--color is for people, --json for programs: give one of them.")
        }
    }
}

/// Whether to draw in colours. It is read before all other options, so that an error in them has its colour.
struct ColourOption: ParsableArguments {
    private static let name = "--color"

    @Option(
        name: .customLong("color"),
        help: ArgumentHelp("Colours: auto, always or never. (default: auto)", valueName: "when"))
    var choice: Colours.Choice?

    /// What the arguments say; `auto` unless they say anything that there is.
    static func choice(in arguments: [String]) -> Colours.Choice {
        let options = arguments.prefix { $0 != "--" }
        for (option, value) in zip(options, options.dropFirst() + [""]).reversed() {
            let word =
                option == name ? value : option.hasPrefix(name + "=") ? String(option.dropFirst(name.count + 1)) : nil
            if let choice = word.flatMap({ Colours.Choice(rawValue: $0) }) { return choice }
        }
        return .auto
    }
}

extension Colours.Choice: ExpressibleByArgument {}

/// How much of a line a command takes.
struct LineOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Send at most so many bytes a second to the vault, such as 500K or 2M.", valueName: "rate"))
    var limitUp: LineRate?

    @Option(help: ArgumentHelp("The same for what is read from the vault.", valueName: "rate"))
    var limitDown: LineRate?

    func validate() throws { OpenedVaults.limit(up: limitUp?.bytes, down: limitDown?.bytes) }
}

/// Bytes a second, as a person types them: `800`, `500K`, `2.5M`.
struct LineRate: ExpressibleByArgument {
    let bytes: Int

    /// nil for another form, and for less than 1,000 bytes a second: with that, no request would ever end.
    init?(argument: String) {
        let unit: Double
        switch argument.last {
        case "K", "k": unit = 1000
        case "M", "m": unit = 1_000_000
        case "G", "g": unit = 1_000_000_000
        default: unit = 1
        }
        guard let number = Double(unit == 1 ? argument[...] : argument.dropLast()), number.isFinite,
            (1000...1e12).contains(number * unit)
        else { return nil }
        bytes = Int(number * unit)
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

/// The place of a vault: that of a library, or one by itself.
struct PlaceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The vault: a folder, or s3://bucket/prefix. Without it, the vault of the library.", valueName: "where"))
    var vault: String?

    @Option(help: ArgumentHelp("The library. Without it, the one around the current folder.", valueName: "folder"))
    var library: String?

}

/// The vault that a command reads: that of a library, or one by its place.
struct VaultOptions: ParsableArguments {
    @OptionGroup var place: PlaceOptions
    @OptionGroup var secret: SecretOptions

    var vault: String? { place.vault }
    var library: String? { place.library }

    /// The library and the vault, as they were named, for a command to type; empty if none was.
    var typed: String {
        [("library", library), ("vault", vault)].map { option, value in
            value.map { " --\(option) \(ShellWord.quoted($0))" } ?? ""
        }.joined()
    }
}
