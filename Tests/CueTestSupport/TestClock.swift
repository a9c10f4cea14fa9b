package import CueBase
package import CueSystem
import Synchronization

/// A clock that goes on only by waiting, or when a test moves it.
package final class TestClock: Sendable {
    private let start: Timestamp
    private let time = Mutex(0.0)
    private let waited = Mutex<[Double]>([])

    /// Begins at a time of day.
    package init(at start: Timestamp = Timestamp(milliseconds: 1_790_000_000_000)) { self.start = start }

    /// The waits so far, in seconds.
    package var waits: [Double] { waited.withLock(\.self) }
    /// Seconds since the clock began.
    package var seconds: Double { time.withLock(\.self) }
    /// The time of day.
    package var now: Timestamp {
        Timestamp(milliseconds: start.milliseconds + Int64((seconds * 1000).rounded()))
    }

    /// Moves the clock on.
    package func advance(by seconds: Double) { time.withLock { $0 += seconds } }

    /// Moves the clock to so many seconds after it began.
    package func go(to seconds: Double) { time.withLock { $0 = seconds } }

    /// This clock for what is tested.
    package var clock: Clock {
        Clock(now: { self.now }, seconds: { self.seconds }) { seconds in
            self.waited.withLock { $0.append(seconds) }
            self.advance(by: seconds)
        }
    }
}
