import ArgumentParser
import CueBase
import CueEngine
import CueEvents
import CueSystem
import CueTerminal
import Foundation

/// `cue garden`.
struct GardenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "garden", abstract: "Grow what you mean to do: plant, water, harvest.",
        discussion:
            "Planting spends soil, harvesting gives it back and makes room for more. There are three waters a day, "
            + "from 06:00, and one sun a week, from Monday. A twig is a branch and a number from 0 to 7, such as hands-2.",
        subcommands: [
            GardenShowCommand.self, GardenPlantCommand.self, GardenWaterCommand.self, GardenHarvestCommand.self,
            GardenUprootCommand.self, GardenEditCommand.self, GardenShineCommand.self, GardenLeafCommand.self,
            GardenSeedlingCommand.self, GardenChartCommand.self, GardenDeriveCommand.self,
        ], defaultSubcommand: GardenShowCommand.self)
}

/// `cue garden show`.
struct GardenShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Draw the garden.")

    @OptionGroup var options: GardenOptions
    @OptionGroup var ink: ColourOption
    @OptionGroup var common: CommonOptions

    func validate() throws { try ink.refuse(common) }

    func run() throws {
        let view = try GardenView(options, making: false)
        GardenOutput.state(
            view.garden, view.now, view.calendar, .time, refused: view.log.refused, common.output, ink.colour)
    }
}

/// `cue garden derive`.
struct GardenDeriveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "derive", abstract: "Derive the garden from a file of events.",
        discussion:
            "The file is a JSON array or has one JSON object a line, in any form of an event. With --json the whole "
            + "state is printed; its lists of the raw log follow the order of the file.")

    @Option(help: ArgumentHelp("The file of events; - is the standard input.", valueName: "file"))
    var events: String

    @OptionGroup var clock: GardenClockOptions
    @OptionGroup var ink: ColourOption
    @OptionGroup var common: CommonOptions

    func validate() throws { try ink.refuse(common) }

    func run() throws {
        let (now, calendar) = (try clock.time(), try clock.calendar())
        let contents = try EventFile(events).read()
        GardenOutput.state(
            GardenReplay(contents.events), now, calendar, .arrival, refused: contents.refused, common.output, ink.colour
        )
    }
}

/// `cue garden chart`.
struct GardenChartCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "chart", abstract: "Draw the soil over time.")

    @Option(help: "How far back: 1d, 1w, 1m, 3m, 6m, ytd or all.")
    var range = SoilChart.Range.month

    @Option(help: ArgumentHelp("Write a picture (SVG) to this file; - is the standard output.", valueName: "file"))
    var svg: String?

    @OptionGroup var options: GardenOptions
    @OptionGroup var ink: ColourOption
    @OptionGroup var common: CommonOptions

    func validate() throws {
        try ink.refuse(common)
        if ink.colour && svg != nil {
            throw ValidationError("A picture has its colours: leave --color out, or --svg.")
        }
    }

    func run() throws {
        guard svg != "-" || !common.json else {
            throw CueError(.usage, "--svg - and --json both want the standard output", "give --svg a file")
        }
        let view = try GardenView(options, making: false)
        let points = SoilChart.points(of: view.garden.soilHistory, range, now: view.now, view.calendar)
        let output = common.output
        if let svg { try write(SoilChartSVG.text(points, range, view.calendar), to: svg, output) }
        if output.json {
            let json = JSON.fields([
                "range": .string(range.rawValue),
                "points": .array(
                    points.map {
                        .fields([
                            "time": .string($0.time.iso8601), "capacity": .number($0.capacity),
                            "available": .number($0.available),
                        ])
                    }),
            ])
            Output.print(String(decoding: json.canonical, as: UTF8.self) + "\n")
        }
        guard svg == nil else { return }
        let width = Terminal.columns(of: Terminal.output)
        GardenOutput.draw(
            SoilChartScreen.lines(points, range, view.calendar, width: width, colour: ink.colour), output)
    }

    /// Writes the picture to a file, or prints it for `-`. Throws `CueError` if the file exists and is no chart of cue.
    private func write(_ picture: String, to file: String, _ output: Output) throws {
        if file == "-" { return Output.print(picture) }
        let path = FilePathBytes(ArgumentBytes.bytes(file))
        do throws(SystemError) {
            let folder = try Folder.open(path.parent)
            let isChart = try Self.isChart(path.name, in: folder)
            try Self.put(Array(picture.utf8), at: path.name, in: folder, replacing: isChart)
        } catch {
            guard error.code != EEXIST else {
                throw CueError(
                    .failed, "\(path) is there already; nothing was written",
                    "name a file that is not there, or a chart that cue drew")
            }
            throw CueError(.failed, "\(path) cannot be written: \(error.words)")
        }
        output.line("The chart is in \(path).")
    }

    /// Whether the file is a chart that cue drew: a script may redraw it. Any other file is a person's.
    private static func isChart(_ name: [UInt8], in folder: Folder) throws(SystemError) -> Bool {
        guard try folder.info(of: name)?.kind == .file else { return false }
        let beginning = Array(SoilChartSVG.beginning.utf8)
        var bytes = [UInt8](repeating: 0, count: beginning.count)
        var span = bytes.mutableSpan
        let count = try folder.file(name).read(into: &span)
        return count == beginning.count && bytes == beginning
    }

    /// Writes the file in one step: a killed program would leave half of a picture, which the next run would not
    /// replace.
    private static func put(
        _ bytes: [UInt8], at name: [UInt8], in folder: Folder, replacing: Bool
    ) throws(SystemError) {
        var random = SystemRandomNumberGenerator()
        let new = Array(".\(UUIDText.random(using: &random)).svg".utf8)
        let file = try folder.create(new, mode: 0o644)
        do throws(SystemError) {
            try file.write(bytes.span)
            try file.synchronize()
            if replacing {
                try folder.rename(new, to: folder, name)
            } else {
                try folder.renameNew(new, to: folder, name)
            }
        } catch {
            try? folder.remove(new)
            throw error
        }
        try folder.synchronize()
    }
}

/// Prints gardens.
enum GardenOutput {
    /// Prints a garden and warns of events without an effect. `refused`: entries that are no events.
    static func state(
        _ garden: GardenReplay, _ now: Timestamp, _ calendar: GardenCalendar, _ log: GardenReplay.LogOrder,
        refused: [EventFile.Refused], _ output: Output, _ colour: Bool
    ) {
        let skipped =
            refused.map { "event \($0.number): \($0.error.words)" }
            + garden.skipped.map {
                "\(GardenText.shown($0.clientID)) (\(GardenText.shown($0.type))): \($0.skip.words)"
            }
        if output.json {
            var members = Garden.derived(garden, now: now, calendar, log: log).members ?? []
            if !skipped.isEmpty { members.append(.init("skipped", .array(skipped.map { .string($0) }))) }
            return Output.print(String(decoding: JSON.object(members).canonical, as: UTF8.self) + "\n")
        }
        let width = Terminal.columns(of: Terminal.output)
        draw(GardenScreen.lines(garden, now: now, calendar, width: width, colour: colour), output)
        // They stay in the log for ever, and the warning comes with each picture: so it is one line.
        guard let first = skipped.first else { return }
        let one = skipped.count == 1
        output.warning(
            "\(Style.count(skipped.count, "event")) \(one ? "counts" : "count") for nothing: \(first)\(one ? "" : "; `--json` names all")"
        )
    }

    /// Prints lines that are harmless already; they may have colours.
    static func draw(_ lines: [String], _ output: Output) {
        guard !output.json && !output.quiet else { return }
        Output.print(lines.map { $0 + "\n" }.joined())
    }
}
