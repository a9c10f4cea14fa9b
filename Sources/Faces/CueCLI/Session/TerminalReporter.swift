import CueBase
import CueEngine
import CueSystem
import CueTerminal
import Synchronization

/// Draws progress on a terminal.
final class TerminalReporter: Reporter {
    private let line = ProgressLine()
    private let pace = Mutex(Pace())

    func progress(_ progress: WorkProgress) {
        line.update {
            let hasBytes = progress.totalBytes > 0
            let (done, all) =
                hasBytes
                ? (progress.bytes, progress.totalBytes) : (Int64(progress.files), Int64(progress.totalFiles))
            let now = Environment.monotonicSeconds
            let speed = pace.withLock { $0.speed(at: done, of: progress.phase, now) }
            return ProgressLine.Content(
                verb: ProgressWords.verb(progress.phase), done: done, total: all,
                parts: ProgressWords.parts(progress, speed: speed))
        }
    }

    func finish() { line.clear() }

    deinit { line.clear() }

    /// How fast the work goes on.
    private struct Pace {
        /// Seconds over which the speed is taken: old enough to hold still, young enough to follow.
        private static let window = 10.0
        private var phase: WorkProgress.Phase?
        private var marks: [(time: Double, done: Int64)] = []

        /// What is done a second; nil within the first two, which tell little.
        mutating func speed(at done: Int64, of phase: WorkProgress.Phase, _ now: Double) -> Double? {
            if self.phase != phase { (self.phase, marks) = (phase, []) }
            marks.append((now, done))
            while marks.count > 2, marks[1].time < now - Self.window { marks.removeFirst() }
            let (first, seconds) = (marks[0], now - marks[0].time)
            guard seconds >= 2, done > first.done else { return nil }
            return Double(done - first.done) / seconds
        }
    }
}
