import CueBase

/// The subjects of the garden as lists, in the order in which they were made.
extension GardenReplay {
    /// The numbers of sprouts of one leaf.
    package struct LeafProgress: Equatable, Sendable {
        /// Those that were harvested.
        package internal(set) var done = 0
        /// Those that are still growing.
        package internal(set) var growing = 0
        /// All that were ever planted.
        package internal(set) var total = 0
    }

    /// All sprouts, also ended ones.
    package var sprouts: [Sprout] { values(sproutPlots) }

    /// All leaves.
    package var leaves: [Leaf] { values(leafPlots) }

    /// All seedlings that were not deleted.
    package var seedlings: [Seedling] { values(seedlingPlots) }

    private func values<Value>(_ plots: [Plot<Value>]) -> [Value] {
        plots.filter { $0.value != nil }.sorted { isBefore($0.origin, $1.origin) }
            .compactMap(\.value)
    }

    /// All suns, oldest first, copies counted once.
    package var suns: [SunEntry] {
        order.compactMap { number in
            guard kinds[Int(number)] == .sun, counts(number) else { return nil }
            let event = events[Int(number)]
            guard case .shone(let twig, let label, let content, let prompt) = event.action else { return nil }
            return SunEntry(
                timestamp: event.timestamp, content: content, prompt: prompt, twig: twig, twigLabel: label)
        }
    }

    /// The waterings of all sprouts, newest first.
    package var waterLog: [(entry: WaterEntry, sprout: Sprout)] {
        let all = sprouts.flatMap { sprout in sprout.waterEntries.map { (entry: $0, sprout: sprout) } }
        // Those of one moment stay in the order of the sprouts.
        return all.enumerated().sorted { x, y in
            let (a, b) = (x.element.entry.time, y.element.entry.time)
            return a == b ? x.offset < y.offset : a > b
        }.map(\.element)
    }

    /// The progress of every leaf, also of those that only sprouts name.
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

    /// Groups values in the order of their first elements; leaves out values without a key.
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

    /// The soil after each event that changed it, rounded as in `soil`.
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
