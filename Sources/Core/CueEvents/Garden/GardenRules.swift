/// The numbers of the garden. docs/garden.md has the same tables with their sources.
package enum GardenRules {
    /// The capacity of an empty log. All amounts of soil are in units; `available` ≤ `capacity` ≤ `maxCapacity` always
    /// holds.
    package static let startingCapacity = 10.0
    /// The most soil that a garden can hold.
    package static let maxCapacity = 120.0
    /// The soil that a watering brings back.
    package static let recoveryPerWater = 0.05
    /// The soil that a sun brings back.
    package static let recoveryPerSun = 0.35
    /// The share of its cost that an uprooted sprout returns.
    package static let uprootRefundRate = 0.25

    /// Waterings in a day over all sprouts.
    package static let dailyWater = 3
    /// Suns in a week.
    package static let weeklySun = 1
    /// The local hour at which a day begins, and on Monday a week.
    package static let resetHour = 6
    /// The local hour at which a sprout is ready on its last day.
    package static let endHour = 9

    /// The names of the branches, by number.
    package static let branches = ["CORE", "BRAIN", "VOICE", "HANDS", "HEART", "BREATH", "BACK", "FEET"]
    /// Twigs are numbered from 0.
    package static let twigsPerBranch = 8
    /// The weighted sum at which the radar score of a branch is 1.
    package static let engagementCeiling = 100.0
    /// The names of the results 1 to 5, in order.
    package static let results = ["Minimal", "Partial", "Good", "Strong", "Exceptional"]

    /// The longest title of a sprout or seedling. All limits are in UTF-16 units, as the origin counts.
    package static let titleLimit = 60
    /// The longest name of a leaf.
    package static let leafNameLimit = 40
    /// The longest text of a bloom.
    package static let bloomLimit = 60
    /// The longest notes of a seedling.
    package static let notesLimit = 200

    /// The capacity that a harvest brings, unrounded; 0 at or above `maxCapacity`.
    package static func capacityReward(
        _ season: SproutSeason, _ environment: SproutEnvironment, result: Double, capacity: Double
    ) -> Double {
        // Cut before the power is taken: that of a negative number is NaN, which `max` would keep.
        let share = max(0, 1 - capacity / maxCapacity)
        return season.baseReward * environment.multiplier * multiplier(ofResult: result) * share * share.squareRoot()
    }

    /// The factor of a result: 0.4 for 1 to 1.0 for 5. Values outside count as the nearest, fractions as 3.
    package static func multiplier(ofResult result: Double) -> Double {
        switch min(max(result, 1), 5) {
        case 1: 0.4
        case 2: 0.55
        case 4: 0.85
        case 5: 1
        default: 0.7
        }
    }

    /// The soil that an uprooted sprout returns.
    package static func uprootRefund(soilCost: Double) -> Double { soilCost * uprootRefundRate }

    /// `N` of `branch-N-twig-M`, both 0 to 7; nil for any other text.
    package static func branch(ofTwig id: String) -> Int? { twig(id)?.branch }

    /// Both numbers of `branch-N-twig-M`, 0 to 7; nil for any other text.
    package static func twig(_ id: String) -> (branch: Int, twig: Int)? {
        let parts = id.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].elementsEqual("branch".utf8), parts[2].elementsEqual("twig".utf8),
            let branch = digit(parts[1]), let twig = digit(parts[3])
        else { return nil }
        return (branch, twig)
    }

    /// The id of a typed twig, as `branch-3-twig-2` or `hands-2`; nil for any other text.
    package static func twigID(_ text: String) -> String? {
        if twig(text) != nil { return text }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let twig = digit(parts[1].utf8),
            let branch = branches.firstIndex(where: { $0.utf8.elementsEqual(parts[0].uppercased().utf8) })
        else { return nil }
        return "branch-\(branch)-twig-\(twig)"
    }

    /// The form `hands-2` of a twig's id; any other text as it is.
    package static func shownTwig(_ id: String) -> String {
        twig(id).map { "\(branches[$0.branch].lowercased())-\($0.twig)" } ?? id
    }

    private static func digit(_ text: Substring.UTF8View) -> Int? {
        guard text.count == 1, let byte = text.first, (0x30..<0x38).contains(byte) else { return nil }
        return Int(byte - 0x30)
    }
}

/// The time that a sprout grows.
package enum SproutSeason: String, CaseIterable, Sendable {
    case twoWeeks = "2w"
    case month = "1m"
    case threeMonths = "3m"
    case sixMonths = "6m"
    case year = "1y"

    /// The length in days.
    package var days: Int64 {
        switch self {
        case .twoWeeks: 14
        case .month: 30
        case .threeMonths: 90
        case .sixMonths: 180
        case .year: 365
        }
    }

    /// The length in milliseconds, with days of 24 hours, whatever the clocks do.
    package var duration: Int64 { days * 86_400_000 }

    /// The capacity that a harvest brings before all factors, in units.
    package var baseReward: Double {
        switch self {
        case .twoWeeks: 0.26
        case .month: 0.56
        case .threeMonths: 1.95
        case .sixMonths: 4.16
        case .year: 8.84
        }
    }
}

/// The ground: harder ground costs more soil and brings more capacity.
package enum SproutEnvironment: String, CaseIterable, Sendable {
    case fertile, firm, barren

    /// The factor of the reward.
    package var multiplier: Double {
        switch self {
        case .fertile: 1.1
        case .firm: 1.75
        case .barren: 2.4
        }
    }
}

extension SproutSeason {
    /// The cost of planting, in units.
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
