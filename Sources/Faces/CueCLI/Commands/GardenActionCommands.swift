import ArgumentParser
import CueBase
import CueEvents

extension SproutSeason: ExpressibleByArgument {}
extension SproutEnvironment: ExpressibleByArgument {}
extension SoilChart.Range: ExpressibleByArgument {}

/// The options of a sprout that planting sets and an edit changes.
struct SproutOptions: ParsableArguments {
    @Option(help: ArgumentHelp("What little would be.", valueName: "text"))
    var wither: String?

    @Option(help: ArgumentHelp("What enough would be.", valueName: "text"))
    var budding: String?

    @Option(help: ArgumentHelp("What all would be.", valueName: "text"))
    var flourish: String?

    @Option(help: ArgumentHelp("The document whose words may water it; none unties it.", valueName: "name"))
    var project: String?

    /// The sentence about the sprout's document; empty if none was named.
    static func words(_ project: (id: String, name: String)?) -> String {
        guard let project else { return "" }
        return project.id.isEmpty ? " It is tied to no document." : " Words written on \(project.name) may water it."
    }
}

/// `cue garden plant`.
struct GardenPlantCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plant", abstract: "Plant a sprout: something to do for a season.")

    @Argument(help: "What you mean to do, in at most 60 characters.")
    var title: String

    @Option(help: ArgumentHelp("Where, such as hands-2.", valueName: "twig"))
    var on: String

    @Option(help: "The leaf it belongs to, by name or id.")
    var leaf: String

    @Option(name: .customLong("for"), help: "For how long: 2w, 1m, 3m, 6m or 1y.")
    var season = SproutSeason.month

    @Option(help: "How hard it is: fertile, firm or barren.")
    var ground = SproutEnvironment.firm

    @OptionGroup var sproutOptions: SproutOptions

    @OptionGroup var options: GardenOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        var view = try GardenView(options)
        let project = try options.project(sproutOptions.project)
        let twig = try GardenWords.text(on)
        let leaf = try GardenWords.leaf(
            try GardenWords.text(leaf), on: GardenRules.twigID(twig), in: view.garden)
        let action = GardenAction.plant(
            twig: twig, title: try GardenWords.text(title), season, ground, leaf: leaf,
            wither: try GardenWords.text(sproutOptions.wither), budding: try GardenWords.text(sproutOptions.budding),
            flourish: try GardenWords.text(sproutOptions.flourish),
            project: project.flatMap { $0.id.isEmpty ? nil : $0.id })
        let (calendar, now) = (view.calendar, view.now)
        try view.run(action, common.output) { done, garden in
            guard case .planted(let planting) = done else { return "" }
            let end = calendar.wall(calendar.endDate(planted: now, planting.season)).date
            let (free, all) = (GardenText.amount(garden.soil.available), GardenText.amount(garden.soil.capacity))
            return
                "Planted \(planting.title) on \(GardenRules.shownTwig(planting.twig)). Until it is harvested it takes up "
                + "\(GardenText.amount(planting.soilCost)) soil, the measure of how much you can take on at once; "
                + "\(free) of \(all) is free. It is ready on \(GardenText.day(end)) \(end.year)."
                + SproutOptions.words(project)
        }
    }
}

/// `cue garden water`.
struct GardenWaterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "water", abstract: "Water a sprout: say what you did for it today.")

    @Argument(help: "The sprout, by title or id.")
    var sprout: String

    @Argument(help: "What you did. Without it, the words that you wrote today on the document of the sprout.")
    var text: String?

    @Option(help: ArgumentHelp("The question that the text answers.", valueName: "text"))
    var prompt: String?

    @OptionGroup var options: GardenOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        var view = try GardenView(options)
        let id = try GardenWords.sprout(try GardenWords.text(sprout), in: view.garden)
        var did = try GardenWords.text(text)
        if did == nil, let sprout = view.garden.sprout(id) {
            let today = view.garden.today(now: view.now, view.calendar)
            do throws(GardenRefusal) {
                try GardenAction.checkWater(id, in: view.garden, today, view.calendar)
            } catch { throw CueError(error) }
            did = try GardenWriting.text(for: sprout, options, view)
        }
        let action = GardenAction.water(sprout: id, text: did ?? "", prompt: try GardenWords.text(prompt))
        let (calendar, now) = (view.calendar, view.now)
        try view.run(action, common.output) { _, garden in
            let today = garden.today(now: now, calendar)
            let what = text == nil ? ": \(did ?? "")" : ""
            return
                "Watered \(garden.sprout(id)?.planting.title ?? id)\(what). \(today.water) of \(GardenRules.dailyWater) "
                + "waters are left; the streak is \(GardenText.count(today.streak, "day"))."
        }
    }
}

/// `cue garden harvest`.
struct GardenHarvestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "harvest", abstract: "Harvest a sprout, and say how it went.")

    @Argument(help: "The sprout, by title or id.")
    var sprout: String

    @Option(help: "1 minimal, 2 partial, 3 good, 4 strong, 5 exceptional.")
    var result: Int

    @Option(help: ArgumentHelp("What you think of it now.", valueName: "text"))
    var reflection: String?

    @Flag(help: "Also before its last day.")
    var early = false

    @OptionGroup var options: GardenOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        var view = try GardenView(options)
        let id = try GardenWords.sprout(try GardenWords.text(sprout), in: view.garden)
        let action = GardenAction.harvest(
            sprout: id, result: result, reflection: try GardenWords.text(reflection), early: early)
        try view.run(action, common.output) { done, garden in
            guard case .harvested(_, _, let gained, _) = done else { return "" }
            return "Harvested \(garden.sprout(id)?.planting.title ?? id). The garden holds "
                + "\(GardenText.amount(gained)) more soil, \(GardenText.amount(garden.soil.capacity)) in all, and "
                + "\(GardenText.amount(garden.soil.available)) is free."
        }
    }
}

/// `cue garden uproot`.
struct GardenUprootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uproot", abstract: "Give a sprout up; a quarter of its soil comes back.")

    @Argument(help: "The sprout, by title or id.")
    var sprout: String

    @OptionGroup var options: GardenOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        var view = try GardenView(options)
        let id = try GardenWords.sprout(try GardenWords.text(sprout), in: view.garden)
        try view.run(.uproot(sprout: id), common.output) { done, garden in
            guard case .uprooted(_, let returned) = done else { return "" }
            return
                "Uprooted \(garden.sprout(id)?.planting.title ?? id): \(GardenText.amount(returned)) soil came back, "
                + "\(GardenText.amount(garden.soil.available)) is free."
        }
    }
}

/// `cue garden edit`.
struct GardenEditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change the texts of a sprout, its leaf or its document.",
        discussion: "An empty text takes a bloom away. Season, ground and cost stay as they were planted.")

    @Argument(help: "The sprout, by title or id.")
    var sprout: String

    @Option(help: ArgumentHelp("What you mean to do.", valueName: "text"))
    var title: String?

    @Option(help: "The leaf it belongs to, by name or id.")
    var leaf: String?

    @OptionGroup var sproutOptions: SproutOptions

    @OptionGroup var options: GardenOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        var view = try GardenView(options)
        let id = try GardenWords.sprout(try GardenWords.text(sprout), in: view.garden)
        let twig = view.garden.sprout(id)?.planting.twig
        let project = try options.project(sproutOptions.project)
        let edit = GardenEvent.SproutEdit(
            title: try GardenWords.text(title), bloomWither: try GardenWords.text(sproutOptions.wither),
            bloomBudding: try GardenWords.text(sproutOptions.budding),
            bloomFlourish: try GardenWords.text(sproutOptions.flourish),
            leaf: try GardenWords.text(leaf).map { try GardenWords.leaf($0, on: twig, in: view.garden) },
            project: project?.id)
        try view.run(.edit(sprout: id, edit), common.output) { _, garden in
            "Changed \(garden.sprout(id)?.planting.title ?? id)." + SproutOptions.words(project)
        }
    }
}

/// `cue garden shine`.
struct GardenShineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shine", abstract: "Let the sun shine on a twig: look back on your week.")

    @Argument(help: "The twig, such as hands-2.")
    var twig: String

    @Argument(help: "What you think of it.")
    var text: String

    @Option(help: ArgumentHelp("What you call the twig.", valueName: "text"))
    var label: String?

    @Option(help: ArgumentHelp("The question that the text answers.", valueName: "text"))
    var prompt: String?

    @OptionGroup var options: GardenOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        var view = try GardenView(options)
        let action = GardenAction.shine(
            twig: try GardenWords.text(twig), label: try GardenWords.text(label), text: try GardenWords.text(text),
            prompt: try GardenWords.text(prompt))
        try view.run(action, common.output) { done, garden in
            guard case .shone(let twig, _, _, _) = done else { return "" }
            return
                "The sun shone on \(GardenRules.shownTwig(twig)); \(GardenText.amount(garden.soil.available)) soil is "
                + "free."
        }
    }
}

/// `cue garden leaf`: makes a leaf, or lists them without a name.
struct GardenLeafCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leaf", abstract: "Make a leaf: a saga on a twig, to which sprouts belong.",
        discussion: "Without a name it lists the leaves there are.")

    @Argument(help: "The twig, such as hands-2.")
    var twig: String?

    @Argument(help: "Its name, in at most 40 characters.")
    var name: String?

    @OptionGroup var options: GardenOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        guard let twig, let name else { return try list() }
        var view = try GardenView(options)
        let action = GardenAction.makeLeaf(twig: try GardenWords.text(twig), name: try GardenWords.text(name))
        try view.run(action, common.output) { done, _ in
            guard case .leafCreated(let id, let twig, let name) = done else { return "" }
            return "The leaf \(name) is on \(GardenRules.shownTwig(twig)) (\(id))."
        }
    }

    private func list() throws {
        var only: String?
        if let twig {
            only = GardenRules.twigID(try GardenWords.text(twig))
            guard only != nil else { throw CueError(GardenRefusal.noTwig(twig)) }
        }
        let garden = try GardenView(options, making: false).garden
        let leaves = garden.leaves.filter { only == nil || $0.twig == only }.sorted { $0.twig < $1.twig }
        let sprouts = Dictionary(grouping: garden.sprouts) { $0.planting.leaf ?? "" }.mapValues(\.count)
        let output = common.output
        if output.json {
            let rows = leaves.map { leaf in
                JSON.fields([
                    "id": .string(leaf.id), "twig": .string(leaf.twig), "name": .string(leaf.name),
                    "sprouts": .integer(Int64(sprouts[leaf.id] ?? 0)),
                ])
            }
            return output.print(JSON.fields(["leaves": .array(rows)]))
        }
        if leaves.isEmpty { output.line(only == nil ? "There are no leaves." : "There are no leaves on this twig.") }
        for leaf in leaves {
            let twig = GardenText.fitted(GardenRules.shownTwig(leaf.twig), 8)
            let count = GardenText.count(sprouts[leaf.id] ?? 0, "sprout")
            output.line("\(twig)  \(GardenText.shown(leaf.name)), \(count)  (\(GardenText.shown(leaf.id)))")
        }
    }
}
