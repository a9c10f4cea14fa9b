import ArgumentParser
import CueBase
import CueEngine
import CueLibrary
import CueSystem

/// `cue project`.
struct ProjectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "project", abstract: "Set titles, deadlines and nudges of documents and folders.",
        discussion: """
            What is set goes to the vault with the next backup or sync, and to your other devices with their next sync. It \
            stays with a document that is renamed.
            """,
        subcommands: [ProjectSetCommand.self, ProjectShowCommand.self])
}

/// The library of a command that needs no vault.
struct LibraryOption: ParsableArguments {
    @Option(help: ArgumentHelp("The library. Without it, the one around the current folder.", valueName: "folder"))
    var library: String?

    /// Opens it. Throws `CueError` if there is none.
    func open() throws -> OpenLibrary { try Session.openLibrary(library, try StateFolder.standard()) }
}

/// `cue project set`.
struct ProjectSetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set what a document or folder is called, and when cue speaks up about it.",
        discussion: """
            What is not named stays as it is. Without more, a project is nudged about after 48 hours, at 9:00. The vault need \
            not be there: the next backup or sync stores what was set.
            """)

    @Argument(help: "A document or folder that is in the vault: a path in the library, or the end of one.")
    var name: String

    @Option(
        help: ArgumentHelp(
            "What reminders call it, instead of its name in the folder; none for that name.", valueName: "text"))
    var title: String?

    @Option(
        help: ArgumentHelp(
            "When it shall be done: 2026-12-31, or \"2026-12-31 18:00\"; none for no deadline.", valueName: "when"))
    var deadline: String?

    @Option(
        help: ArgumentHelp(
            "Nudge daily, afterInactivity (when nobody wrote for a while), or off.", valueName: "mode"))
    var nudge: String?

    @Option(help: ArgumentHelp("The time of day of the nudge: 9:00.", valueName: "time"))
    var at: String?

    @Option(help: ArgumentHelp("How long nobody may write before there is a nudge: 1 to 8760.", valueName: "hours"))
    var inactivityHours: String?

    @Flag(help: "Be silent about it.")
    var archive = false

    @Flag(help: "Speak up about it again.")
    var unarchive = false

    @OptionGroup var library: LibraryOption
    @OptionGroup var common: CommonOptions

    func validate() throws { try NameWords.refuse(empty: [name]) }

    func run() throws {
        let now = Environment.now
        let change = try change(now)
        let library = try library.open()
        let project = try library.project(name)
        try library.store.write { transaction in
            var settings = try transaction.settings(of: project.id) ?? ProjectSettings(setAt: now)
            try change(&settings)
            settings.setAt = now
            try transaction.set(settings, of: project.id)
        }
        let shown = try ProjectRow.all(of: library, now).first { $0.path == Display.text(project.path) }
        let output = common.output
        try output.object(ProjectResult(projects: shown.map { [$0] } ?? [], disputes: []))
        for line in shown?.lines ?? [] { output.line(line) }
        // A watcher stores it by itself.
        if WatchState.of(library) == nil { output.line(SettingsWords.waits) }
    }

    /// The change that the options ask for. Throws `CueError` before anything is opened.
    private func change(_ now: Timestamp) throws -> (inout ProjectSettings) throws -> Void {
        guard [title, deadline, nudge, at, inactivityHours].contains(where: { $0 != nil }) || archive || unarchive
        else {
            throw CueError(
                .usage, "nothing is named that shall be set",
                "give --title, --deadline, --nudge, --at, --inactivity-hours, --archive or --unarchive; `cue project show` shows what is set"
            )
        }
        guard !(archive && unarchive) else {
            throw CueError(.usage, "--archive and --unarchive are two different things: give one of them")
        }
        let title = try title.map { try SettingsWords.title($0) }
        let deadline = try deadline.map { try ReminderWords.deadline($0, now) }
        let nudge = try nudge.map { try ReminderWords.nudge($0) }
        let time = try at.map { try ReminderWords.timeOfDay($0) }
        let hours = try inactivityHours.map { try ReminderWords.hours($0) }
        return { settings in
            if let title { settings.title = title.text }
            if let deadline { settings.deadline = deadline.time }
            if let nudge { settings.nudgeEnabled = nudge != .off }
            if case .mode(let mode) = nudge { settings.nudgeMode = mode }
            if let time { (settings.nudgeHour, settings.nudgeMinute) = time }
            if let hours { settings.maxInactivityHours = hours }
            if archive || unarchive { settings.archived = archive }
        }
    }
}

/// `cue project show`.
struct ProjectShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what is set, and how the projects stand.")

    @Argument(help: "A document or folder. Without it, all for which something is set.")
    var name: String?

    @OptionGroup var library: LibraryOption
    @OptionGroup var common: CommonOptions

    func validate() throws { try NameWords.refuse(empty: [name].compactMap(\.self)) }

    func run() throws {
        let library = try library.open()
        var rows = try ProjectRow.all(of: library, Environment.now)
        if let name {
            let project = try library.project(name, common.output)
            rows = rows.filter { $0.path == Display.text(project.path) }
            if rows.isEmpty { rows = [ProjectRow(unset: project, try StoredProjects(library))] }
        }
        let output = common.output
        let paths = Set(rows.map(\.path))
        let disputes = try SettingsDispute.all(in: library).filter { paths.contains(Display.text($0.project.path)) }
        try output.object(ProjectResult(projects: rows, disputes: disputes.map { SettingsDisputeRow($0) }))
        for line in rows.flatMap(\.lines) { output.line(line) }
        output.warnings(disputes.flatMap(SettingsWords.sentences))
        if rows.isEmpty { output.line("Nothing is set for any project: `cue project set NAME --deadline WHEN` does.") }
    }
}
