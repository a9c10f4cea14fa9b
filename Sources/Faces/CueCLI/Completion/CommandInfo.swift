import ArgumentParser
import Foundation

/// What ArgumentParser knows of a command: the same that its help shows.
struct CommandInfo: Decodable {
    /// An argument, option or flag.
    struct Argument: Decodable {
        enum Kind: String, Decodable { case positional, option, flag }

        struct Name: Decodable {
            let kind: String
            let name: String
            /// As it is typed: `--keep`, `-l`.
            var typed: String { (kind == "long" ? "--" : "-") + name }
        }

        let kind: Kind
        let shouldDisplay: Bool
        let isRepeating: Bool
        let names: [Name]?
        let valueName: String?
        /// All values, if there are only these.
        let allValues: [String]?
        let abstract: String?

        /// The name without hyphens by which a table knows it.
        var key: String { names?.first { $0.kind == "long" }?.name ?? valueName ?? "" }
    }

    let arguments: [Argument]?

    /// What the help of the command shows.
    var shown: [Argument] { (arguments ?? []).filter(\.shouldDisplay) }

    private struct Tool: Decodable { let command: CommandInfo }

    init(of command: any ParsableCommand.Type) throws {
        self = try JSONDecoder().decode(Tool.self, from: Data(command._dumpHelp().utf8)).command
    }
}
