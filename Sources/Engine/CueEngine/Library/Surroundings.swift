package import CueSodium
package import CueSystem

/// What the engine takes from the process around it: the time, random numbers, and when to stop.
package struct Surroundings: Sendable {
    /// Gives the time of day and measures durations.
    package var clock: Clock
    /// Makes ids and temporary names.
    package var randomness: RandomSource
    /// Stops work before its end.
    package var cancellation: Cancellation

    /// Those of the system, except for the given ones.
    package init(
        clock: Clock = .system, randomness: RandomSource = .system, cancellation: Cancellation = .system
    ) {
        (self.clock, self.randomness, self.cancellation) = (clock, randomness, cancellation)
    }

    /// Those of the system.
    package static let system = Surroundings()
}
