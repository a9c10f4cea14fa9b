import ArgumentParser
import CueBase
import CueEngine
import CueSystem

/// `cue export`.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the text of documents into a folder, as it is now or every draft.",
        discussion: """
            A document becomes a file, such as "02 Salt.txt"; a folder comes with its name and the folders in it. The text of Word, \
            RTF, OpenDocument and Scrivener documents comes without its layout, scenes with their titles, all in UTF-8. \
            With --all-versions each draft whose text differs from the one before gets a file, named so that they sort: \
            "02 Salt, 2026-11-22 05.46.12.txt"; deleted documents of the folder have drafts too. To bring the documents themselves \
            back there is `cue restore`.

            Nothing that is in the folder is replaced. A file with the same text is left and counted; where one has another text, the \
            new one gets its date in the name. What has no text, such as a picture, is named and passed over.

            Examples:
              cue export "02 Salt" --to ~/Drafts --all-versions
              cue export "Salt and Iron" --to ~/Drafts --as md --at "last monday"
              cue export . --to ~/Drafts
            """)

    /// The form of the text, by the ending of the files.
    enum Ending: String, ExpressibleByArgument, CaseIterable {
        case txt, md

        var form: DraftText.Form { self == .txt ? .plain : .markdown }
    }

    @Argument(help: "The document or folder; `.` in the library's own folder is everything.")
    var name: String

    @Option(help: ArgumentHelp("Write into this folder; made if missing.", valueName: "folder"))
    var to: String

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "Plain text, or Markdown: titles of scenes are headings, an empty line parts paragraphs. What is plain text or Markdown itself stays as it is.",
            valueName: "txt|md"))
    var ending = Ending.txt

    @Flag(help: "Write every draft, not only the newest.")
    var allVersions = false

    @Option(
        help: ArgumentHelp(
            "The state at a time or snapshot; with --all-versions the drafts until then.", valueName: "when"))
    var at: String?

    @OptionGroup var vault: VaultOptions
    @OptionGroup var common: CommonOptions

    func validate() throws { try NameWords.refuse(empty: [name]) }

    func run() throws {
        let session = try Session.openToRead(vault)
        let output = common.output
        let target = try session.target(to)
        let started = Environment.monotonicSeconds
        let reporter = output.reporter
        let summary = try session.run { session in
            try session.reading(name, at: at, output) { name in
                var request = ExportRequest(["", "."].contains(name) ? nil : name)
                (request.at, request.allVersions, request.form) = (at, allVersions, ending.form)
                return try Session.writing(into: target) {
                    try Export.run(request, session.context(reporter), to: target)
                }
            }
        }
        reporter.finish()
        let seconds = Environment.monotonicSeconds - started
        output.warnings(summary.failed.map(\.sentence))
        if let hint = TargetWords.hint(summary.failed, target) { output.hint(hint) }
        if !summary.written.isEmpty, let library = try Session.library(around: target) {
            output.warning(ExportWords.inLibrary(target, library))
        }
        try output.object(ExportResult(summary, seconds))
        if let drafts = CutOffWords.drafts(summary.drafts) { output.line(drafts) }
        for line in ExportWords.lines(summary) { output.line(line) }
        output.line(ExportWords.result(summary, seconds: seconds))
        try end(summary.isDamaged ? .damaged : summary.failed.isEmpty ? .done : .incomplete)
    }
}
