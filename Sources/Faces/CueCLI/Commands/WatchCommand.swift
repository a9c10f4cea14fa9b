import ArgumentParser
import CueBase
import CueCrypto
import CueEngine
import CueLibrary
import CueSystem
import CueTerminal
import CueVault
import Logging

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Sync by itself, some time after the last keystroke.",
        discussion: """
            A document is stored when it was left alone for 30 seconds, and at the latest after 5 minutes of writing. What other \
            devices store arrives within a minute, from a vault in a folder within seconds. While the vault cannot be reached, \
            changes wait. On Ctrl-C, at the end of the session and on SIGTERM what waits is stored, and the exit code is 0.
            """)

    @Argument(help: "The library. Without it, the one around the current folder.")
    var folder: String?

    @Option(help: ArgumentHelp("How long a document must be left alone.", valueName: "seconds"))
    var debounce: Double?

    @Option(help: ArgumentHelp("How often to look for what other devices stored.", valueName: "seconds"))
    var poll: Double?

    /// For tests: nobody waits five minutes for one.
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
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if printUnit && !install { throw ValidationError("--print belongs to --install.") }
        if install && uninstall {
            throw ValidationError("--install and --uninstall are two different things: give one of them.")
        }
        for (name, value, range) in [("--debounce", debounce, 0.1...3600), ("--poll", poll, 1...86_400)] {
            if let value, !range.contains(value) {
                throw ValidationError("\(name) is a number of seconds from \(range.lowerBound) to \(range.upperBound).")
            }
        }
    }

    func run() throws {
        let output = common.output
        if install || uninstall { return try unit(output) }
        let (library, location, key) = try open()
        var options = Watcher.Options()
        if let debounce { options.debounce = debounce }
        if let poll { options.poll = poll }
        options.limit = max(limit ?? options.limit, options.debounce)
        if let rescan { options.rescan = rescan }
        let log = Logger(label: "cue") { _ in JournalLog() }
        let helpers = Watcher.Helpers(
            openVault: { library in try Session.reopen(location, key, library) },
            describe: { error in
                if let other = error as? Watcher.OtherLibrary {
                    return Watcher.Failure(
                        message: "another library is at \(other.path) now; nothing of it was stored", heals: false)
                }
                let told = CueError.describing(error, vault: location.description).printable
                return Watcher.Failure(message: told.message, heals: told.outcome == .unreachable)
            },
            tell: { event in WatchLog(log, output).tell(event) })
        var watcher: Watcher
        do { watcher = try Watcher(library, options, helpers) } catch {
            throw CueError.describing(error, vault: location.description)
        }
        try watcher.run()
    }

    private var unitOptions: [String] {
        [("--debounce", debounce), ("--poll", poll)].compactMap { name, value in value.map { "\(name) \($0)" } }
    }

    /// The key is asked for now, while somebody is there. Where it is remembered, the vault may come later: at the start of a session
    /// its disk may not be mounted yet.
    private func open() throws -> (OpenLibrary, VaultLocation, VaultKey) {
        let library = try Session.openLibrary(folder, try StateFolder.standard())
        do {
            let vault = try Session.open(vault: nil, library: folder, secret).vault
            return (library, try VaultLocation(stored: library.marker.vault), vault.key)
        } catch let error as CueError where error.outcome == .unreachable {
            let id = try library.store.read { try $0.text("vault") }.flatMap { VaultID($0) }
            guard let id, let key = try library.state.key(of: id) else { throw error }
            return (library, try VaultLocation(stored: library.marker.vault), VaultKey(key, vault: id))
        }
    }

    private func unit(_ output: Output) throws {
        let library = try Session.openLibrary(folder, try StateFolder.standard())
        let unit = try WatchUnit(library.path, library.marker, options: unitOptions)
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

/// What a watcher does, in one line each.
private struct WatchLog {
    private let log: Logger
    private let output: Output

    init(_ log: Logger, _ output: Output) { (self.log, self.output) = (log, output) }

    func tell(_ event: Watcher.Event) {
        switch event {
        case .started(let folders, let limitation):
            info("watching \(Style.count(folders, "folder"))")
            if let limitation { log.warning("\(limitation): changes are found by looking, every minute") }
        case .saved(let summary, let seconds): saved(summary, seconds)
        case .offline(let message, let nextTry):
            log.notice("\(message); what is new waits, and is tried again in \(Style.seconds(nextTry)) and after")
        case .error(let message): log.error("\(message)")
        case .rescan(let reason): log.notice("\(reason): looking at everything")
        case .reminded(let reminder, let outcome): reminded(reminder, outcome)
        case .verified(let report):
            for problem in report.problems { log.error("the vault is damaged: \(problem)") }
            if report.problems.isEmpty {
                info("read \(Style.count(report.packs, "pack")) of the vault back: all right")
            }
        case .unsaved(let count):
            log.warning("\(Style.count(count, "document")) could not be stored any more; the next start of cue does it")
        case .stopping: info("storing what waits, and stopping")
        }
    }

    private func reminded(_ reminder: Reminder, _ outcome: Notifier.Outcome) {
        switch outcome {
        case .delivered: info("reminded: \(reminder.title): \(reminder.body)")
        case .noWay: log.notice("\(reminder.title): \(reminder.body)")
        case .notAllowed(let command):
            log.warning(
                "\(reminder.title): \(reminder.body) (not shown: the command \(command) is not allowed here; `cue nudge --allow-command`)"
            )
        case .failed(let reason): log.warning("\(reminder.title): \(reminder.body) (not shown: \(reason))")
        }
    }

    private func info(_ text: String) { if !output.quiet { log.info("\(text)") } }

    private func saved(_ summary: Sync.Summary, _ seconds: Double) {
        let report = SyncReport(summary, seconds)
        if report.hasDone { info(report.sentence) }
        for waiting in summary.waiting { log.warning("\(Display.text(waiting.path)): \(waiting.reason)") }
        for skipped in summary.backup.skipped { log.warning("\(Display.text(skipped.path)): \(skipped.reason)") }
        if let first = summary.backup.heldBack.first {
            log.warning(
                "\(Style.count(summary.backup.heldBack.count, "document")) are gone, \(Display.text(first)) among them; `cue sync` asks whether that is meant"
            )
        }
        if let first = summary.removalsHeldBack.first {
            log.warning(
                "other devices deleted \(Style.count(summary.removalsHeldBack.count, "document")), \(Display.text(first)) among them; `cue sync` asks whether that is meant"
            )
        }
        if !summary.conflicts.isEmpty {
            log.warning("\(Style.count(summary.conflicts.count, "conflict")) need you: `cue sync` asks")
        }
    }
}
