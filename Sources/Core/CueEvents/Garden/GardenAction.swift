package import CueBase

/// A person's wish for the garden, before it is checked (docs/garden.md, Refusals).
package enum GardenAction: Equatable, Sendable {
    /// Plants a sprout; `twig` as `branch-3-twig-2` or `hands-2`, `leaf` and `project` by their ids.
    case plant(
        twig: String, title: String, SproutSeason, SproutEnvironment, leaf: String, wither: String? = nil,
        budding: String? = nil, flourish: String? = nil, project: String? = nil)
    /// Notes work on a sprout.
    case water(sprout: String, text: String, prompt: String? = nil)
    /// Ends a sprout with a result from 1 to 5. Before its last day it needs `early`: a reward at once would make soil
    /// worth nothing.
    case harvest(sprout: String, result: Int, reflection: String? = nil, early: Bool = false)
    /// Ends a sprout without a result.
    case uproot(sprout: String)
    /// Changes texts or the leaf of a sprout.
    case edit(sprout: String, GardenEvent.SproutEdit)
    /// Looks back at a week on a twig; nil for `label` shows the twig itself.
    case shine(twig: String, label: String? = nil, text: String, prompt: String? = nil)
    /// Makes a leaf, whose name must be new on its twig.
    case makeLeaf(twig: String, name: String)
    /// Notes an idea for a sprout.
    case makeSeedling(twig: String, title: String, notes: String? = nil)
    /// Changes a seedling by its id; nil leaves a text as it is.
    case editSeedling(String, title: String?, notes: String?)
    /// Removes a seedling by its id.
    case deleteSeedling(String)

    /// Returns the event that carries out the wish; its `type` and `payload` go to the log, and nothing else changes
    /// the garden.
    ///
    /// New ids are `sprout-`, `leaf-` or `seedling-` and a UUID made of `random`. Throws the first refusal.
    package func event(
        in garden: GardenReplay, now: Timestamp, _ calendar: GardenCalendar,
        random: inout some RandomNumberGenerator
    ) throws(GardenRefusal) -> GardenEvent.Action {
        switch self {
        case .plant(
            let twig, let title, let season, let environment, let leaf, let wither, let budding, let flourish,
            let project):
            let twig = try Self.twig(twig)
            let planting = GardenEvent.Planting(
                sprout: Self.id("sprout", &random), twig: twig, title: try Self.title(title),
                season: season, environment: environment, soilCost: season.soilCost(in: environment),
                leaf: try Self.leaf(leaf, on: twig, in: garden), bloomWither: try Self.bloom(wither),
                bloomBudding: try Self.bloom(budding), bloomFlourish: try Self.bloom(flourish), project: project)
            guard garden.soil.available >= planting.soilCost else {
                throw .insufficientSoil(needed: planting.soilCost, available: garden.soil.available)
            }
            return .planted(planting)
        case .water(let id, let text, let prompt):
            return try Self.water(id, text, prompt, in: garden, garden.today(now: now, calendar), calendar)
        case .harvest(let id, let result, let reflection, let early):
            let sprout = try Self.growing(id, in: garden)
            guard (1...5).contains(result) else { throw .noSuchResult(result) }
            let end = calendar.endDate(planted: sprout.plantedTime, sprout.planting.season)
            guard early || now >= end else {
                throw .notReady(title: sprout.planting.title, day: calendar.shownDay(end))
            }
            let gained = GardenRules.capacityReward(
                sprout.planting.season, sprout.planting.environment, result: Double(result),
                capacity: garden.soil.capacity)
            return .harvested(
                sprout: id, result: Double(result), capacityGained: gained, reflection: Self.optional(reflection))
        case .uproot(let id):
            let sprout = try Self.growing(id, in: garden)
            return .uprooted(
                sprout: id, soilReturned: GardenRules.uprootRefund(soilCost: sprout.planting.soilCost))
        case .edit(let id, let edit): return .edited(sprout: id, try Self.edit(id, edit, in: garden))
        case .shine(let twig, let label, let text, let prompt):
            let (twig, text) = (try Self.twig(twig), try Self.text(text, .content))
            let today = garden.today(now: now, calendar)
            guard today.sun > 0 else { throw .noSun(reset: calendar.shown(today.nextSunReset)) }
            return .shone(
                twig: twig, label: Self.optional(label) ?? GardenRules.shownTwig(twig), content: text,
                prompt: Self.optional(prompt))
        case .makeLeaf(let twig, let name):
            let name = try Self.text(name, .leafName, atMost: GardenRules.leafNameLimit)
            let twig = try Self.twig(twig)
            // Sprouts name their leaf, and two of one name could not be told apart.
            guard !garden.leaves.contains(where: { $0.twig == twig && $0.name.lowercased() == name.lowercased() })
            else { throw .leafThere(name: name, twig: twig) }
            return .leafCreated(leaf: Self.id("leaf", &random), twig: twig, name: name)
        case .makeSeedling(let twig, let title, let notes):
            return .seedlingCreated(
                seedling: Self.id("seedling", &random), twig: try Self.twig(twig), title: try Self.title(title),
                notes: Self.optional(try Self.notes(notes)))
        case .editSeedling(let id, let title, let notes):
            guard garden.seedling(id) != nil else { throw .unknown(.seedling, id: id) }
            guard title != nil || notes != nil else { throw .nothingToChange }
            return .seedlingEdited(
                seedling: id, title: try title.map { title throws(GardenRefusal) in try Self.title(title) },
                notes: try Self.notes(notes))
        case .deleteSeedling(let id):
            guard garden.seedling(id) != nil else { throw .unknown(.seedling, id: id) }
            return .seedlingDeleted(seedling: id)
        }
    }

    private static func water(
        _ id: String, _ text: String, _ prompt: String?, in garden: GardenReplay, _ today: GardenToday,
        _ calendar: GardenCalendar
    ) throws(GardenRefusal) -> GardenEvent.Action {
        try checkWater(id, in: garden, today, calendar)
        return .watered(sprout: id, content: try Self.text(text, .content), prompt: optional(prompt))
    }

    /// Throws if a sprout cannot be watered now, before any text is asked for. `today` must be of `garden` and now.
    package static func checkWater(
        _ id: String, in garden: GardenReplay, _ today: GardenToday, _ calendar: GardenCalendar
    ) throws(GardenRefusal) {
        let sprout = try growing(id, in: garden)
        let reset = calendar.shown(today.nextWaterReset)
        guard !today.wateredToday.contains(where: { GardenID($0) == GardenID(id) }) else {
            throw .wateredToday(title: sprout.planting.title, reset: reset)
        }
        guard today.water > 0 else { throw .noWater(reset: reset) }
    }

    private static func edit(
        _ id: String, _ edit: GardenEvent.SproutEdit, in garden: GardenReplay
    ) throws(GardenRefusal) -> GardenEvent.SproutEdit {
        guard let sprout = garden.sprout(id) else { throw .unknown(.sprout, id: id) }
        guard edit != GardenEvent.SproutEdit() else { throw .nothingToChange }
        var checked = GardenEvent.SproutEdit()
        if let title = edit.title { checked.title = try self.title(title) }
        if let leaf = edit.leaf { checked.leaf = try self.leaf(leaf, on: sprout.planting.twig, in: garden) }
        checked.bloomWither = try bloom(edit.bloomWither)
        checked.bloomBudding = try bloom(edit.bloomBudding)
        checked.bloomFlourish = try bloom(edit.bloomFlourish)
        checked.project = edit.project
        return checked
    }
}

// MARK: Checks of one part

extension GardenAction {
    private static func growing(_ id: String, in garden: GardenReplay) throws(GardenRefusal) -> Sprout {
        guard let sprout = garden.sprout(id) else { throw .unknown(.sprout, id: id) }
        guard sprout.state == .active else {
            throw .notGrowing(title: sprout.planting.title, state: sprout.state)
        }
        return sprout
    }

    private static func twig(_ text: String) throws(GardenRefusal) -> String {
        guard let id = GardenRules.twigID(text) else { throw .noTwig(text) }
        return id
    }

    private static func leaf(
        _ id: String, on twig: String, in garden: GardenReplay
    ) throws(GardenRefusal) -> String {
        guard let leaf = garden.leaf(id) else { throw .unknown(.leaf, id: id) }
        guard leaf.twig == twig else { throw .leafElsewhere(name: leaf.name, twig: leaf.twig) }
        return id
    }

    private static func title(_ text: String) throws(GardenRefusal) -> String {
        try self.text(text, .title, atMost: GardenRules.titleLimit)
    }

    private static func text(
        _ text: String, _ what: GardenRefusal.Text, atMost limit: Int = .max
    ) throws(GardenRefusal) -> String {
        let text = trimmed(text)
        guard !text.isEmpty else { throw .empty(what) }
        guard text.utf16.count <= limit else { throw .tooLong(what, length: text.utf16.count, limit: limit) }
        return text
    }

    /// An empty text is allowed, and empties the field.
    private static func bloom(_ text: String?) throws(GardenRefusal) -> String? {
        try short(text, .bloom, GardenRules.bloomLimit)
    }

    private static func notes(_ text: String?) throws(GardenRefusal) -> String? {
        try short(text, .note, GardenRules.notesLimit)
    }

    private static func short(_ text: String?, _ what: GardenRefusal.Text, _ limit: Int) throws(GardenRefusal)
        -> String?
    {
        guard let text = text.map({ trimmed($0) }) else { return nil }
        guard text.utf16.count <= limit else { throw .tooLong(what, length: text.utf16.count, limit: limit) }
        return text
    }

    private static func optional(_ text: String?) -> String? {
        text.map { trimmed($0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func trimmed(_ text: String) -> String {
        let start = text.drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }

    /// `sprout-` and a UUID, version 4, in lower case.
    private static func id(_ kind: String, _ random: inout some RandomNumberGenerator) -> String {
        "\(kind)-\(UUIDText.random(using: &random))"
    }
}
