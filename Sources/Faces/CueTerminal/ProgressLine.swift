import CueSystem
import Synchronization

/// One line at the bottom of a terminal, on the standard error. It is redrawn in place, and `clear` leaves nothing
/// behind.
package final class ProgressLine: Sendable {
    /// Seconds between two drawings: people need no more, and a terminal costs time.
    private static let interval = 0.1
    /// Seconds until the first drawing: shorter work needs no bar.
    private static let delay = 0.25

    /// What the line says.
    package struct Content {
        let verb: String
        let done: Int64
        let total: Int64
        let parts: [String]

        /// `done` of `total`: the length of the bar. `parts`: what stands behind it; the last ones go first where there
        /// is no room.
        package init(verb: String, done: Int64, total: Int64, parts: [String]) {
            (self.verb, self.done, self.total, self.parts) = (verb, done, total, parts)
        }

        /// From 0 to 1; 1 if there is nothing to do.
        var share: Double { total > 0 ? min(1, max(0, Double(done) / Double(total))) : 1 }

        /// The line in at most `width` columns: without the bar where that is narrow, and with all parts that fit.
        package func line(_ width: Int) -> String {
            let percent = Style.right("\(Int(share * 100))", 3) + " %"
            let filled = Int(share * 20)
            let bar = "[" + String(repeating: "#", count: filled) + String(repeating: " ", count: 20 - filled) + "]"
            var line = "\(verb) " + (width < 60 ? percent : "\(bar) \(percent)")
            for part in parts {
                guard line.columns + 2 + part.columns <= width else { break }
                line += "  " + part
            }
            return String(line.prefix(width))
        }
    }

    private let state: Mutex<State>

    private struct State {
        /// The earliest time of the next drawing, in seconds of the monotonic clock.
        var next: Double
        var isShown = false
    }

    /// Starts the delay; draws nothing yet.
    package init() { state = Mutex(State(next: Environment.monotonicSeconds + Self.delay)) }

    /// Draws the line if it is time; only then `content` is called.
    package func update(_ content: () -> Content) {
        let now = Environment.monotonicSeconds
        let isDue = state.withLock { state in
            guard now >= state.next else { return false }
            (state.next, state.isShown) = (now + Self.interval, true)
            return true
        }
        guard isDue else { return }
        let content = content()
        let line = content.line(Terminal.columns(of: Terminal.error) - 1)
        Self.show("\r\u{1b}[K" + line + TaskBar.shown(percent: Int(content.share * 100)))
    }

    /// Removes the line, if one was drawn.
    package func clear() {
        let wasShown = state.withLock { state in
            defer { state.isShown = false }
            return state.isShown
        }
        if wasShown { Self.show("\r\u{1b}[K" + TaskBar.cleared) }
    }

    /// Shows a line while `work` is done.
    package static func during<Result>(_ line: String, _ work: () throws -> Result) rethrows -> Result {
        guard Terminal.isTerminal(Terminal.error) else { return try work() }
        show(line)
        defer { show("\r\u{1b}[K") }
        return try work()
    }

    private static func show(_ text: String) { _ = try? Terminal.write(Array(text.utf8).span, to: Terminal.error) }
}

/// The progress that some terminals show in their task bar or tab (OSC 9;4, from ConEmu).
enum TaskBar {
    /// Others take the same sequence for a notification, and would show it as a text.
    private static let isKnown: Bool = {
        Environment["WT_SESSION"] != nil || Environment["ConEmuANSI"] == "ON"
            || ["WezTerm", "ghostty"].contains(Environment["TERM_PROGRAM"] ?? "")
    }()

    static func shown(percent: Int) -> String { isKnown ? "\u{1b}]9;4;1;\(percent)\u{7}" : "" }
    static var cleared: String { isKnown ? "\u{1b}]9;4;0\u{7}" : "" }
}
