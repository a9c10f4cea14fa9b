import CueBase
import CueLibrary
import CueSystem

/// Shows reminders: through the writer's own command, else as a notification of the desktop, else not at all.
package struct Notifier: Sendable {
    package enum Outcome: Sendable, Equatable {
        case delivered
        /// There is no command, and no notify-send.
        case noWay
        /// `.cue/library.toml` names a command that nobody allowed on this device; it was not run.
        case notAllowed(String)
        /// It was not delivered; says why.
        case failed(String)
    }

    enum Way: Sendable, Equatable {
        case command(String)
        case notAllowed(String)
        case desktop(String)
        case none
    }

    let way: Way

    /// How many seconds showing may take.
    package static let limit = 10.0

    init(_ way: Way) { self.way = way }

    package init(for library: OpenLibrary) throws {
        guard let command = library.marker.notifyCommand else {
            self.init(Environment.program("notify-send").map { .desktop($0.description) } ?? .none)
            return
        }
        // The marker lies in a folder that others may have made or may write to: a command of theirs is not run unasked.
        let allowed = try library.store.read { try $0.text(Self.allowedCommand) }
        self.init(allowed == command ? .command(command) : .notAllowed(command))
    }

    /// What keeps it from showing anything; nil if nothing is known to.
    package var problem: Outcome? {
        switch way {
        case .command, .desktop: nil
        case .notAllowed(let command): .notAllowed(command)
        case .none: .noWay
        }
    }

    /// Lets the library's command be run on this device, until it is changed; gives it, or nil where there is none.
    package static func allowCommand(of library: OpenLibrary) throws -> String? {
        guard let command = library.marker.notifyCommand else { return nil }
        try library.store.write { try $0.set(allowedCommand, command) }
        return command
    }

    private static let allowedCommand = "allowed notify command"

    /// Shows one reminder, and takes no longer than so many seconds.
    package func deliver(_ reminder: Reminder, within seconds: Double = limit) -> Outcome {
        switch way {
        case .none: .noWay
        case .notAllowed(let command): .notAllowed(command)
        case .command(let command): run(command, [], reminder, "the command of [notify]", seconds)
        case .desktop(let program):
            // The body may be read as markup; the words come by variable and never as the shell's own.
            run(
                "exec \"$1\" --app-name=cue -- \"$CUE_TITLE\" \"$CUE_MARKUP\"", [program], reminder, "notify-send",
                seconds)
        }
    }

    private func run(
        _ command: String, _ arguments: [String], _ reminder: Reminder, _ what: String, _ seconds: Double
    ) -> Outcome {
        var variables = ["CUE_ID": reminder.id, "CUE_TITLE": reminder.title, "CUE_BODY": reminder.body]
        variables["CUE_MARKUP"] = reminder.body.reduce(into: "") { text, letter in
            text += ["&": "&amp;", "<": "&lt;", ">": "&gt;"][letter] ?? String(letter)
        }
        return switch ShellRun.run(command, arguments, variables: variables, seconds: seconds) {
        case .exited(0): .delivered
        case .exited(let code): .failed("\(what) failed with exit code \(code)")
        case .signal(let number): .failed("\(what) was ended by signal \(number)")
        case .tookTooLong: .failed("\(what) took too long and was stopped")
        case .notStarted(let error): .failed("\(what) cannot be started: \(error.reason)")
        }
    }
}
