package import CueStorage
import Synchronization

/// A clock that goes on only by waiting.
package final class TestClock: Sendable {
    private let time = Mutex(0.0)
    private let waited = Mutex<[Double]>([])

    package init() {}

    /// The waits so far, in seconds.
    package var waits: [Double] { waited.withLock(\.self) }
    package var now: Double { time.withLock(\.self) }

    package var clock: StoreClock {
        StoreClock(now: { self.now }) { seconds in
            self.waited.withLock { $0.append(seconds) }
            self.time.withLock { $0 += seconds }
        }
    }
}
