import CueSystem
import Synchronization

/// One line at the bottom of a terminal that is drawn again and again, and leaves nothing behind.
package final class ProgressLine: Sendable {
    /// People need no more than this, and a terminal costs time.
    private static let interval = 0.1
    /// What is over sooner needs no bar.
    private static let delay = 0.25

    private let state: Mutex<State>

    private struct State {
        var next: Double
        var isShown = false
    }

    package init() { state = Mutex(State(next: Environment.monotonicSeconds + Self.delay)) }

    /// Draws, if it is time; `text` is only made then.
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

    /// Takes the line away.
    package func clear() {
        let wasShown = state.withLock { state in
            defer { state.isShown = false }
            return state.isShown
        }
        if wasShown { show("\r\u{1b}[K") }
    }

    private func show(_ text: String) { _ = try? Terminal.write(Array(text.utf8).span, to: Terminal.error) }

    /// `[#####     ]  45 %`
    package static func bar(_ done: Int64, of total: Int64) -> String {
        let share = total > 0 ? min(1, max(0, Double(done) / Double(total))) : 1
        let filled = Int(share * 20)
        return "[" + String(repeating: "#", count: filled) + String(repeating: " ", count: 20 - filled) + "] "
            + Style.right("\(Int(share * 100))", 3) + " %"
    }
}
