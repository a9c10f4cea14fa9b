import ArgumentParser
import CueBase
import CueEvents

/// `cue garden seedling`.
struct GardenSeedlingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seedling", abstract: "Keep ideas for sprouts.",
        subcommands: [
            SeedlingListCommand.self, SeedlingAddCommand.self, SeedlingEditCommand.self, SeedlingDeleteCommand.self,
        ],
        defaultSubcommand: SeedlingListCommand.self)
}

/// `cue garden seedling list`.
struct SeedlingListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the ideas.")

    @OptionGroup var options: GardenOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let view = try GardenView(options, making: false)
        let (output, seedlings) = (common.output, view.garden.seedlings)
        if output.json {
            let rows = seedlings.map { seedling in
                JSON.fields([
                    "id": .string(seedling.id), "twig": .string(seedling.twig), "title": .string(seedling.title),
                    "notes": seedling.notes.map { .string($0) }, "created": .string(seedling.createdAt),
                ])
            }
            let result = JSON.fields(["seedlings": .array(rows)])
            return Output.print(String(decoding: result.canonical, as: UTF8.self) + "\n")
        }
        if seedlings.isEmpty { output.line("There are no seedlings.") }
        for seedling in seedlings {
            let twig = GardenText.fitted(GardenRules.shownTwig(seedling.twig), 8)
            output.line("\(twig)  \(GardenText.shown(seedling.title))  (\(GardenText.shown(seedling.id)))")
            if let notes = seedling.notes, !notes.isEmpty { output.line("          \(GardenText.shown(notes))") }
        }
    }
}

/// `cue garden seedling add`.
struct SeedlingAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "add", abstract: "Note an idea on a twig.")

    @Argument(help: "The twig, such as hands-2.")
    var twig: String

    @Argument(help: "The idea, in at most 60 characters.")
    var title: String

    @Option(help: ArgumentHelp("More about it, in at most 200 characters.", valueName: "text"))
    var notes: String?

    @OptionGroup var options: GardenOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        var view = try GardenView(options)
        let action = GardenAction.makeSeedling(
            twig: try GardenWords.text(twig), title: try GardenWords.text(title), notes: try GardenWords.text(notes))
        try view.run(action, common.output) { done, _ in
            guard case .seedlingCreated(_, let twig, let title, _) = done else { return "" }
            return "The seedling \(title) is on \(GardenRules.shownTwig(twig))."
        }
    }
}

/// `cue garden seedling edit`.
struct SeedlingEditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "edit", abstract: "Change an idea.")

    @Argument(help: "The seedling, by title or id.")
    var seedling: String

    @Option(help: ArgumentHelp("The idea.", valueName: "text"))
    var title: String?

    @Option(help: ArgumentHelp("More about it; an empty text takes it away.", valueName: "text"))
    var notes: String?

    @OptionGroup var options: GardenOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        var view = try GardenView(options)
        let id = try GardenWords.seedling(try GardenWords.text(seedling), in: view.garden)
        let action = GardenAction.editSeedling(
            id, title: try GardenWords.text(title), notes: try GardenWords.text(notes))
        try view.run(action, common.output) { _, garden in "Changed \(garden.seedling(id)?.title ?? id)." }
    }
}

/// `cue garden seedling delete`.
struct SeedlingDeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "delete", abstract: "Drop an idea.")

    @Argument(help: "The seedling, by title or id.")
    var seedling: String

    @OptionGroup var options: GardenOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        var view = try GardenView(options)
        let id = try GardenWords.seedling(try GardenWords.text(seedling), in: view.garden)
        let title = view.garden.seedling(id)?.title ?? id
        try view.run(.deleteSeedling(id), common.output) { _, _ in "Dropped \(title)." }
    }
}
