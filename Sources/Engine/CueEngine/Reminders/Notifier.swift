import CueBase
import CueLibrary
import CueSystem

/// Shows reminders by the writer's own command, else as a notification of the desktop, else not at all.
package struct Notifier: Sendable {
    /// The result of showing one reminder.
    package enum Outcome: Sendable, Equatable {
        /// The command ended without an error.
        case delivered
        /// There is neither a command nor notify-send.
        case noWay
        /// `.cue/library.toml` names this command, but it is not allowed on this device. It was not run.
        case notAllowed(String)
        /// The command failed, with the reason.
        case failed(String)
    }

    /// How reminders are shown.
    enum Way: Sendable, Equatable {
        /// By this shell command.
        case command(String)
        /// Not at all: this command is not allowed on this device.
        case notAllowed(String)
        /// By notify-send at this path.
        case desktop(String)
        /// Not at all: there is no way.
        case none
    }

    let way: Way

    /// The longest time for showing reminders, in seconds.
    package static let limit = 10.0

    init(_ way: Way) { self.way = way }

    /// The way of a library on this device. Throws if the local store cannot be read.
    package init(for library: OpenLibrary) throws {
        guard let command = library.marker.notifyCommand else {
            self.init(Environment.program("notify-send").map { .desktop($0.description) } ?? .none)
            return
        }
        // The marker is in a folder that others may have made or may write to: run their command only if it was allowed
        // here.
        let allowed = try library.store.read { try $0.value(.allowedNotifyCommand) }
        self.init(allowed == command ? .command(command) : .notAllowed(command))
    }

    /// The reason why it cannot show anything; nil if none is known.
    package var problem: Outcome? {
        switch way {
        case .command, .desktop: nil
        case .notAllowed(let command): .notAllowed(command)
        case .none: .noWay
        }
    }

    /// Allows the library's command on this device until it changes. Returns the command; nil if there is none.
    package static func allowCommand(of library: OpenLibrary) throws -> String? {
        guard let command = library.marker.notifyCommand else { return nil }
        try library.store.write { try $0.set(.allowedNotifyCommand, to: command) }
        return command
    }

    /// Shows one reminder, for `seconds` at most.
    package func deliver(_ reminder: Reminder, within seconds: Double = limit) -> Outcome {
        switch way {
        case .none: .noWay
        case .notAllowed(let command): .notAllowed(command)
        case .command(let command): run(command, [], reminder, "the command of [notify]", seconds)
        case .desktop(let program):
            // The body may be read as markup. Texts come as variables, so the shell never reads them as its own.
            run(
                "exec \"$1\" --app-name=cue -- \"$CUE_TITLE\" \"$CUE_MARKUP\"", [program], reminder, "notify-send",
                seconds)
        }
    }

    /// Runs a shell command with the reminder in its environment. `what` names the command in messages.
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
