import CueBase

/// What there is in the garden, in the order in which it was made.
extension GardenReplay {
    package struct LeafProgress: Equatable, Sendable {
        /// Harvested, growing, and all that were ever planted.
        package internal(set) var done = 0
        package internal(set) var growing = 0
        package internal(set) var total = 0
    }

    package var sprouts: [Sprout] { values(sproutPlots) }

    package var leaves: [Leaf] { values(leafPlots) }

    package var seedlings: [Seedling] { values(seedlingPlots) }

    private func values<Value>(_ plots: [Plot<Value>]) -> [Value] {
        plots.filter { $0.value != nil }.sorted { isBefore($0.origin, $1.origin) }
            .compactMap(\.value)
    }

    /// All suns, oldest first, each once.
    package var suns: [SunEntry] {
        order.compactMap { number in
            guard kinds[Int(number)] == .sun, counts(number) else { return nil }
            let event = events[Int(number)]
            guard case .shone(let twig, let label, let content, let prompt) = event.action else { return nil }
            return SunEntry(
                timestamp: event.timestamp, content: content, prompt: prompt, twig: twig, twigLabel: label)
        }
    }

    /// The waterings of all sprouts that there are, newest first.
    package var waterLog: [(entry: WaterEntry, sprout: Sprout)] {
        let all = sprouts.flatMap { sprout in sprout.waterEntries.map { (entry: $0, sprout: sprout) } }
        // In one moment they stay in the sprouts' order.
        return all.enumerated().sorted { x, y in
            let (a, b) = (x.element.entry.time, y.element.entry.time)
            return a == b ? x.offset < y.offset : a > b
        }.map(\.element)
    }

    /// Of every leaf that there is, and of those that only sprouts name.
    package var leafProgress: [(leaf: String, progress: LeafProgress)] {
        let named = leaves.map { (leaf: $0.id, state: Sprout.State?.none) }
        let grown = sprouts.compactMap { sprout in
            sprout.planting.leaf.map { (leaf: $0, state: Sprout.State?.some(sprout.state)) }
        }
        return Self.grouped(named + grown, by: \.leaf).map { leaf, values in
            var progress = LeafProgress()
            for case let state? in values.map(\.state) {
                progress.total += 1
                if state == .completed { progress.done += 1 }
                if state == .active { progress.growing += 1 }
            }
            return (leaf, progress)
        }
    }

    /// Groups in the order of their first elements, without those that have no key.
    static func grouped<Value>(_ values: [Value], by key: (Value) -> String?) -> [(key: String, values: [Value])] {
        var places: [GardenID: Int] = [:]
        var groups: [(key: String, values: [Value])] = []
        for value in values {
            guard let key = key(value) else { continue }
            if let place = places[GardenID(key)] {
                groups[place].values.append(value)
            } else {
                places[GardenID(key)] = groups.count
                groups.append((key, [value]))
            }
        }
        return groups
    }

    /// The soil after each event that changed it, as the state has it.
    package var soilHistory: [SoilPoint] {
        var soil = Soil()
        return order.compactMap { number in
            let step = step(of: number)
            guard step != .nothing else { return nil }
            soil.apply(step)
            return SoilPoint(
                time: Timestamp(milliseconds: times[Int(number)]), capacity: soil.capacity, available: soil.available)
        }
    }
}
