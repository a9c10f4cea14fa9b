package import CueBase

/// The time by which work goes, as a value. The system's is the usual one; tests have one that they move.
package struct Clock: Sendable {
    private let wall: @Sendable () -> Timestamp
    private let monotonic: @Sendable () -> Double
    private let pause: @Sendable (Double) -> Void

    /// `now` gives the time of day, `seconds` the time since any fixed moment; `wait` returns after so many seconds.
    package init(
        now: @escaping @Sendable () -> Timestamp, seconds: @escaping @Sendable () -> Double,
        wait: @escaping @Sendable (Double) -> Void
    ) {
        (wall, monotonic, pause) = (now, seconds, wait)
    }

    /// The time of day, which a person may set.
    package var now: Timestamp { wall() }

    /// Seconds on a clock that is never set, for measuring durations.
    package var seconds: Double { monotonic() }

    /// Blocks the thread for so many seconds, or until a stop is requested.
    package func wait(_ seconds: Double) { pause(seconds) }

    /// The clocks of the machine.
    package static let system = Clock(now: { Environment.now }, seconds: { Environment.monotonicSeconds }) { seconds in
        let end = Environment.monotonicSeconds + seconds
        while !Interruption.isRequested {
            let left = end - Environment.monotonicSeconds
            guard left > 0 else { return }
            Wait.milliseconds(max(1, min(100, Int(left * 1000))))
        }
    }
}
