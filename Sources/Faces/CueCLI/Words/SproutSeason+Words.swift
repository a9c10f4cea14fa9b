import CueEvents

extension SproutSeason {
    /// The form for people.
    var words: String {
        switch self {
        case .twoWeeks: "2 weeks"
        case .month: "1 month"
        case .threeMonths: "3 months"
        case .sixMonths: "6 months"
        case .year: "1 year"
        }
    }
}
