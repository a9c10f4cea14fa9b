package import CueSodium
package import CueSystem

/// The time, the random numbers and the cancellation that the engine gets from its process.
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
