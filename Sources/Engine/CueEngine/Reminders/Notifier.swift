import CueBase
import CueLibrary
package import CueSystem

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
        /// The command failed.
        case failed(Tool, Failure)
    }

    /// The program that shows reminders.
    package enum Tool: Sendable, Equatable {
        /// The command of `.cue/library.toml`.
        case command
        case notifySend
    }

    /// The ways in which that program fails.
    package enum Failure: Sendable, Equatable {
        /// It ended with this code.
        case exited(Int32)
        /// A signal ended it.
        case signal(Int32)
        /// It took longer than it may, and was stopped.
        case tookTooLong
        /// It could not be started.
        case notStarted(SystemError)
    }

    /// The title and the body of a reminder, in plain text.
    package struct Text: Sendable, Equatable {
        /// One line.
        package let title: String
        /// One or more sentences.
        package let body: String

        /// Memberwise.
        package init(title: String, body: String) { (self.title, self.body) = (title, body) }
    }

    /// Writes the text of a reminder.
    package typealias Words = @Sendable (Reminder) -> Text

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
    private let words: Words

    /// The longest time for showing reminders, in seconds.
    package static let limit = 10.0

    init(_ way: Way, _ words: @escaping Words) { (self.way, self.words) = (way, words) }

    /// The way of a library on this device. Throws if the local store cannot be read.
    package init(for library: OpenLibrary, _ words: @escaping Words) throws {
        guard let command = library.marker.notifyCommand else {
            self.init(Environment.program("notify-send").map { .desktop($0.description) } ?? .none, words)
            return
        }
        // The marker is in a folder that others may have made or may write to: run their command only if it was allowed
        // here.
        let allowed = try library.store.read { try $0.value(.allowedNotifyCommand) }
        self.init(allowed == command ? .command(command) : .notAllowed(command), words)
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
        case .command(let command): run(command, [], reminder, .command, seconds)
        case .desktop(let program):
            // The body may be read as markup. Texts come as variables, so the shell never reads them as its own.
            run(
                "exec \"$1\" --app-name=cue -- \"$CUE_TITLE\" \"$CUE_MARKUP\"", [program], reminder, .notifySend,
                seconds)
        }
    }

    /// Runs a shell command with the reminder in its environment.
    private func run(
        _ command: String, _ arguments: [String], _ reminder: Reminder, _ tool: Tool, _ seconds: Double
    ) -> Outcome {
        let text = words(reminder)
        var variables = ["CUE_ID": reminder.id, "CUE_TITLE": text.title, "CUE_BODY": text.body]
        variables["CUE_MARKUP"] = text.body.reduce(into: "") { markup, letter in
            markup += ["&": "&amp;", "<": "&lt;", ">": "&gt;"][letter] ?? String(letter)
        }
        return switch ShellRun.run(command, arguments, variables: variables, seconds: seconds) {
        case .exited(0): .delivered
        case .exited(let code): .failed(tool, .exited(code))
        case .signal(let number): .failed(tool, .signal(number))
        case .tookTooLong: .failed(tool, .tookTooLong)
        case .notStarted(let error): .failed(tool, .notStarted(error))
        }
    }
}
