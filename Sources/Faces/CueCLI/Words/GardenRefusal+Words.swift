import CueEvents

extension GardenRefusal {
    /// Half a sentence, lower case; it repeats typed text, so a face escapes it.
    var reason: String {
        switch self {
        case .tooLong(let what, let length, let limit):
            "\(what.words) has \(length) characters, and \(limit) are allowed"
        case .insufficientSoil(let needed, let available):
            "this costs \(Self.shown(needed)) soil, and \(Self.shown(available)) is free"
        case .noWater: "no water is left today"
        case .noSun: "the sun has shone this week"
        case .wateredToday(let title, _): "\(title) was watered today"
        case .notReady(let title, let day): "\(title) is ready on \(day)"
        case .empty(let what): "\(what.words) is empty"
        case .unknown(let what, let id): "there is no \(what.words) \(id)"
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
    var hint: String {
        switch self {
        case .tooLong: "shorten it"
        case .insufficientSoil:
            "choose a shorter season or easier ground, or water, harvest or uproot something first"
        case .noWater(let reset): "all the water is there again on \(reset)"
        case .noSun(let reset): "it can shine again from \(reset) on"
        case .wateredToday(_, let reset): "it can be watered again from \(reset) on"
        case .notReady: "--early harvests it now"
        case .empty: "write a few words"
        case .unknown(let what, _): "the garden lists what there is, and makes a new \(what.words)"
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

extension GardenRefusal.Text {
    /// The name of the text.
    fileprivate var words: String {
        switch self {
        case .title: "the title"
        case .content: "the text"
        case .leafName: "the name of the leaf"
        case .bloom: "a bloom"
        case .note: "the note"
        }
    }
}

extension GardenRefusal.Thing {
    /// The name of the thing.
    fileprivate var words: String {
        switch self {
        case .sprout: "sprout"
        case .leaf: "leaf"
        case .seedling: "seedling"
        }
    }
}

extension GardenSkip {
    /// The reason, completing "… counts for nothing in the garden: …".
    var words: String {
        switch self {
        case .otherType: "another type"
        case .notAnObject: "not an object"
        case .missing(let key): "no \(key)"
        case .noText(let key): "\(key) is no text"
        case .tooLong(let key, let limit): "\(key) is longer than \(limit)"
        case .noNumber(let key): "\(key) is no number"
        case .negative(let key): "\(key) is below 0"
        case .result: "result is not from 1 to 5"
        case .season: "season is none of 2w, 1m, 3m, 6m, 1y"
        case .environment: "environment is none of fertile, firm, barren"
        }
    }
}

extension SoilChart.Range {
    /// The range, after "Soil".
    var words: String {
        switch self {
        case .day: "in the last day"
        case .week: "in the last week"
        case .month: "in the last month"
        case .threeMonths: "in the last 3 months"
        case .sixMonths: "in the last 6 months"
        case .thisYear: "this year"
        case .all: "since the beginning"
        }
    }
}
