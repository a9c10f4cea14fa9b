import ArgumentParser
import CueBase
import CueEngine
import CueEventLog
import CueLibrary
import CueSystem
import CueTerminal

/// `cue events import`. It ends with 3 if something was set aside.
struct EventsImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Take events from a file.",
        discussion: """
            The file is a JSON array, or has one JSON object a line: what `cue events export` wrote, rows of a server's table, or flat \
            events with `type` and `timestamp`. What the log has already is passed over; what is no event is set aside and named, and \
            the exit code is 3. A file without any event is refused.
            """)

    @Argument(help: "The file; a hyphen for the standard input.")
    var file: String

    @OptionGroup var library: LibraryOption
    @OptionGroup var common: CommonOptions

    func run() throws {
        let library = try library.open()
        let name = file == "-" ? "the standard input" : Display.text(ArgumentBytes.bytes(file))
        var reading = EventImport(into: library.store, source: name, now: Environment.now)
        do {
            try StandardInput.pieces(of: file) { try reading.take($0) }
            try reading.finish()
        } catch let error as EventImportError {
            throw CueError(
                .failed, "\(name) cannot be imported: \(error.words)",
                "events are one JSON object a line, or one JSON array of them")
        }
        let summary = reading.summary
        try tell(summary)
        try end(summary.setAside.isEmpty ? .done : .incomplete)
    }

    /// Prints the result.
    private func tell(_ summary: EventImport.Summary) throws {
        let output = common.output
        if output.json {
            func row(_ place: EventPlace, _ reason: String) -> JSON {
                .object([JSON.Member("place", .string(place.words)), JSON.Member("reason", .string(reason))])
            }
            var members: [JSON.Member] = [
                JSON.Member("new", JSON.integer(Int64(summary.new))),
                JSON.Member("known", JSON.integer(Int64(summary.known))),
                JSON.Member("aside", JSON.array(summary.setAside.map { row($0.place, $0.reason.words) })),
            ]
            if !summary.skipped.isEmpty {
                members.append(
                    JSON.Member("skipped", JSON.array(summary.skipped.map { row($0.place, $0.skip.words) })))
            }
            return output.print(JSON.object(members))
        }
        output.warnings(
            summary.setAside.map {
                $0.reason == .idIsTaken
                    ? "\($0.place.words) has the id of another event; one of the two counts, and the other was set aside"
                    : "\($0.place.words) is no event: \($0.reason.words); it was set aside"
            })
        output.warnings(summary.skipped.map { "\($0.place.words) counts for nothing in the garden: \($0.skip.words)" })
        var sentence = "\(Style.count(summary.new, "event")) imported, \(Style.number(summary.known)) known already"
        if !summary.setAside.isEmpty {
            sentence += ", \(Style.number(summary.setAside.count)) set aside: `cue events list --aside` shows them"
        }
        output.line(sentence)
    }
}
