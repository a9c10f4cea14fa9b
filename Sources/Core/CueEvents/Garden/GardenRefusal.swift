/// The reasons why an action is not possible in the garden now (docs/garden.md, Refusals).
package enum GardenRefusal: Error, Equatable, Sendable {
    /// `what` names the text; `length` and `limit` are in UTF-16 units.
    case tooLong(what: String, length: Int, limit: Int)
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
    /// `what` names the text that is missing.
    case empty(what: String)
    /// `what` is sprout, leaf or seedling.
    case unknown(what: String, id: String)
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

    /// Half a sentence, lower case; it repeats typed text, so a face escapes it.
    package var reason: String {
        switch self {
        case .tooLong(let what, let length, let limit): "\(what) has \(length) characters, and \(limit) are allowed"
        case .insufficientSoil(let needed, let available):
            "this costs \(Self.shown(needed)) soil, and \(Self.shown(available)) is free"
        case .noWater: "no water is left today"
        case .noSun: "the sun has shone this week"
        case .wateredToday(let title, _): "\(title) was watered today"
        case .notReady(let title, let day): "\(title) is ready on \(day)"
        case .empty(let what): "\(what) is empty"
        case .unknown(let what, let id): "there is no \(what) \(id)"
        case .leafElsewhere(let name, let twig):
            "the leaf \(name) belongs to another twig, \(GardenRules.shownTwig(twig))"
        case .leafThere(let name, let twig): "\(GardenRules.shownTwig(twig)) has a leaf \(name) already"
        case .notGrowing(let title, .uprooted): "\(title) was uprooted"
        case .notGrowing(let title, _): "\(title) was harvested"
        case .noTwig(let text): "\(text) is no twig"
        case .noSuchResult(let result): "\(result) is no result"
        case .nothingToChange: "nothing was given that would change something"
        }
    }

    /// Half a sentence on what to do next.
    package var hint: String {
        switch self {
        case .tooLong: "shorten it"
        case .insufficientSoil:
            "choose a shorter season or easier ground, or water, harvest or uproot something first"
        case .noWater(let reset): "all the water is there again on \(reset)"
        case .noSun(let reset): "it can shine again from \(reset) on"
        case .wateredToday(_, let reset): "it can be watered again from \(reset) on"
        case .notReady: "--early harvests it now"
        case .empty: "write a few words"
        case .unknown(let what, _): "the garden lists what there is, and makes a new \(what)"
        case .leafElsewhere: "choose a leaf of the sprout's own twig, or make one there"
        case .leafThere: "`cue garden leaf` lists the leaves"
        case .notGrowing: "plant another sprout to go on"
        case .noTwig:
            "a twig is a branch and a number from 0 to 7, such as hands-2 (\(GardenRules.branches.joined(separator: ", ")))"
        case .noSuchResult: "give 1 (minimal), 2 (partial), 3 (good), 4 (strong) or 5 (exceptional)"
        case .nothingToChange: "give a new title, leaf or other text"
        }
    }

    /// The forms `7.5` and `12`: at most two decimals.
    private static func shown(_ amount: Double) -> String {
        let hundredths = Int((min(max(amount, -1e9), 1e9) * 100).rounded(.toNearestOrAwayFromZero))
        let (whole, rest) = (hundredths / 100, abs(hundredths % 100))
        if rest == 0 { return "\(whole)" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}
