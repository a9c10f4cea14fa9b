import CueSystem
import Synchronization

/// One line at the bottom of a terminal, on the standard error. It is redrawn in place, and `clear` leaves nothing
/// behind.
package final class ProgressLine: Sendable {
    /// Seconds between two drawings: people need no more, and a terminal costs time.
    private static let interval = 0.1
    /// Seconds until the first drawing: shorter work needs no bar.
    private static let delay = 0.25

    private let state: Mutex<State>

    private struct State {
        /// The earliest time of the next drawing, in seconds of the monotonic clock.
        var next: Double
        var isShown = false
    }

    /// Starts the delay; draws nothing yet.
    package init() { state = Mutex(State(next: Environment.monotonicSeconds + Self.delay)) }

    /// Draws the line if it is time; only then `text` is called. The line is cut at the terminal's width.
    package func update(_ text: () -> String) {
        let now = Environment.monotonicSeconds
        let isDue = state.withLock { state in
            guard now >= state.next else { return false }
            (state.next, state.isShown) = (now + Self.interval, true)
            return true
        }
        guard isDue else { return }
        let width = Terminal.columns(of: Terminal.error) - 1
        show("\r\u{1b}[K" + text().prefix(width))
    }

    /// Removes the line, if one was drawn.
    package func clear() {
        let wasShown = state.withLock { state in
            defer { state.isShown = false }
            return state.isShown
        }
        if wasShown { show("\r\u{1b}[K") }
    }

    private func show(_ text: String) { _ = try? Terminal.write(Array(text.utf8).span, to: Terminal.error) }

    /// A bar such as `[#####     ]  45 %`; full if `total` is 0.
    package static func bar(_ done: Int64, of total: Int64) -> String {
        let share = total > 0 ? min(1, max(0, Double(done) / Double(total))) : 1
        let filled = Int(share * 20)
        return "[" + String(repeating: "#", count: filled) + String(repeating: " ", count: 20 - filled) + "] "
            + Style.right("\(Int(share * 100))", 3) + " %"
    }
}
