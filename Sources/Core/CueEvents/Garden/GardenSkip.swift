import CueBase

/// The reasons why the garden skips an event, which stays in the log.
package enum GardenSkip: Error, Equatable, Sendable {
    /// The type is another program's, or that of a later version of the garden.
    case otherType
    /// The event is no object.
    case notAnObject
    /// The event lacks this member.
    case missing(String)
    /// The member of this name is no text.
    case noText(String)
    /// The member of this name is longer than the limit, in UTF-16 units.
    case tooLong(String, limit: Int)
    /// The member of this name is no number.
    case noNumber(String)
    /// The member of this name is below 0.
    case negative(String)
    /// The result is not from 1 to 5.
    case result
    /// The season is none of `SproutSeason`.
    case season
    /// The environment is none of `SproutEnvironment`.
    case environment
}
