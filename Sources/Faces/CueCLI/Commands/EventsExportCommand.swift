import ArgumentParser
import CueBase
import CueEngine
import CueEvents
import CueLibrary
import CueSystem
import CueTerminal

/// `cue events export`.
struct EventsExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write all events, in their order, one JSON object a line.",
        discussion: "`cue events import` reads it, here or in another library; nothing comes twice.")

    @Option(
        help: ArgumentHelp(
            "Write to this new file. Without it, or with a hyphen, to the standard output.", valueName: "file"))
    var output: String?

    @OptionGroup var library: LibraryOption
    @OptionGroup var common: CommonOptions

    func run() throws {
        let store = try library.open().store
        var count = 0
        guard let output, output != "-" else {
            return try store.read { transaction in
                try transaction.forEachEvent {
                    Output.print(json: String(decoding: $0.row.canonical, as: UTF8.self) + "\n")
                }
            }
        }
        let path = FilePathBytes(ArgumentBytes.bytes(output))
        let folder = try Folder.open(path.parent)
        guard try folder.info(of: path.name) == nil else {
            throw CueError(.failed, "\(path) is there already; nothing was written", "name a file that is not there")
        }
        let file = NewFile(try folder.create(path.name, mode: 0o600))
        do {
            try store.read { transaction in
                try transaction.forEachEvent { event in
                    try Interruption.throwIfRequested()
                    count += 1
                    try file.write(event.row.canonical + [0x0a])
                }
            }
            try file.finish()
        } catch {
            try? folder.remove(path.name)
            throw error
        }
        if common.json { return common.output.print(JSON.object([JSON.Member("events", .integer(Int64(count)))])) }
        common.output.line("\(Style.count(count, "event")) written to \(path)")
    }
}
