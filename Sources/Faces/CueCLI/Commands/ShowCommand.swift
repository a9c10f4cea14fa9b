import ArgumentParser
import CueBase
import CueEngine
import CueVault

/// `cue show`.
struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Tell what a snapshot changed: each document, with words more and fewer.",
        discussion:
            "`cue diff NAME` shows the words themselves. `cue restore NAME --at SNAPSHOT` brings a document back as it was then."
    )

    @Argument(help: "A snapshot that `cue log` lists, or a time such as \"2 days ago\".")
    var snapshot = "latest"

    @OptionGroup var vault: VaultOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let session = try Session.openToRead(vault)
        let output = common.pagedOutput
        try session.run { session in
            let shown = try SnapshotChanges.of(snapshot, session.context())
            try output.object(ShowResult(shown))
            output.line(ChangeWords.head(shown.snapshot))
            for change in shown.changes { output.line(ChangeWords.line(change)) }
            output.line(ChangeWords.summary(shown.changes))
            output.warnings(shown.gaps.map(\.sentence))
        }
    }
}
