package import CueBase

/// The soil: what the garden can hold, and what of it is free.
package struct Soil: Equatable, Sendable {
    /// Never rounded; 10 to 120.
    package private(set) var capacity = GardenRules.startingCapacity
    /// 0 to `capacity`.
    package private(set) var available = GardenRules.startingCapacity

    package init() {}

    /// What one event does to it.
    package enum Step: Equatable, Sendable {
        case nothing
        case spend(Double)
        case gain(Double)
        case harvest(gained: Double, returned: Double)
    }

    /// `isRounded`: to two decimals after every step, as the state is; the origin's history and chart are not.
    mutating func apply(_ step: Step, isRounded: Bool = true) {
        switch step {
        case .nothing: return
        case .spend(let cost): available -= cost
        case .gain(let amount): available = min(available + amount, capacity)
        case .harvest(let gained, let returned):
            capacity = min(capacity + gained, GardenRules.maxCapacity)
            available = min(available + returned, capacity)
        }
        // Also keeps what a hostile refund takes away finite.
        available = max(0, available)
        if isRounded { available = Self.rounded(available) }
    }

    /// To two decimals, halves up.
    private static func rounded(_ value: Double) -> Double {
        let hundredths = value * 100
        let floor = hundredths.rounded(.down)
        return (hundredths - floor >= 0.5 ? floor + 1 : floor) / 100
    }
}

package struct WaterEntry: Equatable, Sendable {
    /// As it was written.
    package let timestamp: String
    package let time: Timestamp
    package let content: String
    package let prompt: String?
}

package struct SunEntry: Equatable, Sendable {
    package let timestamp, content: String
    package let prompt: String?
    package let twig, twigLabel: String
}

/// What somebody wants to do for a season.
package struct Sprout: Equatable, Sendable {
    package enum State: String, Sendable { case active, completed, uprooted }

    /// What was planted, with the edits since.
    package internal(set) var planting: GardenEvent.Planting
    package internal(set) var state = State.active
    package let plantedAt: String
    package let plantedTime: Timestamp
    package internal(set) var harvestedAt, uprootedAt: String?
    package internal(set) var result: Double?
    package internal(set) var reflection: String?
    /// Oldest first.
    package internal(set) var waterEntries: [WaterEntry] = []

    package var id: String { planting.sprout }

    /// Planted and the season's duration later, to the millisecond.
    package var readyByDuration: Timestamp {
        Timestamp(milliseconds: plantedTime.milliseconds + planting.season.duration)
    }
}

/// A saga on a twig, to which sprouts belong.
package struct Leaf: Equatable, Sendable {
    package let id, twig, name, createdAt: String
}

/// An idea for a sprout.
package struct Seedling: Equatable, Sendable {
    package let id, twig: String
    package internal(set) var title: String
    package internal(set) var notes: String?
    package let createdAt: String
}

/// An id, told from others by its bytes: to Swift, two spellings of one accented letter are equal strings.
struct GardenID: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (x: GardenID, y: GardenID) -> Bool { x.text.hasBytes(of: y.text) }

    // Equal bytes are equal strings, so the string's own hash does.
    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension String {
    func hasBytes(of other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        // Views of bytes cost a tenth of their iterators, and every event asks a dozen times.
        guard #available(macOS 26, *) else { return utf8.elementsEqual(other.utf8) }
        let (x, y) = (utf8Span.span, other.utf8Span.span)
        for index in x.indices where x[index] != y[index] { return false }
        return true
    }
}
