import CueSystem

/// The time by which a store waits; tests have one that does not wait.
package struct StoreClock: Sendable {
    /// Seconds since any fixed moment.
    package let now: @Sendable () -> Double
    /// Returns after so many seconds, or earlier where a stop is requested.
    package let wait: @Sendable (Double) -> Void

    package init(now: @escaping @Sendable () -> Double, wait: @escaping @Sendable (Double) -> Void) {
        (self.now, self.wait) = (now, wait)
    }

    /// The system's, which goes on while the machine's date is changed.
    package static let system = StoreClock(now: { Environment.monotonicSeconds }) { seconds in
        let end = Environment.monotonicSeconds + seconds
        while !Interruption.isRequested {
            let left = end - Environment.monotonicSeconds
            guard left > 0 else { return }
            Wait.milliseconds(max(1, min(100, Int(left * 1000))))
        }
    }
}
