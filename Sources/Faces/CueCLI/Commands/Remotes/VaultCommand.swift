import ArgumentParser
import CueEngine
import CueLibrary
import CueSystem

/// `cue vault`.
struct VaultCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vault", abstract: "Keep the vault of a library at several places.",
        discussion: """
            A vault may be kept at several places: on a disk at home, on another one elsewhere, in S3. `cue backup`, `cue sync` and \
            `cue watch` bring what is new to each. One that is away holds nothing up, and gets what it lacks when it is back. \
            Where the library's own vault is away or full, another place that has everything stands in for it.
            """,
        subcommands: [VaultAddCommand.self, VaultListCommand.self, VaultRemoveCommand.self])
}

/// `cue vault add`.
struct VaultAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Keep the vault at a further place as well.",
        discussion: """
            The vault is copied there as it is sealed; interrupted, it goes on when the command is run again. A place that holds a \
            copy of the same vault already gets what it lacks, and gives what it has.
            """)

    @Argument(help: "The place: a folder, or s3://bucket/prefix.")
    var place: String

    @OptionGroup var library: LibraryOption
    @OptionGroup var secret: SecretOptions
    @OptionGroup var line: LineOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let started = Environment.monotonicSeconds
        let session = try Session.open(vault: nil, library: library.library, secret)
        let (place, reporter) = (VaultLocation(place), common.output.reporter)
        guard let context = session.libraryContext(reporter) else { return }
        try place.tryOut(common.output)
        // A copy that is at the place already may have what this vault lacks.
        try session.prepareToStore()
        let report: PlaceReport
        do {
            defer { reporter.finish() }
            report = try LibraryPlaces(of: context.library, using: session.location) {
                try $0.open(writerName: $1)
            }.add(place, context)
        } catch let error as VaultCopy.OfTarget {
            throw CueError.describing(error.cause, vault: place.description)
        } catch {
            throw CueError.describing(error, vault: session.location.description)
        }
        try common.output.object(PlaceRow(report))
        for line in PlaceWords.added(report, Environment.monotonicSeconds - started) { common.output.line(line) }
        if place.sharesDisk(with: context.library.path) { common.output.line(VaultWords.oneDisk) }
        common.output.warnings(PlaceWords.warnings([report]))
    }
}

/// `cue vault list`.
struct VaultListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the places of the vault, and when each last had everything.",
        discussion: "Asks no place: it shows what the last runs of this device found.")

    @OptionGroup var library: LibraryOption
    @OptionGroup var common: CommonOptions

    func run() throws {
        let library = try Session.openLibrary(self.library.library, try StateFolder.standard())
        let states = try LibraryPlaces.states(of: library)
        let first = library.vaultPlace
        try common.output.object(PlaceListResult(first.description, states))
        for line in PlaceWords.list(first, states, now: Environment.now) { common.output.line(line) }
    }
}

/// `cue vault remove`.
struct VaultRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Stop keeping the vault at a further place.",
        discussion: "What is there stays there; nothing is deleted. `cue restore --vault WHERE` still reads it.")

    @Argument(help: "The place, as `cue vault list` shows it.")
    var place: String

    @OptionGroup var library: LibraryOption
    @OptionGroup var common: CommonOptions

    func run() throws {
        let library = try Session.openLibrary(self.library.library, try StateFolder.standard())
        let place = VaultLocation(place)
        guard place != library.vaultPlace else {
            throw PlaceWords.isFirst(place, library: "\(library.path)")
        }
        do {
            guard try LibraryPlaces.remove(place, from: library) else { throw PlaceWords.unknown(place) }
        } catch let error as CueError { throw error } catch {
            throw CueError.describing(error, vault: place.description)
        }
        try common.output.object(
            PlaceListResult(library.marker.vault, try LibraryPlaces.states(of: library).filter { $0.place != place }))
        common.output.line(PlaceWords.removed(place))
    }
}
