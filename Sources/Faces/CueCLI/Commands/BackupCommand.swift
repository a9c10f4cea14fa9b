import ArgumentParser
import CueBase
import CueEngine
import CueEventLog
import CueLibrary
import CueSystem
import CueTerminal

/// `cue backup`. If many documents are gone at once, it asks, and a second run records the deletions.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Store what changed, and name the snapshot.",
        discussion: """
            Reads only documents that changed. Interrupted at any moment, everything that was stored stays, and the next run \
            goes on from there. Files that cannot be read are named, the others are stored, and the exit code is 3.
            """)

    @Argument(help: "The library. Without it, the one around the current folder.")
    var folder: String?

    @Flag(help: "Record that documents were deleted even if many are gone at once.")
    var allowDeletions = false

    @Flag(help: "Also store a folder in a vault with which it has nothing in common.")
    var merge = false

    @OptionGroup var secret: SecretOptions
    @OptionGroup var line: LineOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        try PingedCommand("backup", library: folder).run { counts in
            try Session.storing(library: folder, secret, common.output.reporter) { try backUp($0, &counts) }
        }
    }

    /// `counts`: for a monitor.
    private func backUp(_ session: Session, _ counts: inout Ping.Counts) throws {
        let started = Environment.monotonicSeconds
        let output = common.output
        let reporter = output.reporter
        guard let context = session.libraryContext(reporter) else { return }
        try session.prepareToStore()
        var places = PlacesOfRun(session)
        func once(_ allowDeletions: Bool) throws -> Backup.Summary {
            defer { reporter.finish() }
            var options = Backup.Options()
            (options.allowDeletions, options.refuseStrangers, options.isByHand) = (allowDeletions, !merge, true)
            return try session.run { _ in try Backup.run(context, options) }
        }
        var summary = try once(allowDeletions)
        if DeletionQuestion(summary.heldBack).isMeant(output) { summary.merge(try once(true)) }
        counts = Ping.Counts(summary)
        places.bring(context)
        let seconds = Environment.monotonicSeconds - started
        Self.warn(of: summary, output)
        output.warnings(summary.damaged.map { CutOffWords.damaged($0, isBack: false) })
        output.warnings(summary.notArrived.map(\.waitingSentence))
        try output.object(BackupResult(summary, places, seconds))
        if let drafts = CutOffWords.drafts(summary.drafts) { output.line(drafts) }
        output.line(Self.sentence(summary, seconds))
        for line in NewsWords.lines(summary, library: folder) { output.line(line) }
        try places.report(output)
        let isWhole =
            summary.skipped.isEmpty && summary.heldBack.isEmpty && summary.events.unreadable.isEmpty
            && summary.notArrived.isEmpty && summary.lostPacks == 0 && summary.falseClaims.isEmpty
            && summary.damaged.isEmpty
            && summary.keys.isWhole && places.isWhole
        try end(isWhole ? .done : .incomplete)
    }

    /// Warns of everything that is not in the vault as it is in the folder. Also for a sync.
    static func warn(of summary: Backup.Summary, _ output: Output) {
        output.warnings(
            summary.skipped.map { "\($0.shownPath): \($0.reason.words); it is not in this snapshot as it is now" })
        output.warnings(
            summary.unsettled.map {
                "\(Display.text($0)): it kept changing while it was read; stored as it was then, and the next backup reads it again"
            })
        output.warnings(
            summary.conflicting.map {
                "\(Display.text($0)): the vault has something else under this name; both are kept"
            })
        if summary.lostPacks > 0 { output.warning(PackWords.lost(summary.lostPacks)) }
        if let again = PackWords.storedAgain(summary.storedAgain) { output.warning(again) }
        output.warnings(summary.falseClaims.map { PackWords.sentence($0) })
        output.warnings(KeyWords.warnings(summary.keys))
        if summary.newDevice {
            output.warning("another device uses this one's memory (a cloned disk?); this one goes on under a new id")
        }
        warn(of: summary.events, output)
        if let first = summary.heldBack.first {
            output.warning(
                "\(Style.count(summary.heldBack.count, "document")) \(summary.heldBack.count == 1 ? "is" : "are") gone from this folder, "
                    + "\(Display.text(first)) among them; \(summary.heldBack.count == 1 ? "its" : "their") deletion is not recorded. "
                    + "Is the folder all there? If it is meant, say --allow-deletions; if not, `cue restore` brings them back"
            )
        }
    }

    /// Warns of batches that were lost, and of entries that are no events.
    private static func warn(of events: EventExchange.Summary, _ output: Output) {
        output.warnings(
            events.unreadable.map {
                "events: \($0.words); it is tried again the next time, and documents are not affected"
            })
        if events.lostBatches > 0 { output.warning(EventWords.lost(events.lostBatches)) }
        if events.setAside > 0 { output.warning(EventWords.setAside(events.setAside)) }
    }

    /// The result in one line.
    private static func sentence(_ summary: Backup.Summary, _ seconds: Double) -> String {
        var parts = [Style.count(summary.documents, "document")]
        for (count, what) in [
            (summary.new, "new"), (summary.changed, "changed"), (summary.renamed, "renamed"),
            (summary.removed, "removed"), (summary.touched, "changed only in times or rights"),
        ] where count > 0 { parts.append("\(Style.number(count)) \(what)") }
        if let settings = SettingsWords.stored(summary.settings) { parts.append(settings) }
        if parts.count == 1 && summary.addedBytes == 0 { parts.append("nothing changed") }
        if summary.addedBytes > 0 { parts.append("\(Style.bytes(Int64(summary.addedBytes))) added") }
        return
            "snapshot \(summary.snapshot?.short ?? "none")  \(parts.joined(separator: ", "))  (\(Style.seconds(seconds)))"
    }
}
