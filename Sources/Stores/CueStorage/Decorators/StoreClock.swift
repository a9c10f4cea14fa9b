import CueSystem

/// The clock by which a store waits. Tests pass one that does not wait.
package struct StoreClock: Sendable {
    /// Seconds since any fixed moment.
    package let now: @Sendable () -> Double
    /// Returns after so many seconds, or earlier if a stop is requested.
    package let wait: @Sendable (Double) -> Void

    /// A clock of these two functions.
    package init(now: @escaping @Sendable () -> Double, wait: @escaping @Sendable (Double) -> Void) {
        (self.now, self.wait) = (now, wait)
    }

    /// The monotonic clock of the system, which goes on when the date is changed. A request to stop ends a wait within
    /// 0.1 seconds.
    package static let system = StoreClock(now: { Environment.monotonicSeconds }) { seconds in
        let end = Environment.monotonicSeconds + seconds
        while !Interruption.isRequested {
            let left = end - Environment.monotonicSeconds
            guard left > 0 else { return }
            Wait.milliseconds(max(1, min(100, Int(left * 1000))))
        }
    }
}
