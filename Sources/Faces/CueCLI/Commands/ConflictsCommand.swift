import ArgumentParser
import CueBase
import CueEngine
import CueLibrary
import CueSystem
import CueTerminal
import CueVault

/// `cue conflicts`.
struct ConflictsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts", abstract: "List the documents that two devices changed.",
        discussion: "All versions of them are safe in the vault. The exit code is 4 if there are any.")

    @Argument(help: "The library. Without it, the one around the current folder.")
    var folder: String?

    @OptionGroup var secret: SecretOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let session = try Session.open(vault: nil, library: folder, secret)
        let output = common.output
        guard let context = session.libraryContext(SilentReporter()) else { return }
        try session.run { try $0.warnOfOlderVault() }
        let conflicts = try session.run { _ in try Conflicts.of(context) }
        let details = conflicts.all.map { conflicts.details(of: $0) }
        var shown = ShownConflicts(of: context.library)
        shown.note(conflicts.all, areAll: true)
        try output.object(ConflictsResult(conflicts: details.map { ConflictDetailsRow($0) }))
        for details in details {
            let screen = ConflictScreen(details)
            let files =
                details.files.isEmpty || details.conflict.kind != .bundle ? [] : ["" as Line] + screen.files(atMost: 6)
            for line in ["", Line(Display.text(details.conflict.path), .strong)] + screen.sides + files {
                output.line(line)
            }
        }
        output.line(
            details.isEmpty
                ? conflicts.waiting.isEmpty
                    ? "No conflicts: every document has one version that counts."
                    : "No conflicts, as far as can be told."
                : "\n\(Style.count(details.count, "conflict")). All versions stay in the history; `cue resolve NAME` asks about one, `cue sync` about all."
        )
        output.warnings(conflicts.waiting.map { "\($0.shownPath): \($0.reason.words)" })
        try end(details.isEmpty ? .done : .conflict)
    }
}

/// `cue resolve`. It syncs first, answers the conflict with a second sync, and ends with 4 if no answer was given.
struct ResolveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Choose between the versions of a document, or take the choice back.",
        discussion: """
            Whatever is chosen, the other versions stay in the vault. Without --keep you are asked. --undo opens a conflict again \
            that was resolved: this device has its own version then, and the other is there to choose.
            """)

    @Argument(help: "The document.")
    var name: String

    @Option(
        help: ArgumentHelp(
            "What counts from now on: this (device's), other, both, or one version, by its id, or by its letter or number (t and o, or 1, 2, …) in `cue conflicts`.",
            valueName: "which"))
    var keep: KeepArgument?

    @Flag(help: "Take back how its last conflict was resolved.")
    var undo = false

    @Option(help: ArgumentHelp("The library. Without it, the one around the current folder.", valueName: "folder"))
    var library: String?

    @OptionGroup var secret: SecretOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        try NameWords.refuse(empty: [name])
        if undo && keep != nil {
            throw ValidationError("--undo and --keep are two different things: give one of them.")
        }
    }

    func run() throws {
        let started = Environment.monotonicSeconds
        let session = try Session.open(vault: nil, library: library, secret)
        try session.prepareToStore()
        let output = common.output
        let reporter = output.reporter
        guard let context = session.libraryContext(reporter) else { return }
        let summary = try session.run { _ in
            if undo { return try session.writing([name]) { try Sync.undo($0[0], context) } }
            // The document counts as it is on the disk now.
            let report = SyncReport(try Sync.run(context), Environment.monotonicSeconds - started)
            let synced = report.hasDone ? report.done : nil
            let conflicts = try Conflicts.of(context)
            let conflict: Conflict
            do {
                conflict = try session.writing([name], synced: synced) { try conflicts.named($0[0]) }
            } catch EngineError.noConflict(let name) {
                reporter.finish()
                throw NameWords.noConflict(name, synced: synced)
            }
            var options = Sync.Options()
            options.answers = try answer(conflict, conflicts, context)
            return try Sync.run(context, options)
        }
        reporter.finish()
        if undo { output.line(Self.reopened(name)) }
        try SyncReport(summary, Environment.monotonicSeconds - started).tell(output, library: library)
        try session.keepPlaces()
        if undo { return try end(summary.isDamaged ? .damaged : .done) }
        try end(
            summary.isDamaged
                ? .damaged : summary.resolved.isEmpty ? .conflict : summary.waiting.isEmpty ? .done : .incomplete)
    }

    /// What `--undo` has done.
    private static func reopened(_ name: String) -> String {
        "the choice is taken back, and no version is lost: the conflict is open again. "
            + "To choose anew: `cue resolve \(ShellWord.quoted(name))`"
    }

    /// The answer by option or prompt; empty if the person leaves it open. Throws `CueError` if asking is not possible.
    private func answer(
        _ conflict: Conflict, _ conflicts: Conflicts, _ context: EngineContext
    ) throws -> [ProjectID: SyncAnswer] {
        var shown = ShownConflicts(of: context.library)
        let details = conflicts.details(of: conflict)
        // Errors list the versions anew.
        defer { shown.note([conflict]) }
        if let keep = try keep?.keep(in: details, shown: shown) {
            return [conflict.project: SyncAnswer(to: conflict, keep)]
        }
        guard ConflictPrompt.isPossible, !common.json else {
            throw KeepWords.unasked(details)
        }
        var prompt = ConflictPrompt(conflicts, context.vault, context.library.state)
        prompt.run([conflict])
        Interruption.forget()
        return prompt.answers
    }
}
