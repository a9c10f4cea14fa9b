import ArgumentParser
import CueBase
import CueEngine
import CueEvents
import CueLibrary
import CueSystem
import CueTerminal
import Foundation

/// The log that a command of the garden works on, and the time it assumes.
struct GardenOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Use the events in this file, one JSON object a line, in place of the library's log.", valueName: "file"))
    var events: String?

    @OptionGroup var library: LibraryOption
    @OptionGroup var clock: GardenClockOptions

    /// The log that the options name. `making`: whether a file may be missing.
    func log(making: Bool) throws -> any GardenLog {
        guard let events else { return LibraryGardenLog(of: try library.open()) }
        guard library.library == nil else {
            throw CueError(.usage, "--events and --library exclude each other", "give one of them")
        }
        return FileGardenLog(file: EventFile(events), making: making)
    }

    /// The document that was named for a sprout. For `none` the id is empty, as in the events. nil if the option is
    /// missing.
    func project(_ name: String?) throws -> (id: String, name: String)? {
        guard let name else { return nil }
        if name == "none" { return ("", "none") }
        guard !name.isEmpty else {
            throw CueError(
                .usage, "--project names no document; nothing was changed", "`--project none` ties a sprout to none")
        }
        guard events == nil else {
            throw CueError(.usage, "--project names a document of a library, and --events is none")
        }
        let project = try library.open().store.read { try ProjectLookup.findHere(name, in: $0.localProjects()) }
        return (project.id.description, Display.text(project.path.bytes))
    }
}

extension EventFile {
    /// `text`: a path as it was typed, or `-` for the standard input.
    init(_ text: String) {
        self.init(at: text == "-" ? nil : FilePathBytes(ArgumentBytes.bytes(text))) {
            var bytes: [UInt8] = []
            try StandardInput.pieces(of: text) { bytes += $0 }
            return bytes
        }
    }
}

/// The time and zone in which a garden is seen.
struct GardenClockOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The time to look from, such as 2026-01-22T14:00:00Z; else now.", valueName: "time"))
    var now: String?

    @Option(help: ArgumentHelp("The time zone, such as Europe/Lisbon; else that of this machine.", valueName: "zone"))
    var zone: String?

    /// The given time, else now. Throws `CueError`.
    func time() throws -> Timestamp {
        guard let now else { return Environment.now }
        let zone = LocalZone(try calendar().zone)
        guard let time = WrittenTime(now, now: Environment.now, toward: .past, in: zone), time.end.inYears == time.end
        else {
            throw CueError(
                .usage, "\(now) is no time",
                "times look like 2026-01-22T14:00:00Z, \"22 Jan 14:00\" or yesterday")
        }
        return time.isDay ? time.end : time.start
    }

    /// The given zone, else that of this machine. Throws `CueError`.
    func calendar() throws -> GardenCalendar {
        guard let zone else { return GardenCalendar(.current) }
        guard !zone.isEmpty, let found = TimeZone(identifier: zone) else {
            throw CueError(.usage, "there is no time zone \(zone)", "zones look like Europe/Lisbon or UTC")
        }
        return GardenCalendar(found)
    }
}

/// Whether to draw in colours. Off unless asked for.
struct ColourOption: ParsableArguments {
    @Flag(name: .customLong("color"), help: "Draw in colours.")
    var colour = false

    /// Throws where nothing is drawn.
    func refuse(_ common: CommonOptions) throws {
        guard colour, common.json || common.quiet else { return }
        throw ValidationError(
            "--color is for a drawing, and \(common.json ? "--json" : "--quiet") draws none: give one of them.")
    }
}

/// A garden with the time and zone from which it is seen.
struct GardenView {
    /// Where the events come from and go to.
    private(set) var log: any GardenLog
    let now: Timestamp
    let calendar: GardenCalendar
    var garden: GardenReplay

    /// `making`: whether an event will be added, so that a file of events may be missing.
    init(_ options: GardenOptions, making: Bool = true) throws {
        (now, calendar) = (try options.clock.time(), try options.clock.calendar())
        log = try options.log(making: making)
        garden = try log.garden()
    }

    /// The garden drawn for this terminal.
    func lines(colour: Bool) -> [String] {
        GardenScreen.lines(
            garden, now: now, calendar, width: Terminal.columns(of: Terminal.output), colour: colour)
    }

    /// Checks an action, stores its event, and prints `words` or JSON. Throws `CueError` if the garden refuses it.
    mutating func run(
        _ action: GardenAction, _ output: Output, _ words: (GardenEvent.Action, GardenReplay) -> String
    ) throws {
        let (now, calendar) = (now, calendar)
        // A library's log holds only what has happened; a file of events may be used to try things out.
        guard !(log is LibraryGardenLog) || now.milliseconds <= Environment.now.milliseconds + 60_000 else {
            throw CueError(
                .usage, "--now lies in the future, and what has not happened goes into no log; nothing was changed")
        }
        var random = SystemRandomNumberGenerator()
        var made: GardenEvent.Action?
        let event = try log.append(to: &garden, at: now) { garden in
            do throws(GardenRefusal) {
                let action = try action.event(in: garden, now: now, calendar, random: &random)
                made = action
                return action
            } catch { throw CueError(error) }
        }
        guard let done = made else { return }
        let today = garden.today(now: now, calendar)
        if output.json {
            let result = JSON.fields([
                "event": event.row, "soil_available": .number(garden.soil.available),
                "soil_capacity": .number(garden.soil.capacity), "sun_available": .integer(Int64(today.sun)),
                "water_available": .integer(Int64(today.water)),
            ])
            return Output.print(String(decoding: result.canonical, as: UTF8.self) + "\n")
        }
        output.line(GardenText.shown(words(done, garden)))
    }
}

extension CueError {
    /// The refusal with its code and hint. An impossible argument is an error of usage.
    init(_ refusal: GardenRefusal) {
        let isUsage: Bool =
            switch refusal {
            case .noTwig, .noSuchResult, .nothingToChange, .empty, .tooLong: true
            default: false
            }
        self.init(
            isUsage ? .usage : .failed,
            refusal.reason + (refusal.code.map { " (\($0))" } ?? "") + "; nothing was changed",
            refusal.hint)
    }
}

/// The words written today on the document of a sprout.
enum GardenWriting {
    /// The text for watering, such as `512 words on Novel`. Throws `CueError` without a document or new words.
    static func text(for sprout: Sprout, _ options: GardenOptions, _ view: GardenView) throws -> String {
        let title = sprout.planting.title
        guard let project = sprout.planting.project, !project.isEmpty else {
            throw CueError(
                .usage, "what did you do for \(title)? Nothing was changed",
                "`cue garden water SPROUT TEXT` says it; `cue garden edit SPROUT --project NAME` lets the words of a document do it"
            )
        }
        guard options.events == nil else {
            throw CueError(.usage, "the words of a document are in a library, and --events names none")
        }
        let day = view.calendar.dayKey(view.now)
        let words = try options.library.open().store.read { transaction in
            try VersionID(project).flatMap { try transaction.words(of: $0, on: day) }
        }
        guard let words, words.last > words.first else {
            throw CueError(
                .failed, "cue saw no new words today in the document of \(title); nothing was changed",
                "`cue backup` looks; or say what you did: `cue garden water SPROUT TEXT`")
        }
        return "\(Style.count(words.last - words.first, "word")) on \(Display.text(words.path))"
    }
}

/// Resolves the texts that people type for things in the garden. Throws `CueError` if nothing or more than one fits.
enum GardenWords {
    /// The text for an event. Throws `CueError` unless it is UTF-8, which every device can read.
    static func text(_ typed: String) throws -> String {
        guard let text = String(validating: ArgumentBytes.bytes(typed), as: UTF8.self) else {
            throw CueError(.usage, "\(typed) is no UTF-8", "write it in UTF-8")
        }
        return text
    }

    /// nil stays nil.
    static func text(_ typed: String?) throws -> String? { try typed.map { try text($0) } }

    /// The id of a sprout, by its id, title, or the beginning of one. Active sprouts come first.
    static func sprout(_ typed: String, in garden: GardenReplay) throws -> String {
        if garden.sprout(typed) != nil { return typed }
        let growing = garden.sprouts.filter { $0.state == .active }
        for sprouts in [growing, garden.sprouts] {
            if let id = try one(typed, "sprout", sprouts.map { ($0.id, $0.planting.title) }) { return id }
        }
        throw CueError(.failed, "there is no sprout \(typed)", "`cue garden` shows what grows")
    }

    /// The id of a leaf. Leaves of `twig` come first, as names may repeat.
    static func leaf(_ typed: String, on twig: String?, in garden: GardenReplay) throws -> String {
        if garden.leaf(typed) != nil { return typed }
        for leaves in [garden.leaves.filter { $0.twig == twig }, garden.leaves] {
            if let id = try one(typed, "leaf", leaves.map { ($0.id, $0.name) }) { return id }
        }
        throw CueError(
            .failed, "there is no leaf \(typed)", "`cue garden leaf` lists them, `cue garden leaf TWIG NAME` makes one")
    }

    /// The id of a seedling.
    static func seedling(_ typed: String, in garden: GardenReplay) throws -> String {
        if garden.seedling(typed) != nil { return typed }
        if let id = try one(typed, "seedling", garden.seedlings.map { ($0.id, $0.title) }) { return id }
        throw CueError(.failed, "there is no seedling \(typed)", "`cue garden seedling add TWIG TITLE` makes one")
    }

    /// The id of the only one that fits; nil if none does. An equal name wins over a beginning.
    private static func one(_ typed: String, _ kind: String, _ all: [(id: String, name: String)]) throws -> String? {
        var found = all.filter { $0.name.lowercased() == typed.lowercased() }
        if found.isEmpty, typed.utf8.count >= 3 {
            let id = typed.hasPrefix("\(kind)-") ? typed : "\(kind)-\(typed)"
            found = all.filter { $0.name.lowercased().hasPrefix(typed.lowercased()) || $0.id.hasPrefix(id) }
        }
        guard found.count > 1 else { return found.first?.id }
        let kinds = "\(found.count) \(kind == "leaf" ? "leaves" : kind + "s")"
        let more = found.count > 5 ? ", …" : ""
        let names = Set(found.map { $0.name.lowercased() })
        guard names.count < found.count else {
            throw CueError(
                .usage, "\(kinds) begin with \(typed): \(found.prefix(5).map(\.name).joined(separator: ", "))\(more)",
                "write more of the one that you mean")
        }
        throw CueError(
            .usage,
            "\(kinds) \(names.count == 1 ? "are called" : "begin with") \(names.count == 1 ? found[0].name : typed)",
            "name one by its id: \(found.prefix(5).map { names.count == 1 ? $0.id : "\($0.name) (\($0.id))" }.joined(separator: ", "))\(more)"
        )
    }
}
