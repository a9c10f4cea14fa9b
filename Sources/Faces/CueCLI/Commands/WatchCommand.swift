import ArgumentParser
import CueBase
import CueCrypto
import CueEngine
import CueLibrary
import CueSystem
import CueTerminal
import CueVault
import Logging

/// `cue watch`: runs a watcher, or installs it as a service.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Sync by itself, some time after the last keystroke.",
        discussion: """
            A document is stored when it was left alone for 30 seconds, and at the latest after 5 minutes of writing. What other \
            devices store arrives within a minute, from a vault in a folder within seconds. While the vault cannot be reached, \
            changes wait. On Ctrl-C, at the end of the session and on SIGTERM what waits is stored, and the exit code is 0.

            With --json it prints what happens to the standard output, one JSON object a line, and no log.

            What is not named here is as [watch] debounce and verify_days in .cue/library.toml say, and as usual without them.
            A monitor at the address of [notify] ping hears that all is well, and what is not.
            """)

    @Argument(help: "The library. Without it, the one around the current folder.")
    var folder: String?

    @Option(
        help: ArgumentHelp(
            "How long a document must be left alone: 45, 30s or 5m, at most an hour; usually 30s.",
            valueName: "duration"))
    var debounce: String?

    @Option(help: ArgumentHelp("How often to look for what other devices stored; usually 60s.", valueName: "duration"))
    var poll: String?

    @Option(
        help: ArgumentHelp(
            "In how many days all of the vault is read back: 30, 30d or 8w, 0 for never; usually 30.",
            valueName: "days"))
    var verifyDays: String?

    /// The longest time in seconds until a document is stored. For tests, which cannot wait five minutes.
    @Option(help: .hidden)
    var limit: Double?

    @Option(help: .hidden)
    var rescan: Double?

    @Flag(help: "Run it as a service of systemd whenever you are logged in.")
    var install = false

    @Flag(help: "Stop that service and remove it.")
    var uninstall = false

    @Flag(name: .customLong("print"), help: "With --install: only print the unit.")
    var printUnit = false

    @OptionGroup var secret: SecretOptions
    @OptionGroup var line: LineOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if printUnit && !install { throw ValidationError("--print belongs to --install.") }
        if install && uninstall {
            throw ValidationError("--install and --uninstall are two different things: give one of them.")
        }
        if uninstall,
            let option = [("--debounce", debounce), ("--poll", poll), ("--verify-days", verifyDays)]
                .first(where: { $0.1 != nil })
        {
            throw ValidationError("--uninstall removes the service as it is: leave \(option.0) out.")
        }
        if install || uninstall {
            if secret.passphraseFile != nil {
                throw ValidationError(
                    "A service uses the key that this device remembers: leave --passphrase-file out; "
                        + "`cue backup --passphrase-file FILE` reads it once.")
            }
            if common.json {
                throw ValidationError("--json is for a watcher that runs: give it without --install and --uninstall.")
            }
        }
        if common.json && common.quiet {
            throw ValidationError("--quiet leaves lines out, and --json prints every one: give one of them.")
        }
        _ = (try debounceSeconds, try pollSeconds, try days)
    }

    private var debounceSeconds: Double? {
        get throws { try debounce.map { try Self.seconds($0, "--debounce", LibraryMarker.debounceRange) } }
    }

    private var pollSeconds: Double? { get throws { try poll.map { try Self.seconds($0, "--poll", 1...86_400) } } }

    /// A number alone counts seconds.
    private static func seconds(_ text: String, _ option: String, _ range: ClosedRange<Double>) throws -> Double {
        guard let seconds = WrittenDuration(text, plain: .second)?.seconds, range.contains(seconds) else {
            throw ValidationError(DurationWords.refused(option, range))
        }
        return seconds
    }

    private var days: Int? {
        get throws {
            guard let verifyDays else { return nil }
            let range = LibraryMarker.verifyRange
            guard let seconds = WrittenDuration(verifyDays, plain: .day)?.seconds,
                let days = Int(exactly: seconds / 86_400), range.contains(days)
            else { throw ValidationError(DurationWords.days("--verify-days", range)) }
            return days
        }
    }

    func run() throws {
        let output = common.output
        if install || uninstall { return try unit(output) }
        let (library, ring) = try open()
        let log = Logger(label: "cue") { _ in JournalLog() }
        let monitor = WatchMonitor(log, isLogging: !output.json)
        let helpers = Watcher.Helpers(
            openVault: { library in try Session.reopenAnywhere(ring, library) },
            openAt: { library, place in try Session.reopen(place, ring, library) },
            openPlace: Session.openPlace,
            words: \.text,
            // With JSON nothing stands on the standard error.
            lastWords: { count, phase in output.json ? "" : WatchState.lastWords(count, phase) },
            tell: { event in
                monitor.tell(event)
                if output.json { return WatchLine.lines(event).forEach { try? output.object($0) } }
                WatchLog(log, output).tell(event)
                // Once, when the vault goes away: not with each try.
                guard case .offline = event,
                    let now = try? Session.openLibrary("\(library.path)", library.state),
                    let found = FoundVault(of: now)
                else { return }
                log.notice("hint: \(found.hint)")
            })
        let given = (debounce: try debounceSeconds, poll: try pollSeconds, days: try days)
        func settings(_ marker: LibraryMarker) -> Watcher.Options {
            monitor.use(marker)
            return options(marker, given)
        }
        var watcher: Watcher
        do { watcher = try Watcher(library, settings, helpers) } catch {
            throw CueError.describing(error, vault: library.marker.vault)
        }
        defer { monitor.finish() }
        try watcher.run()
        try output.object(WatchLine.ended)
    }

    /// Options of the command line, then of the marker, then the defaults.
    private func options(
        _ marker: LibraryMarker, _ given: (debounce: Double?, poll: Double?, days: Int?)
    ) -> Watcher.Options {
        var options = Watcher.Options()
        options.debounce = given.debounce ?? marker.watchDebounce ?? options.debounce
        options.verifyDays = given.days ?? marker.verifyDays ?? options.verifyDays
        if let poll = given.poll { options.poll = poll }
        options.limit = max(limit ?? options.limit, options.debounce)
        if let rescan { options.rescan = rescan }
        return options
    }

    /// The arguments that the service gets.
    private var unitOptions: [String] {
        get throws {
            let seconds = [("--debounce", try debounceSeconds), ("--poll", try pollSeconds)]
            return seconds.compactMap { name, value in value.map { "\(name) \($0)" } }
                + (try days.map { ["--verify-days \($0)"] } ?? [])
        }
    }

    /// Opens the library and gets the key now, while a person is there. With a remembered key the vault may come later:
    /// at the start of a session its disk may not be mounted yet.
    private func open() throws -> (OpenLibrary, KeyRing) {
        let library = try Session.openLibrary(folder, try StateFolder.standard())
        do {
            let session = try Session.open(vault: nil, library: folder, secret)
            return (session.library ?? library, session.vault.keyRing)
        } catch let error as CueError where error.heals {
            let id = try library.store.read { try $0.value(.vault) }
            guard let id, let ring = try library.state.keyRing(of: id) else { throw error }
            return (library, ring)
        }
    }

    /// The error if this device does not remember the key; else nil. A service cannot ask for a passphrase and would
    /// fail every 30 seconds.
    private func missingKey(_ library: OpenLibrary) throws -> CueError? {
        let id = try library.store.read { try $0.value(.vault) }
        if let id, try library.state.keyRing(of: id) != nil { return nil }
        let asks = "`cue backup` asks for the passphrase once, and then remembers the key"
        return CueError(
            .failed, "this device does not remember the key of the vault, so a service could never start",
            library.marker.rememberKey
                ? asks
                : "take `remember = false` out of .cue/library.toml; then \(asks)",
            "or run `cue watch` in a terminal, which asks")
    }

    /// Prints, installs or removes the service.
    private func unit(_ output: Output) throws {
        let library = try Session.openLibrary(folder, try StateFolder.standard())
        let unit = try WatchUnit(
            library.path, library.marker, places: try LibraryPlaces.all(of: library), options: try unitOptions)
        if install, let missing = try missingKey(library) ?? unit.placeWithoutKey.map(RemoteWords.noKeyForService) {
            guard printUnit else { throw missing }
            output.warning(missing.message + "; " + missing.hints.joined(separator: "; "))
        }
        if printUnit { return Output.print(unit.text) }
        if uninstall {
            return output.line(
                try unit.uninstall()
                    ? "stopped and removed \(unit.name)" : "there is no \(unit.name); nothing was changed")
        }
        let (path, problem) = try unit.install()
        output.line("wrote \(path)")
        if let problem {
            output.warning(problem)
        } else {
            output.line("\(library.path) is watched from now on; `cue status` says how it goes")
        }
    }
}

/// Logs the events of a watcher, one line each.
private struct WatchLog {
    private let log: Logger
    private let output: Output

    init(_ log: Logger, _ output: Output) { (self.log, self.output) = (log, output) }

    func tell(_ event: Watcher.Event) {
        switch event {
        case .started(let folders, let limitation):
            info("watching \(Style.count(folders, "folder"))")
            if let limitation { log.warning("\(limitation.words): changes are found by looking, every minute") }
        case .recovered(let isVaultBack):
            log.notice("\(isVaultBack ? "the vault is back" : "that is over; storing works again")")
        // Their result has a line of its own.
        case .changed, .syncing, .failedAgain: break
        case .saved(let summary, _, let seconds): saved(summary, seconds)
        case .offline(let failure, let nextTry):
            let again = nextTry.map { ", and is tried again in \(Style.seconds($0)) and after" } ?? ""
            log.notice("\(failure.words.problem); what is new waits\(again)")
        case .asideFailed(let failure): error(failure.words)
        case .error(let failure):
            error(failure.words)
            for hint in failure.words.hints { log.notice("hint: \(hint)") }
        case .folderAway: log.warning("the folder is not there; what was stored of it is in the vault")
        case .rescan(let reason): log.notice("\(reason.words): looking at everything")
        case .settings(nil): info("what .cue/library.toml says now counts from here on")
        case .settings(let problem?): log.warning("\(problem.words.problem); what it said before goes on")
        case .reminded(let reminder, let outcome): reminded(reminder, outcome)
        case .place(let report):
            for text in PlaceWords.warnings([report]) + PlaceWords.lockWarnings([report]) { log.warning("\(text)") }
            if report.outcome == .complete { log.notice("\(PlaceWords.caughtUp(report.place))") }
        case .verified(let report):
            for problem in report.problems { log.error("the vault is damaged: \(problem.sentence)") }
            if report.problems.isEmpty {
                info("read \(Style.count(report.packs, "pack")) of the vault back: all right")
            }
        case .locked(let summary): info(RemoteWords.locked(summary))
        case .unsaved(let count):
            let what =
                count == 0
                ? "the last sync did not end well; nothing is known that waits"
                : "\(Style.count(count, "document")) stay\(count == 1 ? "s" : "") in the folder and \(count == 1 ? "is" : "are") not stored yet"
            log.warning("\(what); the next `cue watch`, `cue sync` or `cue backup` stores what is new")
        case .stopping: info("storing what waits, and stopping")
        }
    }

    private func error(_ words: CueError) {
        log.error("\(words.problem); what is stored is safe, and what is new stays in the folder")
    }

    private func reminded(_ reminder: Reminder, _ outcome: Notifier.Outcome) {
        // The problem has a log line of its own already.
        if outcome == .noWay, [.damage, .error, .conflict].contains(reminder.kind) { return }
        let reminder = reminder.text
        switch outcome {
        case .delivered: info("reminded: \(reminder.title): \(reminder.body)")
        case .noWay: log.notice("\(reminder.title): \(reminder.body)")
        case .notAllowed(let command):
            log.warning(
                "\(reminder.title): \(reminder.body) (not shown: the command \(command) is not allowed here; `cue nudge --allow-command`)"
            )
        case .failed(let tool, let failure):
            log.warning("\(reminder.title): \(reminder.body) (not shown: \(failure.words(of: tool)))")
        }
    }

    /// A line that `--quiet` leaves out.
    private func info(_ text: String) { if !output.quiet { log.info("\(text)") } }

    /// The result of one sync, and everything that it could not do.
    private func saved(_ summary: Sync.Summary, _ seconds: Double) {
        let report = SyncReport(summary, seconds)
        if report.hasDone { info(report.sentence) }
        for path in summary.storedAgain { log.warning("\(CutOffWords.storedAgain(path))") }
        for waiting in summary.waiting { log.warning("\(waiting.sentence)") }
        for damaged in report.damaged { log.warning("\(damaged)") }
        if let drafts = CutOffWords.drafts(summary.backup.drafts) { info(drafts) }
        if summary.backup.lostPacks > 0 {
            log.error("\(PackWords.lost(summary.backup.lostPacks))")
        }
        if let again = PackWords.storedAgain(summary.backup.storedAgain) { log.warning("\(again)") }
        for claim in summary.backup.falseClaims { log.error("\(PackWords.sentence(claim))") }
        for skipped in summary.backup.skipped { log.warning("\(skipped.shownPath): \(skipped.reason.words)") }
        if let first = summary.backup.heldBack.first {
            log.warning(
                "\(Style.count(summary.backup.heldBack.count, "document")) \(summary.backup.heldBack.count == 1 ? "is" : "are") gone, \(Display.text(first)) among them; `cue sync` asks whether that is meant"
            )
        }
        if let first = summary.removalsHeldBack.first {
            log.warning(
                "other devices deleted \(Style.count(summary.removalsHeldBack.count, "document")), \(Display.text(first)) among them; `cue sync` asks whether that is meant"
            )
        }
        if !summary.conflicts.isEmpty {
            let count = summary.conflicts.count
            log.warning("\(Style.count(count, "conflict")) need\(count == 1 ? "s" : "") you: `cue sync` asks")
        }
    }
}
