/// Why something cannot be done in the garden now.
package enum GardenRefusal: Error, Equatable, Sendable {
    /// `what`: the title, the name of the leaf, …; UTF-16 units.
    case tooLong(what: String, length: Int, limit: Int)
    case insufficientSoil(needed: Double, available: Double)
    /// `reset`: when there is some again, in words.
    case noWater(reset: String)
    case noSun(reset: String)
    case wateredToday(title: String, reset: String)
    /// `day`: its last, in words.
    case notReady(title: String, day: String)
    case empty(what: String)
    /// `what`: sprout, leaf or seedling.
    case unknown(what: String, id: String)
    /// `twig`: the one that it belongs to.
    case leafElsewhere(name: String, twig: String)
    case leafThere(name: String, twig: String)
    case notGrowing(title: String, state: Sprout.State)
    case noTwig(String)
    case noSuchResult(Int)
    case nothingToChange

    /// The origin's codes, for programs; it has none for the others.
    package var code: String? {
        switch self {
        case .tooLong: "VAL_001"
        case .insufficientSoil: "VAL_002"
        case .noWater: "VAL_003"
        case .noSun: "VAL_004"
        default: nil
        }
    }

    /// One sentence; it repeats what was typed, so a face escapes it.
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

    /// What to do next.
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

    /// `7.5`, `12`.
    private static func shown(_ amount: Double) -> String {
        let hundredths = Int((min(max(amount, -1e9), 1e9) * 100).rounded(.toNearestOrAwayFromZero))
        let (whole, rest) = (hundredths / 100, abs(hundredths % 100))
        if rest == 0 { return "\(whole)" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}
