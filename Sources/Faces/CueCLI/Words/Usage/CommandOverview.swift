import CueSystem
import CueTerminal

/// The commands in groups: the help of `cue` itself. No line is wider than 80 columns.
enum CommandOverview {
    /// What belongs together.
    struct Group {
        let title: String
        /// The commands with what each does.
        let commands: [(name: String, purpose: String)]
    }

    static let groups = [
        Group(
            title: "Every day",
            commands: [
                ("init", "Tie a folder to a vault, made now or there already."),
                ("backup", "Store what changed, and name the snapshot."),
                ("status", "Say whether everything is in the vault."),
                ("restore", "Bring documents back: all, or some by name."),
                ("watch", "Back up and sync by itself, some time after the last keystroke."),
            ]),
        Group(
            title: "Looking",
            commands: [
                ("ls", "List the documents in the vault, or those in one folder."),
                ("log", "List the snapshots, or the versions of one document."),
                ("diff", "Show what changed, in words: everywhere, or in a document."),
                ("find", "Find words in every version of every document."),
                ("show", "Tell what a snapshot changed, document by document."),
                ("cat", "Print a document, or one file of it."),
                ("export", "Write the text of documents into a folder, or every draft."),
            ]),
        Group(
            title: "Two devices",
            commands: [
                ("sync", "Store what is new here, bring what other devices stored."),
                ("conflicts", "List the documents that two devices changed."),
                ("resolve", "Choose between the versions, or take the choice back."),
            ]),
        Group(
            title: "Care",
            commands: [
                ("check", "Look whether the vault is whole."),
                ("vault", "Keep the vault of a library at several places."),
                ("copy", "Copy a vault to another place, or bring a copy up to date."),
                ("doctor", "Try out whether the place of a vault does what it needs."),
                ("key", "List what opens the vault; add, remove or renew it."),
                ("device", "List the devices of the vault, or shut one out."),
            ]),
        Group(
            title: "More",
            commands: [
                ("project", "Set deadlines and nudges of documents and folders."),
                ("nudge", "Say what is due, and what comes next."),
                ("events", "The log of what happened: yours, and what cue did."),
                ("garden", "Grow what you mean to do: plant, water, harvest."),
                ("plan", "Show the plan of this device, or bring one."),
            ]),
    ]

    private static let beginning = """
        cue keeps a writer's work: encrypted backup, version history and sync.

        A first backup:
          cue init ~/Writing --vault /media/usb/vault
          cue backup ~/Writing
        And back again, on any machine:
          cue restore --vault /media/usb/vault --to ~/Writing


        """

    private static let stateWord = """
        The four words in `cue status` are the state word: all that a device has seen.
        `cue check --state "WORDS"` compares it with what another device shows.

        """

    /// What a first session needs, in the least window.
    static let start = beginning + text(groups[0...2].map { first($0, of: 4) }) + "\n`cue help` lists all commands.\n"

    /// All commands.
    static let whole =
        beginning + groups.map { text([$0]) }.joined(separator: "\n")
        + "\n" + stateWord + "\n`cue COMMAND --help` says more of one, `cue --version` prints the version.\n"

    /// Prints one of these; a narrow window breaks the lines below what each says.
    static func show(_ text: String) {
        let width = Terminal.isTerminal(Terminal.output) ? Terminal.columns(of: Terminal.output) : .max
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        let shown = lines.flatMap { LineWrap.lines(of: Line(String($0)), width: width, hang: 12) }
        Output.print(shown.map { $0.text + "\n" }.joined())
    }

    private static func first(_ group: Group, of count: Int) -> Group {
        Group(title: group.title, commands: Array(group.commands.prefix(count)))
    }

    private static func text(_ groups: [Group]) -> String {
        groups.map { group in
            "\(group.title)\n"
                + group.commands.map { name, purpose in
                    "  \(name)\(String(repeating: " ", count: 12 - name.count))\(purpose)\n"
                }.joined()
        }.joined()
    }
}
