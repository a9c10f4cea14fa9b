/// The reasons why an action is not possible in the garden now (docs/garden.md, Refusals).
package enum GardenRefusal: Error, Equatable, Sendable {
    /// The texts that a person gives.
    package enum Text: Sendable {
        case title, content, leafName, bloom, note
    }

    /// The things that a person names by an id.
    package enum Thing: Sendable {
        case sprout, leaf, seedling
    }

    /// `length` and `limit` are in UTF-16 units.
    case tooLong(Text, length: Int, limit: Int)
    /// In units of soil.
    case insufficientSoil(needed: Double, available: Double)
    /// `reset` is the time from which there is water again, in words.
    case noWater(reset: String)
    /// `reset` is the time from which the sun can shine again, in words.
    case noSun(reset: String)
    /// The sprout has had its water of the day; `reset` as for `noWater`.
    case wateredToday(title: String, reset: String)
    /// `day` is the last day of the season, in words.
    case notReady(title: String, day: String)
    /// The text is missing.
    case empty(Text)
    /// The garden has no such thing of this id.
    case unknown(Thing, id: String)
    /// `twig` is the one that the leaf belongs to.
    case leafElsewhere(name: String, twig: String)
    /// The twig has a leaf of this name.
    case leafThere(name: String, twig: String)
    /// The sprout was harvested or uprooted.
    case notGrowing(title: String, state: Sprout.State)
    /// The typed text names no twig.
    case noTwig(String)
    /// Not from 1 to 5.
    case noSuchResult(Int)
    /// The edit has no field.
    case nothingToChange

    /// The origin's code, for programs; nil for refusals that the origin does not have.
    package var code: String? {
        switch self {
        case .tooLong: "VAL_001"
        case .insufficientSoil: "VAL_002"
        case .noWater: "VAL_003"
        case .noSun: "VAL_004"
        default: nil
        }
    }
}
