import ArgumentParser
import CueBase
import CueEngine
import CueLibrary
import CueSystem
import CueTerminal

/// `cue nudge`: shows reminders, puts them off, or allows the library's command.
struct NudgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nudge", abstract: "Say what is due, and what comes next.",
        discussion: "Looks at what was set with `cue project set`; the vault need not be there.")

    @Argument(
        help: "With --snooze: how long to put it off, or until when: 30m, 2d, 14:30, tomorrow. Without it, an hour.")
    var duration: String?

    @Option(help: ArgumentHelp("Put off what is due for this project, and remind once more.", valueName: "name"))
    var snooze: String?

    @Flag(help: "Let the command of [notify] in .cue/library.toml be run on this device, as it is now.")
    var allowCommand = false

    @OptionGroup var library: LibraryOption
    @OptionGroup var common: CommonOptions

    func validate() throws {
        try NameWords.refuse(empty: [snooze].compactMap(\.self))
        guard duration == nil || snooze != nil else {
            throw ValidationError("A time to put something off needs a name: `cue nudge --snooze NAME TIME`.")
        }
        guard snooze == nil || !allowCommand else {
            throw ValidationError("--snooze and --allow-command are two different things: give one of them.")
        }
    }

    func run() throws {
        let text = duration ?? "1h"
        // Refused before anything is opened.
        _ = try ReminderWords.later(text, Environment.now)
        let library = try library.open()
        if allowCommand {
            try allow(in: library)
        } else if let snooze {
            try putOff(snooze, text, in: library)
        } else {
            try show(library)
        }
    }

    /// Prints due and coming reminders. They do not count as shown.
    private func show(_ library: OpenLibrary) throws {
        let paths = Dictionary(
            try Reminders.projects(of: library).map { ($0.id, Display.text($0.path)) },
            uniquingKeysWith: { one, _ in one })
        let reminders = try Reminders.of(library).map {
            (isDue: $0.isDue, row: ReminderRow($0, path: $0.project.flatMap { paths[$0] }))
        }
        let (due, next) = (reminders.filter(\.isDue).map(\.row), reminders.filter { !$0.isDue }.map(\.row))
        let forbidden: String? =
            if case .notAllowed(let command)? = try Notifier(for: library, \.text).problem { command } else { nil }
        let output = common.output
        try output.object(NudgeResult(due: due, next: next, commandNotAllowed: forbidden))
        output.line(
            due.isEmpty
                ? "Nothing is due." : "\(Style.count(due.count, "reminder")) \(due.count == 1 ? "is" : "are") due.")
        for row in due { output.line("  now               \(row.title): \(row.body)") }
        // In quotes: this is the text of the later reminder.
        for row in next.prefix(20) { output.line("  \(row.shown)  \(row.title): \"\(row.body)\"") }
        if next.count > 20 { output.line("  and \(Style.number(next.count - 20)) more: --json lists all") }
        if let forbidden {
            output.warning(
                "the command of [notify] in .cue/library.toml is not run on this device before it is allowed: \(Display.text(Array(forbidden.utf8))); `cue nudge --allow-command` allows it"
            )
        }
    }

    /// Snoozes a project.
    private func putOff(_ name: String, _ text: String, in library: OpenLibrary) throws {
        let project = try library.project(name)
        let settings = try library.store.read { try $0.settings(of: project.id) }
        guard settings?.archived != true else {
            throw CueError(
                .failed, "\(Display.text(project.path)) is archived, and cue is silent about it; nothing was changed",
                "`cue project set NAME --unarchive` takes it back")
        }
        let end = try ReminderWords.later(text, library.clock.now)
        let reminder = try Reminders.snooze(project, until: end, in: library)
        let row = ReminderRow(reminder, path: Display.text(project.path))
        try common.output.object(SnoozeResult(snoozed: row))
        common.output.line("cue reminds you of \(Display.text(project.path)) at \(row.shown).")
    }

    /// Allows the library's command for reminders on this device.
    private func allow(in library: OpenLibrary) throws {
        guard let command = try Notifier.allowCommand(of: library) else {
            throw CueError(
                .failed, ".cue/library.toml names no command under [notify]; nothing was changed",
                "without one, notify-send shows reminders where it is there")
        }
        try common.output.object(AllowResult(allowed: command))
        common.output.line("This device shows reminders with: \(Display.text(Array(command.utf8)))")
    }
}
