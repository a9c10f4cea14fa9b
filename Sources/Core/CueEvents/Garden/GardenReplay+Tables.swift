package import CueBase

/// Lists and sums over the whole log.
///
/// As in the origin, soil log, raw soil history and radar count events, not effects: a second harvest and copies of an
/// event count too.
extension GardenReplay {
    /// The order of a list that follows the log.
    package enum LogOrder: Sendable {
        /// By time, then by id: the same on all devices.
        case time
        /// The order of arrival, which the reader of a file may expect.
        case arrival
    }

    /// One line for each event that concerns soil.
    package struct SoilLogEntry: Equatable, Sendable {
        /// The time of the event as it was written.
        package let timestamp: String
        /// In units; below 0 for a cost.
        package let amount: Double
        /// The origin's words for the kind of event.
        package let reason: String
        /// The sprout's title as it was planted, or the twig's label; nil if the sprout is unknown.
        package let context: String?
    }

    /// The soil at one moment.
    package struct SoilPoint: Equatable, Sendable {
        /// The moment.
        package let time: Timestamp
        /// In units.
        package let capacity, available: Double
    }

    /// The activity on one branch.
    package struct BranchScore: Equatable, Sendable {
        /// 0 to 1: the weighted sum, divided by `engagementCeiling`.
        package internal(set) var score = 0.0
        /// The number of plantings.
        package internal(set) var planted = 0
        /// The number of waterings.
        package internal(set) var watered = 0
        /// The number of suns.
        package internal(set) var sun = 0
        /// The number of harvests.
        package internal(set) var harvested = 0
    }

    func numbers(in log: LogOrder) -> [Int32] { log == .time ? order : (0..<Int32(events.count)).map { $0 } }

    /// All entries, in the given order of the log.
    package func soilLog(in log: LogOrder = .time) -> [SoilLogEntry] {
        var titles: [GardenID: String] = [:]
        var entries: [SoilLogEntry] = []
        entries.reserveCapacity(events.count)
        for number in numbers(in: log) {
            let event = events[Int(number)]
            func add(_ amount: Double, _ reason: String, _ context: String?) {
                entries.append(
                    SoilLogEntry(timestamp: event.timestamp, amount: amount, reason: reason, context: context))
            }
            switch event.action {
            case .planted(let planting):
                titles[GardenID(planting.sprout)] = planting.title
                add(-planting.soilCost, "Planted sprout", planting.title)
            case .watered(let sprout, _, _):
                add(GardenRules.recoveryPerWater, "Watered sprout", titles[GardenID(sprout)])
            case .harvested(let sprout, let result, let gained, _):
                let shown = String(decoding: JSON.number(result).canonical, as: UTF8.self)
                add(gained, "Harvested (\(shown)/5)", titles[GardenID(sprout)])
            case .uprooted(let sprout, let returned): add(returned, "Uprooted sprout", titles[GardenID(sprout)])
            case .shone(_, let label, _, _): add(GardenRules.recoveryPerSun, "Sun reflection", label)
            default: continue
            }
        }
        return entries
    }

    /// The soil after each event by the origin's sum: without rounding, and without a check that the sprout exists.
    package func rawSoilHistory(in log: LogOrder = .time) -> [SoilPoint] {
        var costs: [GardenID: Double] = [:]
        var soil = Soil()
        var points: [SoilPoint] = []
        points.reserveCapacity(events.count)
        for number in byTime(log) {
            let event = events[Int(number)]
            switch event.action {
            case .planted(let planting):
                costs[GardenID(planting.sprout)] = planting.soilCost
                soil.apply(.spend(planting.soilCost), isRounded: false)
            case .watered: soil.apply(.gain(GardenRules.recoveryPerWater), isRounded: false)
            case .harvested(let sprout, _, let gained, _):
                soil.apply(.harvest(gained: gained, returned: costs[GardenID(sprout)] ?? 0), isRounded: false)
            case .uprooted(_, let returned): soil.apply(.gain(returned), isRounded: false)
            case .shone: soil.apply(.gain(GardenRules.recoveryPerSun), isRounded: false)
            default: continue
            }
            points.append(SoilPoint(time: event.time, capacity: soil.capacity, available: soil.available))
        }
        return points
    }

    private func byTime(_ log: LogOrder) -> [Int32] {
        guard log == .arrival else { return order }
        return numbers(in: log).sorted { x, y in
            let (a, b) = (times[Int(x)], times[Int(y)])
            return a == b ? x < y : a < b
        }
    }

    /// The scores of the eight branches, in the order of `GardenRules.branches`.
    package func radar(in log: LogOrder = .time) -> [BranchScore] {
        var scores = Array(repeating: BranchScore(), count: GardenRules.branches.count)
        var sprouts: [GardenID: (branch: Int?, cost: Double)] = [:]
        func add(_ weight: Double, to branch: Int?, _ count: WritableKeyPath<BranchScore, Int>) {
            guard let branch else { return }
            scores[branch].score += weight
            scores[branch][keyPath: count] += 1
        }
        for number in numbers(in: log) {
            switch events[Int(number)].action {
            case .planted(let planting):
                let branch = GardenRules.branch(ofTwig: planting.twig)
                sprouts[GardenID(planting.sprout)] = (branch, planting.soilCost)
                add(planting.soilCost, to: branch, \.planted)
            case .watered(let sprout, _, _):
                add(GardenRules.recoveryPerWater, to: sprouts[GardenID(sprout)]?.branch, \.watered)
            case .harvested(let sprout, let result, _, _):
                guard let known = sprouts[GardenID(sprout)] else { continue }
                add(known.cost * GardenRules.multiplier(ofResult: result), to: known.branch, \.harvested)
            case .shone(let twig, _, _, _):
                add(GardenRules.recoveryPerSun, to: GardenRules.branch(ofTwig: twig), \.sun)
            default: continue
            }
        }
        for branch in scores.indices {
            scores[branch].score = min(1, scores[branch].score / GardenRules.engagementCeiling)
        }
        return scores
    }
}
