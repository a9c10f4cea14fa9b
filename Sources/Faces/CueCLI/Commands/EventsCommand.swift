import ArgumentParser
import CueBase
import CueEngine
import CueEvents
import CueLibrary
import CueSystem
import CueTerminal

/// `cue events`.
struct EventsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "The log of what happened: yours, and what cue did.",
        discussion: """
            Events are kept for ever and never changed. backup, sync and watch bring them to the vault, sealed; sync and watch bring \
            those of other devices. The garden grows from them.
            """,
        subcommands: [
            EventsListCommand.self, EventsAddCommand.self, EventsExportCommand.self, EventsImportCommand.self,
            EventsStatusCommand.self,
        ], defaultSubcommand: EventsListCommand.self)
}

/// `cue events list`.
struct EventsListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the last events, the newest last.",
        discussion: "With --json --follow: one event a line, as `cue events export` writes them.")

    @Option(parsing: .unconditional, help: ArgumentHelp("How many. (default: 50)", valueName: "count"))
    var last: Int?

    @Option(help: ArgumentHelp("Only those of this type.", valueName: "type"))
    var type: String?

    @Flag(help: "Show what came as an event and is none, with the reason.")
    var aside = false

    @Flag(help: "With --aside: forget all that was set aside on this device.")
    var clear = false

    @Flag(name: .shortAndLong, help: "Go on, and show new ones as this device comes to know them, until Ctrl-C.")
    var follow = false

    @OptionGroup var library: LibraryOption
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if let last, last < 0 { throw ValidationError("--last takes a number from 0 on.") }
        guard !aside || (!follow && type == nil) else {
            throw ValidationError("--aside goes with neither --follow nor --type")
        }
        guard !clear || aside else { throw ValidationError("--clear goes with --aside only: events stay for ever") }
        guard !clear || last == nil else {
            throw ValidationError("--clear forgets all that was set aside: leave --last out.")
        }
        guard !follow || !common.quiet else {
            throw ValidationError("--follow shows events, and --quiet nothing: give one of them.")
        }
    }

    func run() throws {
        let store = try library.open().store
        // New events are to be seen at once.
        let (output, last) = (follow ? common.output : common.pagedOutput, last ?? 50)
        if clear { return try forgetAside(store, output) }
        if aside { return try showAside(last, store, output) }
        // Read the mark first: an event that comes in between is shown rather than missed.
        let (mark, events) = try store.read { (try $0.newestMark(), try $0.lastEvents(last, type: type)) }
        if follow {
            for event in events { show(event, output, asLine: true) }
            return try follow(store, after: mark, output)
        }
        if output.json { return output.print(JSON.object([JSON.Member("events", .array(events.map(\.row)))])) }
        if events.isEmpty, last > 0 { output.line(type == nil ? "No events yet." : "No events of this type.") }
        for event in events { show(event, output, asLine: false) }
    }

    /// Prints one event; `asLine`: as a line of JSON if JSON is asked for.
    private func show(_ event: Event, _ output: Output, asLine: Bool) {
        if output.json && asLine { return output.print(event.row) }
        // Canonical JSON has no line ends and escapes with backslashes, so the line shows it as it could be typed.
        let payload = event.payload == .null ? "" : Display.sentence(event.payload.canonical)
        let type = EventWords.type(event.type)
        let space = String(repeating: " ", count: max(0, 18 - type.columns))
        let line = "\(event.time.shown)  " + (EventWords.told(event) ?? "\(type)\(space)  \(payload)")
        let width = Terminal.isTerminal(Terminal.output) ? Terminal.columns(of: Terminal.output) : 0
        output.line(width > 20 && line.columns > width ? GardenText.fitted(line, width) : line)
    }

    /// Prints new events until Ctrl-C; looks twice a second.
    private func follow(_ store: LocalStore, after mark: Int64, _ output: Output) throws {
        var mark = mark
        while !Interruption.isRequested {
            let new = try store.read { try $0.events(knownAfter: mark) }
            mark = new.mark
            for event in new.events where type == nil || event.type == type { show(event, output, asLine: true) }
            if new.events.isEmpty { Wait.milliseconds(500) }
        }
    }

    private func forgetAside(_ store: LocalStore, _ output: Output) throws {
        let count = try store.write { try $0.forgetEventsAside() }
        if output.json { return output.print(JSON.object([JSON.Member("forgotten", .integer(Int64(count)))])) }
        let things = Style.count(count, "thing")
        output.line(
            count == 0
                ? "Nothing was set aside." : "\(things) that had been set aside \(count == 1 ? "is" : "are") forgotten."
        )
    }

    private func showAside(_ last: Int, _ store: LocalStore, _ output: Output) throws {
        let aside = try store.read { try $0.eventsAside() }
        if output.json {
            let rows = aside.suffix(last).map { row in
                JSON.object([
                    JSON.Member("source", .string(row.source.words)), JSON.Member("reason", .string(row.reason.words)),
                    JSON.Member("time", .string(row.time.iso8601)),
                    JSON.Member("body", .string(Display.text(row.body))),
                ])
            }
            return output.print(JSON.object([JSON.Member("aside", .array(rows))]))
        }
        if aside.isEmpty { output.line("Nothing was set aside.") }
        for row in aside.suffix(last) {
            output.line("\(row.time.shown)  \(row.source.words): \(row.reason.words)")
            output.line("  \(Display.text(row.body.prefix(200)))\(row.body.count > 200 ? "…" : "")")
        }
    }
}

/// `cue events add`.
struct EventsAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add an event.",
        discussion: "It is on this device at once, and in the vault with the next backup or sync.")

    @Argument(help: "What kind of event it is: a word of yours, such as walk_taken.")
    var type: String

    @Option(help: ArgumentHelp("What it says: any JSON. A hyphen reads it from the standard input.", valueName: "json"))
    var payload = "{}"

    @Option(
        help: ArgumentHelp(
            "When it happened: 14:30 (the last one), yesterday, \"22 Nov 14:30\". Without it, now.", valueName: "time"))
    var at: String?

    @OptionGroup var library: LibraryOption
    @OptionGroup var common: CommonOptions

    func run() throws {
        let now = Environment.now
        let text = payload == "-" ? try StandardInput.all(upTo: 2 * Event.payloadLimit) : ArgumentBytes.bytes(payload)
        let value: JSON
        do { value = try JSON(parsing: text) } catch {
            throw CueError(
                .usage, "the payload is not JSON: \(error.flaw.words) at byte \(error.offset); nothing was added",
                #"a text needs its quotes: --payload '"some text"'"#)
        }
        guard String(validating: ArgumentBytes.bytes(type), as: UTF8.self) != nil else {
            throw CueError(.usage, "\(type) is no UTF-8; nothing was added")
        }
        let event: Event
        do {
            event = try Event.new(type, value, at: try time(now), now: now)
        } catch let error as EventFormError {
            throw CueError(.usage, "this can be no event: \(error.words); nothing was added")
        }
        // It would stay in the log for ever, and each look at the garden would warn of it.
        if let skip = event.gardenSkip {
            throw CueError(
                .usage, "the garden could not read this: \(skip.words); nothing was added",
                "`cue garden` writes its own events; docs/garden.md says what they hold")
        }
        let store = try library.open().store
        _ = try store.write { try $0.add(event) }
        if event.time.milliseconds > now.milliseconds + 60_000 {
            common.output.warning(
                "\(event.time.shown) has not come yet: until then it stands at the end of the log, behind all that happens"
            )
        }
        if common.json { return common.output.print(event.row) }
        common.output.line(
            "added \(EventWords.type(event.type))\(at == nil ? "" : " at \(event.time.shown)"), \(event.clientID); the next backup or sync brings it to the vault"
        )
    }

    /// The time that `--at` names, else `now`. Throws `CueError`.
    private func time(_ now: Timestamp) throws -> Timestamp {
        guard let at else { return now }
        // A time that no event can hold, such as a year of five digits, is refused.
        guard let written = WrittenTime(at, now: now, toward: .past, in: .current), written.end.inYears == written.end
        else {
            throw CueError(
                .usage, "\(at) is no time; nothing was added",
                #"times look like 14:30, "22 Nov 14:30", 2026-11-21T14:30:00Z, yesterday, or "3 hours ago""#)
        }
        // A minute began with the event; a day means its end, and the end of today is still to come.
        return !written.isDay ? written.start : written.start <= now ? min(written.end, now) : written.end
    }
}

/// `cue events status`.
struct EventsStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say how many events there are, and whether they are in the vault.")

    @OptionGroup var library: LibraryOption
    @OptionGroup var common: CommonOptions

    func run() throws {
        let store = try library.open().store
        let (counts, aside, types) = try store.read {
            (try $0.eventCounts(), try $0.countOfEventsAside(), try $0.eventTypes())
        }
        let output = common.output
        if output.json {
            let rows = types.map { JSON.Member($0.type, JSON.integer(Int64($0.count))) }
            let members: [JSON.Member] = [
                JSON.Member("events", JSON.integer(Int64(counts.all))),
                JSON.Member("waiting", JSON.integer(Int64(counts.waiting))),
                JSON.Member("aside", JSON.integer(Int64(aside))), JSON.Member("types", JSON.object(rows)),
            ]
            return output.print(JSON.object(members))
        }
        output.line(Self.sentence(counts.all, waiting: counts.waiting))
        for row in types {
            let number = Style.right(Style.number(row.count), 9)
            output.line("  \(number)  \(EventWords.type(row.type))")
        }
        if aside > 0 {
            output.warning(EventWords.setAside(aside))
        }
    }

    private static func sentence(_ all: Int, waiting: Int) -> String {
        if all == 0 { return "No events yet." }
        let events = Style.count(all, "event")
        if waiting == 0 { return "\(events), all of them in the vault." }
        let verb = waiting == 1 ? "waits" : "wait"
        return "\(events); \(Style.number(waiting)) \(verb) for the next backup or sync."
    }
}
