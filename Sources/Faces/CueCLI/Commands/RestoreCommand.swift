import ArgumentParser
import CueBase
import CueEngine
import CueSystem
import CueTerminal

/// `cue restore`.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring documents back: all, or some by name.",
        discussion: """
            Without --to, into the library. What is there already and the same stays. Where work is in the way that no version holds, \
            the command stops before it has changed anything, and names it; with --overwrite that work is stored as a version first, and then replaced. \
            Documents that are only in the folder are left alone. \
            A deleted document comes back by its name, as it was before; a deleted folder with all that went with it. \
            --undo takes the last restore into the library back.

            --version latest~1 is the version before the newest one of the document; --at latest~1 is the library before its latest \
            snapshot, in which the document perhaps was the same.

            Examples:
              cue restore "02 Salt" --version latest~1
              cue restore "Salt and Iron" --at "2 days ago" --to ~/Before
              cue restore --undo
            """)

    @Argument(help: "Documents or folders: a path in the library, or the end of one. Without any, everything.")
    var names: [String] = []

    @Option(help: ArgumentHelp("Restore into this folder instead of the library; made if missing.", valueName: "dir"))
    var to: String?

    @Option(
        help: ArgumentHelp("The state at a time or snapshot: 2026-11-21, \"2 days ago\", 7f3a91c2.", valueName: "when"))
    var at: String?

    @Option(
        help: ArgumentHelp(
            "One version of a document: an id that `cue log NAME` lists, or latest~1, the one before its newest.",
            valueName: "id"))
    var version: String?

    @Option(
        help: ArgumentHelp(
            "Only this file inside of the document: its path, or the title of a scene.", valueName: "path"))
    var file: String?

    @Flag(
        help:
            "Replace work that is in the way: it is stored as a version first, or with --to gets a name beside.")
    var overwrite = false

    @Flag(help: "Take the last restore into the library back; once more restores again.")
    var undo = false

    @OptionGroup var vault: VaultOptions
    @OptionGroup var line: LineOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        try NameWords.refuse(empty: names)
        if undo && (!names.isEmpty || to != nil || at != nil || version != nil || file != nil || overwrite) {
            throw ValidationError("--undo takes back all of the last restore into the library: give it alone.")
        }
        if at != nil && version != nil {
            throw ValidationError("--at and --version name two different things: give one of them.")
        }
        try VersionWords.refuse(version, names: names)
        if file != nil && names.count != 1 && version == nil {
            throw ValidationError("--file is a file inside of one document: name that document.")
        }
    }

    func run() throws {
        let session = try Session.open(vault, for: to == nil ? .store : .read)
        let destination = undo ? nil : try destination(session)
        if to == nil { try prepareLibrary(session) }
        guard let destination else { return try takeBack(session) }
        let output = common.output
        // A restore into the library refuses an older vault itself.
        if case .folder = destination { try session.run { try $0.warnOfOlderVault() } }
        var request = RestoreRequest()
        (request.at, request.version, request.file, request.overwrite) = (at, version, file, overwrite)
        let started = Environment.monotonicSeconds
        let reporter = output.reporter
        func restored(_ session: Session) throws -> RestoreSummary {
            try session.run { session in
                try session.writing(names, at: at) { names in
                    // The library's own folder, as `.` names it, is everything.
                    request.names = names.contains("") ? [] : names
                    let context = session.context(reporter)
                    guard case .folder(let path) = destination else {
                        return try Restore.run(request, context, to: destination)
                    }
                    return try Session.writing(into: path) { try Restore.run(request, context, to: destination) }
                }
            }
        }
        var summary = try restored(session)
        // Documents that came back stay, and what is damaged in this place may be whole in another.
        if summary.isDamaged, vault.vault == nil, case .folder = destination {
            for other in try session.atOtherPlaces(vault.secret) where summary.isDamaged {
                output.warning(PlaceWords.readingAlso(at: other.location, insteadOf: session.location))
                summary = try restored(other)
            }
        }
        reporter.finish()
        let seconds = Environment.monotonicSeconds - started
        output.warnings(RestoreWords.failed(summary))
        if to != nil, let hint = TargetWords.hint(summary.failed, summary.target) { output.hint(hint) }
        if summary.isDamaged, summary.documents == 0 {
            for hint in RestoreWords.damaged(vault.typed) { output.hint(hint) }
        }
        output.warnings(summary.copies.map(\.words))
        try output.object(RestoreResult(summary, seconds))
        if let drafts = CutOffWords.drafts(summary.drafts) { output.line(drafts) }
        let undeleted = summary.undeleted
        if let first = undeleted.first {
            output.line(
                undeleted.count == 1
                    ? "\(Display.text(first)) was deleted; this is what it was before"
                    : "\(Style.count(undeleted.count, "document")) were deleted; this is what they were before")
        }
        if let first = summary.leftDeleted.first {
            let count = summary.leftDeleted.count
            output.line(
                "\(Style.count(count, "document")) that \(count == 1 ? "was" : "were") deleted there \(count == 1 ? "does" : "do") not come back with it, "
                    + "\(Display.text(first))\(count == 1 ? "" : " among them"): `cue restore` brings \(count == 1 ? "it" : "each") by its name"
            )
        }
        for line in RestoreWords.lines(summary) { output.line(line) }
        if request.names.isEmpty, at == nil, version == nil, summary.documents == 0, summary.failed.isEmpty,
            let emptied = try session.run({ try EmptiedVault($0.context()) })
        {
            let folder = to.map { " --to \(ShellWord.quoted($0))" } ?? ""
            for line in RestoreWords.emptied(emptied, vault.typed, to: folder) { output.line(line) }
            return try end(.done)
        }
        if let source = RestoreWords.source(summary) { output.line(source) }
        output.line(RestoreWords.result(summary, seconds: seconds))
        if to == nil, !summary.wasThere, summary.documents > 0 || summary.failed.isEmpty {
            output.line(RestoreWords.undoing(vault.library))
        }
        try end(summary.isDamaged ? .damaged : summary.failed.isEmpty ? .done : .incomplete)
    }

    /// Call it before a restore into the library, which stores what it replaces. A copy that the library does not use
    /// must not get that: the vault itself would lack it, and the next command would take it for an older vault.
    private func prepareLibrary(_ session: Session) throws {
        if try session.isPlaceOfLibrary { return try session.prepareToStore() }
        if session.library != nil, overwrite || undo { throw RestoreWords.storesInCopy(session.location) }
    }

    /// Undoes the last restore into the library.
    private func takeBack(_ session: Session) throws {
        let output = common.output
        let started = Environment.monotonicSeconds
        let reporter = output.reporter
        guard let context = session.libraryContext(reporter) else {
            throw RestoreWords.noLibrary
        }
        let summary = try session.run { _ in try Restore.undo(context) }
        reporter.finish()
        let seconds = Environment.monotonicSeconds - started
        output.warnings(RestoreWords.failed(summary))
        output.warnings(RestoreWords.stayed(summary.stayed))
        try output.object(RestoreResult(summary, seconds))
        if let drafts = CutOffWords.drafts(summary.drafts) { output.line(drafts) }
        for line in RestoreWords.lines(summary) { output.line(line) }
        for line in RestoreWords.undone(summary, vault.library, seconds: seconds) { output.line(line) }
        let isWhole = summary.failed.isEmpty && summary.stayed.isEmpty
        try end(summary.isDamaged ? .damaged : isWhole ? .done : .incomplete)
    }

    /// The library, or the folder of `--to`. Throws `CueError` if there is none, or it is inside the vault.
    private func destination(_ session: Session) throws -> Restore.Destination {
        guard let to else {
            guard let library = session.library else {
                throw CueError(.usage, "where to restore to is not said", "--to DIR restores into a folder")
            }
            return .library(library)
        }
        return .folder(try session.target(to))
    }
}

extension RestoredCopy {
    /// The warning for a document that got another name.
    fileprivate var words: String {
        let (name, original) = (Display.text(path), Display.text(original))
        return switch reason {
        case .conflict: "there are two versions of \(original); the other is beside it as \(name)"
        case .nameTaken: "\(original) comes back as \(name): something else has its name, or the name of its folder"
        }
    }
}
