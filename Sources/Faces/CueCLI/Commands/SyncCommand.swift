import ArgumentParser
import CueBase
import CueEngine
import CueEventLog
import CueSystem
import CueTerminal
import CueVault

/// `cue sync`. It asks about many deletions at once and about conflicts, and runs again for each kind of answer.
struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Store what is new here, and bring what other devices stored.",
        discussion: """
            What is new on this device is stored first, so nothing can be lost. Documents that changed only elsewhere are replaced as \
            a whole; what was deleted elsewhere goes, and stays in the vault's history. Where two devices changed the same document, \
            you are asked; without a terminal your document stays as it is, and the exit code is 4.
            """)

    @Argument(help: "The library. Without it, the one around the current folder.")
    var folder: String?

    @Option(
        help: ArgumentHelp(
            "Answer every conflict for which it says which side is meant: this (device), other, or both.",
            valueName: "which"))
    var keep: KeepArgument?

    @Flag(
        help:
            "Also when many documents are gone at once: record that they were deleted, and delete what other devices deleted."
    )
    var allowDeletions = false

    @Flag(help: "Sync a folder and a vault that have nothing in common: each gets what the other has.")
    var merge = false

    @OptionGroup var secret: SecretOptions
    @OptionGroup var line: LineOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        try PingedCommand("sync", library: folder).run { counts in
            try Session.storing(library: folder, secret, common.output.reporter) { try sync($0, &counts) }
        }
    }

    /// `counts`: for a monitor.
    private func sync(_ session: Session, _ counts: inout Ping.Counts) throws {
        let started = Environment.monotonicSeconds
        let output = common.output
        let reporter = output.reporter
        guard let context = session.libraryContext(reporter) else { return }
        var options = Sync.Options()
        options.keep = try keep?.keepForAll()
        (options.backup.allowDeletions, options.backup.refuseStrangers) = (allowDeletions, !merge)
        options.backup.isByHand = true
        try session.prepareToStore()
        var places = PlacesOfRun(session)
        var summary = try session.run { _ in
            try places.fetch(context)
            return try Sync.run(context, options)
        }
        reporter.finish()
        if DeletionQuestion(summary.backup.heldBack, summary.removalsHeldBack).isMeant(output) {
            options.backup.allowDeletions = true
            let next = try session.run { _ in try Sync.run(context, options) }
            summary.merge(next)
        }
        if !summary.conflicts.isEmpty, !output.json, !output.quiet, ConflictPrompt.isPossible {
            summary = try session.run { _ in try ask(summary, context, options) }
        }
        counts = Ping.Counts(summary)
        let disputes = try SettingsDispute.all(in: context.library)
        let devices = DeviceNews.untold(of: context.library)
        places.bring(context)
        try SyncReport(summary, Environment.monotonicSeconds - started, disputes, devices, places)
            .tell(output, library: folder)
        try places.report(output)
        output.tell(devices, in: context.library)
        let outcome = SyncReport.outcome(of: summary)
        try end(outcome == .done && !places.isWhole ? .incomplete : outcome)
    }
}

extension SyncCommand {
    /// Asks about each conflict without the library's lock, and carries the answers out in one more sync.
    private func ask(
        _ before: Sync.Summary, _ context: EngineContext, _ options: Sync.Options
    ) throws -> Sync.Summary {
        let conflicts = try Conflicts.of(context)
        var prompt = ConflictPrompt(conflicts, context.vault, context.library.state)
        prompt.run(conflicts.all)
        Interruption.forget()
        guard !prompt.answers.isEmpty else { return before }
        var options = options
        options.answers = prompt.answers
        let after = try Sync.run(context, options)
        context.reporter.finish()
        var both = before
        both.merge(after)
        return both
    }
}

/// The result of a sync in words and JSON. `seconds`: how long it took.
struct SyncReport {
    private let summary: Sync.Summary
    private let seconds: Double
    private let disputes: [SettingsDispute]
    private let devices: DeviceNews
    /// nil after a sync that is part of another command.
    private let places: PlacesOfRun?

    /// `disputes`: settings that several devices made at the same time. `devices`: what became of others, for programs.
    init(
        _ summary: Sync.Summary, _ seconds: Double, _ disputes: [SettingsDispute] = [],
        _ devices: DeviceNews = DeviceNews(), _ places: PlacesOfRun? = nil
    ) {
        (self.summary, self.seconds, self.disputes, self.devices) = (summary, seconds, disputes, devices)
        self.places = places
    }

    /// Prints warnings, answers, the result, and conflicts that are left. `library`: as it was named; nil if it was not.
    func tell(_ output: Output, library: String?) throws {
        BackupCommand.warn(of: summary.backup, output)
        output.warnings(damaged)
        output.warnings(summary.storedAgain.map(CutOffWords.storedAgain))
        output.warnings(summary.waiting.map(\.sentence))
        output.warnings(disputes.flatMap(SettingsWords.sentences))
        if let first = summary.removalsHeldBack.first {
            output.warning(
                "other devices deleted \(Style.count(summary.removalsHeldBack.count, "document")) that this folder has, "
                    + "\(Display.text(first)) among them; nothing was removed here. If that is meant: `cue sync --allow-deletions`"
            )
        }
        for resolved in summary.resolved { output.line(Self.sentence(resolved)) }
        try output.object(SyncResult(summary, seconds, disputes, devices, places))
        if let drafts = CutOffWords.drafts(summary.backup.drafts) { output.line(drafts) }
        output.line(sentence)
        for line in NewsWords.lines(summary, library: library) { output.line(line) }
        for conflict in summary.conflicts {
            output.line("  conflict  \(Display.text(conflict.path))")
        }
        if !summary.conflicts.isEmpty && !output.json {
            let count = summary.conflicts.count
            output.line(
                "\(Style.count(count, "conflict")) need\(count == 1 ? "s" : "") you; all versions stay in the history. `cue conflicts` shows them, `cue resolve NAME` asks."
            )
        }
    }

    /// One line for each document that was cut short on this disk.
    var damaged: [String] {
        let back = Set(summary.received)
        return summary.backup.damaged.map { CutOffWords.damaged($0, isBack: back.contains($0)) }
    }

    /// The exit code.
    static func outcome(of summary: Sync.Summary) -> Outcome {
        if summary.isDamaged { return .damaged }
        if !summary.conflicts.isEmpty { return .conflict }
        let isIncomplete =
            !summary.waiting.isEmpty || !summary.backup.skipped.isEmpty
            || !summary.removalsHeldBack.isEmpty || !summary.backup.heldBack.isEmpty
            || !summary.backup.events.unreadable.isEmpty || summary.backup.lostPacks > 0
            || !summary.backup.falseClaims.isEmpty || !summary.backup.damaged.isEmpty
            || !summary.backup.keys.isWhole
        return isIncomplete ? .incomplete : .done
    }

    /// A resolved conflict, and how to undo the choice.
    static func sentence(_ resolved: ResolvedConflict) -> String {
        let name = Display.text(resolved.conflict.path)
        let (sides, id) = (resolved.conflict.sides, resolved.kept.version.id)
        let live = sides.count { !$0.isDeletion }
        let what =
            if resolved.kept.isDeletion {
                "deleted \(name), as one of the devices did; its versions stay in the vault"
            } else if !resolved.copies.isEmpty {
                "kept \(live == 2 ? "both" : live == 3 ? "all three" : "all \(live)"): \(name), and beside it "
                    + resolved.copies.map { Display.text($0) }.joined(separator: ", ")
            } else if sides.allSatisfy({ $0.isDeletion || $0.version.id == id }) {
                "kept \(name); it is not deleted"
            } else if sides.count == 2 {
                "kept \(resolved.kept.isHere ? "this device's" : "the other") \(name) (\(id.short)); the other stays in its history"
            } else {
                "kept \(resolved.kept.isHere ? "this device's " : "")\(name) (\(id.short)); the \(sides.count == 3 ? "two" : "\(sides.count - 1)") others stay in its history"
            }
        return "\(what). To undo: `cue resolve --undo \(ShellWord.quoted(name))`"
    }

    /// Whether a document or a folder was stored, received or removed.
    var hasDone: Bool { !documents.isEmpty || summary.folders > 0 || summary.backup.settings > 0 }

    /// What was done: `2 stored, 1 received`.
    var done: String { parts.isEmpty ? "nothing to do" : parts.joined(separator: ", ") }

    /// The result in one line.
    var sentence: String {
        return "snapshot \(summary.backup.snapshot?.short ?? "none")  \(done)  (\(Style.seconds(seconds)))"
    }

    private var documents: [String] {
        let (backup, untold) = (summary.backup, NewsWords.untold(summary))
        let counts = [
            (backup.new + backup.changed + backup.renamed, "stored"), (summary.received.count, "received"),
            (summary.renamed.count, "renamed here"), (summary.removed.count - untold.removed, "removed here"),
            (backup.removed - untold.deleted, "deleted"), (summary.allStoredAgain.count, "stored again"),
        ]
        return counts.filter { $0.0 > 0 }.map { "\(Style.number($0.0)) \($0.1)" }
    }

    private var parts: [String] {
        let backup = summary.backup
        let received = [SettingsWords.received(backup.settingsReceived)].compactMap(\.self)
        if !documents.isEmpty { return documents + received }
        // No document changed: maybe the rights of a folder did, or two versions were joined, or events went.
        if summary.folders > 0 { return ["\(Style.count(summary.folders, "folder")) received"] }
        let settings = [SettingsWords.stored(backup.settings)].compactMap(\.self) + received
        if !settings.isEmpty { return settings }
        if backup.touched > 0 { return ["\(Style.number(backup.touched)) changed only in times or rights"] }
        if backup.addedBytes > 0 { return ["\(Style.bytes(Int64(backup.addedBytes))) added"] }
        let (sent, got) = (backup.events.pushed, backup.events.pulled)
        return [(sent, "stored"), (got, "received")].filter { $0.0 > 0 }.map { "\(Style.count($0.0, "event")) \($0.1)" }
    }
}
