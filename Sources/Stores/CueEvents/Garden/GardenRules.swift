/// The numbers of the garden: docs/garden.md has the same tables, with where they come from.
package enum GardenRules {
    /// Soil, in units. `available` never exceeds `capacity`, which never exceeds `maxCapacity`.
    package static let startingCapacity = 10.0
    package static let maxCapacity = 120.0
    package static let recoveryPerWater = 0.05
    package static let recoveryPerSun = 0.35
    /// The share of its cost that an uprooted sprout gives back.
    package static let uprootRefundRate = 0.25

    /// Waterings a day over all sprouts; suns a week.
    package static let dailyWater = 3
    package static let weeklySun = 1
    /// Local hours: when a day begins, and a week, on its Monday; and when a sprout is ready on its last day.
    package static let resetHour = 6
    package static let endHour = 9

    package static let branches = ["CORE", "BRAIN", "VOICE", "HANDS", "HEART", "BREATH", "BACK", "FEET"]
    package static let twigsPerBranch = 8
    /// The weighted sum at which a branch's radar score is 1.
    package static let engagementCeiling = 100.0
    package static let results = ["Minimal", "Partial", "Good", "Strong", "Exceptional"]

    /// The longest texts, in UTF-16 units, as the origin counts.
    package static let titleLimit = 60
    package static let leafNameLimit = 40
    package static let bloomLimit = 60
    package static let notesLimit = 200

    /// The capacity that a harvest brings. Nothing is rounded, and at or above `maxCapacity` it is 0.
    package static func capacityReward(
        _ season: SproutSeason, _ environment: SproutEnvironment, result: Double, capacity: Double
    ) -> Double {
        // Before the power: of a negative number it would be no number, which `max` then keeps.
        let share = max(0, 1 - capacity / maxCapacity)
        return season.baseReward * environment.multiplier * multiplier(ofResult: result) * share * share.squareRoot()
    }

    /// 0.4 for 1 to 1.0 for 5. What lies outside counts as the nearest, and what is not whole as 3.
    package static func multiplier(ofResult result: Double) -> Double {
        switch min(max(result, 1), 5) {
        case 1: 0.4
        case 2: 0.55
        case 4: 0.85
        case 5: 1
        default: 0.7
        }
    }

    package static func uprootRefund(soilCost: Double) -> Double { soilCost * uprootRefundRate }

    /// `N` of `branch-N-twig-M`, both 0 to 7; nil for any other text.
    package static func branch(ofTwig id: String) -> Int? { twig(id)?.branch }

    package static func twig(_ id: String) -> (branch: Int, twig: Int)? {
        let parts = id.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].elementsEqual("branch".utf8), parts[2].elementsEqual("twig".utf8),
            let branch = digit(parts[1]), let twig = digit(parts[3])
        else { return nil }
        return (branch, twig)
    }

    /// The id of a twig that a person named: `branch-3-twig-2` or `hands-2`.
    package static func twigID(_ text: String) -> String? {
        if twig(text) != nil { return text }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let twig = digit(parts[1].utf8),
            let branch = branches.firstIndex(where: { $0.utf8.elementsEqual(parts[0].uppercased().utf8) })
        else { return nil }
        return "branch-\(branch)-twig-\(twig)"
    }

    /// `hands-2`; any other text as it is.
    package static func shownTwig(_ id: String) -> String {
        twig(id).map { "\(branches[$0.branch].lowercased())-\($0.twig)" } ?? id
    }

    private static func digit(_ text: Substring.UTF8View) -> Int? {
        guard text.count == 1, let byte = text.first, (0x30..<0x38).contains(byte) else { return nil }
        return Int(byte - 0x30)
    }
}

/// How long a sprout grows.
package enum SproutSeason: String, CaseIterable, Sendable {
    case twoWeeks = "2w"
    case month = "1m"
    case threeMonths = "3m"
    case sixMonths = "6m"
    case year = "1y"

    package var days: Int64 {
        switch self {
        case .twoWeeks: 14
        case .month: 30
        case .threeMonths: 90
        case .sixMonths: 180
        case .year: 365
        }
    }

    /// Milliseconds; days of 24 hours, whatever the clocks do.
    package var duration: Int64 { days * 86_400_000 }

    package var baseReward: Double {
        switch self {
        case .twoWeeks: 0.26
        case .month: 0.56
        case .threeMonths: 1.95
        case .sixMonths: 4.16
        case .year: 8.84
        }
    }

    package var words: String {
        switch self {
        case .twoWeeks: "2 weeks"
        case .month: "1 month"
        case .threeMonths: "3 months"
        case .sixMonths: "6 months"
        case .year: "1 year"
        }
    }
}

/// How hard the ground is: harder costs more soil and brings more capacity.
package enum SproutEnvironment: String, CaseIterable, Sendable {
    case fertile, firm, barren

    package var multiplier: Double {
        switch self {
        case .fertile: 1.1
        case .firm: 1.75
        case .barren: 2.4
        }
    }
}

extension SproutSeason {
    /// What planting costs, in units of soil.
    package func soilCost(in environment: SproutEnvironment) -> Double {
        let row: (fertile: Double, firm: Double, barren: Double) =
            switch self {
            case .twoWeeks: (2, 3, 4)
            case .month: (3, 5, 6)
            case .threeMonths: (5, 8, 10)
            case .sixMonths: (8, 12, 16)
            case .year: (12, 18, 24)
            }
        return switch environment {
        case .fertile: row.fertile
        case .firm: row.firm
        case .barren: row.barren
        }
    }
}
