import CueBase

/// The reason why the garden skips an event, which stays in the log.
package struct GardenSkip: Error, Equatable, Sendable {
    /// A short phrase: `soilCost is no number`.
    package let reason: String

    /// The type is another program's, or that of a later version of the garden.
    package static let otherType = GardenSkip(reason: "another type")
}
