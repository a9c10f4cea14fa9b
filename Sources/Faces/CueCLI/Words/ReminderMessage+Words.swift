import CueBase
import CueEngine
import CueLibrary

extension Reminder {
    /// The text for a notification.
    var text: Notifier.Text { Notifier.Text(title: message.title, body: message.body) }
}

extension ReminderMessage {
    private static let daily = [
        "Your time to write.", "A page, a line, a comma: all of it counts.", "Where did you leave them yesterday?",
        "Ten minutes are a start.", "What happens next?",
    ]
    private static let quiet = [
        "One sentence is enough to begin.", "Read the last page, and see what it asks for.",
        "It need not be good yet.", "Ten minutes are a start.", "What happens next?",
    ]

    /// One line.
    var title: String {
        switch self {
        case .nudge(let title, _, _, _), .deadline(let title, _, _, _, _), .snoozed(let title),
            .wordsFell(let title, _, _, _, _):
            title
        case .backup(let days, _): "No backup for \(days) day\(days == 1 ? "" : "s")"
        case .damaged: "The vault is damaged"
        case .failing: "Nothing is stored just now"
        case .conflicts(let paths): paths.count == 1 ? "A conflict needs you" : "\(paths.count) conflicts need you"
        }
    }

    /// One or more sentences.
    var body: String {
        switch self {
        case .nudge(_, .daily, _, let choice): return Self.daily[choice % Self.daily.count]
        case .nudge(_, .afterInactivity, let days, let choice):
            let text = Self.quiet[choice % Self.quiet.count]
            return days < 1 ? text : "Untouched for \(days) day\(days == 1 ? "" : "s"). \(text)"
        case .deadline(_, let days, let isPast, let day, let time):
            let verb = isPast ? "was" : "is"
            switch days {
            case 0: return "The deadline \(verb) today at \(time)."
            case 1: return "The deadline is tomorrow at \(time)."
            case -1: return "The deadline was yesterday at \(time)."
            default: return "The deadline \(verb) on \(day) at \(time)."
            }
        case .snoozed: return "You asked to be reminded now."
        case .backup(_, let last):
            return
                "All was last in the vault on \(last). Is its disk plugged in? `cue sync` or `cue backup` stores what "
                + "changed."
        case .wordsFell(_, let path, let before, let after, let version):
            return "It has \(after == 1 ? "1 word" : "\(after) words") now, and had \(before) before. If that was not "
                + "meant: version \(version.short) is kept, and `cue restore \(ShellWord.inQuotes(Display.text(path))) "
                + "--version \(version.short)` brings it back."
        case .damaged(let problem, let more):
            return
                "\(problem.sentence)\(more > 0 ? " (and \(more) more)" : ""). What is in your folder is not touched by "
                + "it; `cue check --read-data` says what can still be read."
        case .failing(let failure):
            let words = failure.words
            return "\(words.problem). What is stored is safe, and what you write stays in your folder. "
                + (words.hints.first.map { "What to do: \($0)\($0.hasSuffix("?") ? "" : ".")" }
                    ?? "`cue status` says how it goes.")
        case .conflicts(let paths):
            let names = paths.prefix(3).map { Display.text($0) }.joined(separator: ", ")
            return
                "Changed on two devices: \(names)\(paths.count > 3 ? " and \(paths.count - 3) more" : ""). All versions "
                + "are in the vault; `cue sync` asks which one to keep."
        }
    }
}

extension Notifier.Tool {
    fileprivate var words: String {
        switch self {
        case .command: "the command of [notify]"
        case .notifySend: "notify-send"
        }
    }
}

extension Notifier.Failure {
    /// The reason why a reminder was not shown.
    func words(of tool: Notifier.Tool) -> String {
        switch self {
        case .exited(let code): "\(tool.words) failed with exit code \(code)"
        case .signal(let number): "\(tool.words) was ended by signal \(number)"
        case .tookTooLong: "\(tool.words) took too long and was stopped"
        case .notStarted(let error): "\(tool.words) cannot be started: \(error.words)"
        }
    }
}
