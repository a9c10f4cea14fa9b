import ArgumentParser
import CueBase
import CueEngine
import CueSystem
import CueTerminal
import CueVault

/// `cue ls`.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List the documents in the vault, those in one folder, or the files of one document.",
        discussion:
            "With --deleted, those that were deleted and are not there again; `cue restore NAME` brings one back.")

    @Argument(help: "A folder, to list the documents in it; a document, to list its files.")
    var name: String?

    @Option(help: ArgumentHelp("The state at a time or snapshot.", valueName: "when"))
    var at: String?

    @Flag(name: .shortAndLong, help: "Also list folders and links.")
    var all = false

    @Flag(help: "List the documents that were deleted, and when; the newest deletion first.")
    var deleted = false

    @OptionGroup var vault: VaultOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        try NameWords.refuse(empty: [name].compactMap(\.self))
        if deleted, name != nil { throw ValidationError("--deleted lists documents: give it without a name.") }
    }

    func run() throws {
        let session = try Session.openToRead(vault)
        let output = common.pagedOutput
        let listing = try session.run { session in
            let context = session.context()
            if deleted { return try Listing.deleted(at: at, all: all, context) }
            guard let name, !session.place(of: name).isEmpty else {
                return try Listing.documents(at: at, all: all, context)
            }
            return try session.reading(name, at: at, output) { try Listing.of($0, at: at, all: all, context) }
        }
        if deleted {
            let rows = listing.deleted.map { DeletedRow($0) }
            try output.object(DeletedResult(documents: rows))
            for row in rows { output.line(row.line) }
            if rows.isEmpty { output.line(try empty(session) ?? "Nothing \(at == nil ? "is" : "was") deleted.") }
        } else {
            let rows = listing.rows.map { ListRow($0) }
            try output.object(ListResult(documents: rows))
            for row in rows { output.line(row.line) }
            if rows.isEmpty, listing.unreadable.isEmpty {
                for line in try noRows(session) { output.line(line) }
            }
        }
        output.warnings(listing.gaps.map(\.sentence) + listing.unreadable.map { "\($0.path): \($0.error.sentence)" })
    }

    /// Why no document is listed.
    private func noRows(_ session: Session) throws -> [String] {
        if let empty = try empty(session) { return [empty] }
        if let name, !session.place(of: name).isEmpty {
            return ["No document \(at == nil ? "is" : "was") in \(Display.text(ArgumentBytes.bytes(name)))."]
        }
        if at == nil, let emptied = try session.run({ try EmptiedVault($0.context()) }) {
            let folder = session.library == nil ? " --to FOLDER" : ""
            return RestoreWords.emptied(emptied, vault.typed, to: folder)
        }
        return ["No document \(at == nil ? "is" : "was") in the vault\(at == nil ? "" : " then")."]
    }

    /// That nothing was ever stored; nil if something was.
    private func empty(_ session: Session) throws -> String? {
        guard try session.run({ try SnapshotLog($0.context()).isEmpty }) else { return nil }
        return NameWords.nothingStored(isLibrary: session.library != nil)
    }
}

extension ProjectKind {
    /// The name of the kind in JSON.
    var word: String {
        switch self {
        case .file: "file"
        case .folder: "folder"
        case .symlink: "symlink"
        case .bundle: "bundle"
        }
    }
}

/// `cue log`.
struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "List the snapshots, those that changed a folder, or the versions of a document; the newest first.",
        discussion: "`cue show` tells what one snapshot changed, `cue diff` what one version changed.")

    @Argument(help: "A document or a folder.")
    var name: String?

    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: "How many to show at most. (default: 50 versions of a document, all snapshots, 10 of them with -v)")
    var limit: Int?

    @Flag(
        name: [.customShort("v"), .long],
        help: "Of each snapshot, also the documents that it changed, as `cue show` does.")
    var changes = false

    @Flag(help: "Of a document, also the versions in which only times or rights changed.")
    var all = false

    @OptionGroup var vault: VaultOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let session = try Session.openToRead(vault)
        let output = common.pagedOutput
        try session.run { session in
            guard let name, !session.place(of: name).isEmpty else {
                let log = try SnapshotLog(session.context())
                if log.isEmpty { output.line(NameWords.nothingStored(isLibrary: session.library != nil)) }
                return try snapshots(log, session, output)
            }
            try session.reading(name, output) { name in
                // A program gets every version.
                let page = try DocumentLog.page(
                    of: name, limit: limit ?? 50, all: all || output.json, session.context())
                if page == nil, all { throw CueError(.usage, NameWords.allOfNoDocument) }
                guard let page else {
                    return try snapshots(try SnapshotLog(session.context(), below: name), session, output)
                }
                if changes { throw CueError(.usage, NameWords.oneDocument(name)) }
                try versions(page, output)
            }
        }
    }

    func validate() throws {
        try NameWords.refuse(empty: [name].compactMap(\.self))
        if let limit, limit < 1 { throw ValidationError("--limit is a number from 1 on.") }
        if all && name == nil { throw ValidationError(NameWords.allOfNoDocument) }
    }

    /// Prints the snapshots, the newest first.
    private func snapshots(_ log: SnapshotLog, _ session: Session, _ output: Output) throws {
        let limit = limit ?? (changes ? 10 : .max)
        let shown = changes ? try SnapshotChanges.newest(limit, of: log, session.context()) : []
        let rows = log.entries.prefix(limit).enumerated().map { number, entry in
            SnapshotRow(
                snapshot: entry.snapshot.description, time: entry.time.date, device: entry.device,
                changes: entry.changes, complete: entry.isWhole,
                documents: changes ? shown[number].changes.map { .init($0) } : nil)
        }
        try output.object(LogResult(snapshots: rows, versions: nil))
        for (number, row) in rows.enumerated() {
            let time = Timestamp(row.time).shown
            let note = row.complete ? "" : "  (some files could not be read)"
            output.line(
                "\(dim: String(row.snapshot.prefix(8)))  \(time)  \(Style.left(row.device, 16))  \(ChangeWords.count(log.entries[number]))\(note)"
            )
            if changes { for change in shown[number].changes { output.line(ChangeWords.line(change)) } }
        }
        if log.entries.count > rows.count {
            output.line("and \(Style.number(log.entries.count - rows.count)) older: --limit shows more")
        }
        output.warnings(log.gaps.map(\.sentence))
    }

    /// Prints the versions of a document and of earlier ones of that name.
    private func versions(_ page: DocumentLog.Page, _ output: Output) throws {
        try output.object(LogResult(snapshots: nil, versions: page.entries.map { VersionRow($0) }))
        for entry in page.entries { output.line(line(entry)) }
        if page.folded > 0 {
            output.line(
                "and \(Style.count(page.folded, "version")) in which only times or rights changed: --all shows \(page.folded == 1 ? "it" : "them")"
            )
        }
        if page.older > 0 { output.line("and \(Style.number(page.older)) older: --limit shows more") }
        output.warnings(page.gaps.map(\.sentence))
    }

    private func line(_ entry: DocumentLog.Entry) -> Line {
        let header = entry.version.header
        let clock = entry.clock.map { "  (clock \($0 == .ahead ? "ahead" : "behind"))" } ?? ""
        let start: Line =
            "\(dim: Style.left(entry.version.id.short, 12))  \(entry.version.time.shown)\(clock)  \(Style.left(entry.device, 16))  "
        if header.isTombstone { return start + "\("deleted", .removed)  \(Display.text(header.path))" }
        let size = entry.size.map { Style.bytes($0) } ?? "a part of it has not arrived in the vault"
        var parts = [entry.words.map { words($0, entry.change) } ?? size]
        if entry.joined > 0 { parts.append("in place of \(entry.joined) versions") }
        if let old = entry.renamedFrom { parts.append("renamed from \(Display.text(old))") }
        if !entry.parts.isEmpty {
            let more = entry.parts.count > 3 ? " and \(entry.parts.count - 3) more" : ""
            parts.append(entry.parts.prefix(3).joined(separator: "; ") + more)
        }
        if entry.isTouched { parts.append("only times or rights changed") }
        if header.isUnsettled { parts.append("changed while it was read") }
        return start + Line(parts.joined(separator: "  "))
    }

    /// The number of words with its change.
    private func words(_ count: Int, _ change: Int?) -> String {
        let change = change.map { $0 == 0 ? "" : " (\($0 > 0 ? "+" : "")\(Style.number($0)))" } ?? ""
        return Style.count(count, "word") + change
    }
}
