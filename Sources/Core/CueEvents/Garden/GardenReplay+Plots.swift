/// The effect of each event on its subject.
extension GardenReplay.Plot<Sprout> {
    /// The first planting makes the sprout, and the first harvest or uprooting ends it.
    ///
    /// Events after its end, or before it was planted, change texts only.
    mutating func replay(_ event: GardenEvent, _ number: Int32) -> Soil.Step {
        switch event.action {
        case .planted(let planting):
            guard value == nil else { return .nothing }
            value = Sprout(planting: planting, plantedAt: event.timestamp, plantedTime: event.time)
            origin = number
            return .spend(planting.soilCost)
        case .watered(_, let content, let prompt):
            value?.waterEntries.append(
                WaterEntry(timestamp: event.timestamp, time: event.time, content: content, prompt: prompt))
            return value?.state == .active ? .gain(GardenRules.recoveryPerWater) : .nothing
        case .harvested(_, let result, let gained, let reflection):
            guard let cost = value?.planting.soilCost, value?.state == .active else { return .nothing }
            value?.state = .completed
            value?.result = result
            value?.reflection = reflection
            value?.harvestedAt = event.timestamp
            return .harvest(gained: gained, returned: cost)
        case .uprooted(_, let returned):
            guard value?.state == .active else { return .nothing }
            value?.state = .uprooted
            value?.uprootedAt = event.timestamp
            return .gain(returned)
        case .edited(_, let edit):
            value?.planting.apply(edit)
            return .nothing
        default: return .nothing
        }
    }
}

extension GardenEvent.Planting {
    fileprivate mutating func apply(_ edit: GardenEvent.SproutEdit) {
        title = edit.title ?? title
        bloomWither = edit.bloomWither ?? bloomWither
        bloomBudding = edit.bloomBudding ?? bloomBudding
        bloomFlourish = edit.bloomFlourish ?? bloomFlourish
        leaf = edit.leaf ?? leaf
        project = edit.project ?? project
    }
}

extension GardenReplay.Plot<Leaf> {
    /// A later event of the same id replaces the leaf, which keeps its place in lists.
    mutating func replay(_ event: GardenEvent, _ number: Int32) {
        guard case .leafCreated(let id, let twig, let name) = event.action else { return }
        if value == nil { origin = number }
        value = Leaf(id: id, twig: twig, name: name, createdAt: event.timestamp)
    }
}

extension GardenReplay.Plot<Seedling> {
    mutating func replay(_ event: GardenEvent, _ number: Int32) {
        switch event.action {
        case .seedlingCreated(let id, let twig, let title, let notes):
            if value == nil { origin = number }
            value = Seedling(id: id, twig: twig, title: title, notes: notes, createdAt: event.timestamp)
        case .seedlingEdited(_, let title, let notes):
            if let title { value?.title = title }
            if let notes { value?.notes = notes }
        case .seedlingDeleted: value = nil
        default: return
        }
    }
}
