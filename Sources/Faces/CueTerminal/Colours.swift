import CueSystem
import Synchronization

/// Whether output is coloured: what a person said, else what the terminal can do.
package enum Colours {
    /// The values of `--color`.
    package enum Choice: String, Sendable, CaseIterable { case auto, always, never }

    private static let choice = Mutex(Choice.auto)

    /// Follows this from now on.
    package static func choose(_ new: Choice) { choice.withLock { $0 = new } }

    /// Whether what goes to this stream is coloured. `NO_COLOR` (no-color.org) goes before `CLICOLOR_FORCE`
    /// (bixense.com/clicolors), and what was chosen before both.
    package static func areShown(on stream: Int32) -> Bool {
        func isSet(_ name: String) -> Bool { Environment[name].map { !$0.isEmpty && $0 != "0" } ?? false }
        switch choice.withLock({ $0 }) {
        case .always: return true
        case .never: return false
        case .auto:
            if Environment["NO_COLOR"].map({ !$0.isEmpty }) ?? false { return false }
            return isSet("CLICOLOR_FORCE") || (Terminal.isTerminal(stream) && Environment.hasCapableTerminal)
        }
    }
}
