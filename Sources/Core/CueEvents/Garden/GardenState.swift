package import CueBase

/// The soil in units: the capacity of the garden, and the free part of it.
package struct Soil: Equatable, Sendable {
    /// Never rounded; 10 to 120.
    package private(set) var capacity = GardenRules.startingCapacity
    /// 0 to `capacity`.
    package private(set) var available = GardenRules.startingCapacity

    /// The soil of an empty log.
    package init() {}

    /// The effect of one event.
    package enum Step: Equatable, Sendable {
        /// No effect.
        case nothing
        /// A planting costs so much.
        case spend(Double)
        /// So much comes back.
        case gain(Double)
        /// The capacity grows by `gained`, and the cost comes back.
        case harvest(gained: Double, returned: Double)
    }

    /// Rounds `available` to two decimals after each step, as the state does; the origin's history and chart do not.
    mutating func apply(_ step: Step, isRounded: Bool = true) {
        switch step {
        case .nothing: return
        case .spend(let cost): available -= cost
        case .gain(let amount): available = min(available + amount, capacity)
        case .harvest(let gained, let returned):
            capacity = min(capacity + gained, GardenRules.maxCapacity)
            available = min(available + returned, capacity)
        }
        // This also keeps the sum finite after a hostile refund.
        available = max(0, available)
        if isRounded { available = Self.rounded(available) }
    }

    /// Rounds to two decimals, halves up.
    private static func rounded(_ value: Double) -> Double {
        let hundredths = value * 100
        let floor = hundredths.rounded(.down)
        return (hundredths - floor >= 0.5 ? floor + 1 : floor) / 100
    }
}

/// One watering of a sprout.
package struct WaterEntry: Equatable, Sendable {
    /// The time as it was written.
    package let timestamp: String
    /// The time as a moment.
    package let time: Timestamp
    /// The person's text.
    package let content: String
    /// The question that the text answers; nil if there was none.
    package let prompt: String?
}

/// A look back at a week on a twig.
package struct SunEntry: Equatable, Sendable {
    /// The time as it was written, and the person's text.
    package let timestamp, content: String
    /// The question that the text answers; nil if there was none.
    package let prompt: String?
    /// The twig's id, and its name as it was shown.
    package let twig, twigLabel: String
}

/// An intention for a season.
package struct Sprout: Equatable, Sendable {
    /// Growing, harvested, or uprooted.
    package enum State: String, Sendable { case active, completed, uprooted }

    /// The planting with all later edits.
    package internal(set) var planting: GardenEvent.Planting
    /// Its state now.
    package internal(set) var state = State.active
    /// The time of planting as it was written.
    package let plantedAt: String
    /// The time of planting as a moment.
    package let plantedTime: Timestamp
    /// The time of its end as it was written; nil for another end or none.
    package internal(set) var harvestedAt, uprootedAt: String?
    /// The result of the harvest, 1 to 5; nil before it.
    package internal(set) var result: Double?
    /// The person's text at the harvest; nil if there is none.
    package internal(set) var reflection: String?
    /// All waterings, oldest first.
    package internal(set) var waterEntries: [WaterEntry] = []

    /// The id that its planting gave it.
    package var id: String { planting.sprout }

    /// The moment of planting plus the length of the season, to the millisecond.
    package var readyByDuration: Timestamp {
        Timestamp(milliseconds: plantedTime.milliseconds + planting.season.duration)
    }
}

/// A long-running subject on a twig, to which sprouts belong.
package struct Leaf: Equatable, Sendable {
    /// Ids of leaf and twig, the name, and the time as it was written.
    package let id, twig, name, createdAt: String
}

/// An idea for a sprout.
package struct Seedling: Equatable, Sendable {
    /// Ids of seedling and twig.
    package let id, twig: String
    /// The idea in a few words.
    package internal(set) var title: String
    /// More on the idea; nil if there is none.
    package internal(set) var notes: String?
    /// The time as it was written.
    package let createdAt: String
}

/// An id that is compared by its bytes: Swift holds two spellings of one accented letter for equal strings.
struct GardenID: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (x: GardenID, y: GardenID) -> Bool { x.text.hasBytes(of: y.text) }

    // Equal bytes are equal strings, so the hash of the string fits.
    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension String {
    func hasBytes(of other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        // Spans of bytes cost a tenth of their iterators, and every event compares a dozen times.
        guard #available(macOS 26, *) else { return utf8.elementsEqual(other.utf8) }
        let (x, y) = (utf8Span.span, other.utf8Span.span)
        for index in x.indices where x[index] != y[index] { return false }
        return true
    }
}
