import ArgumentParser
import CueBase
import CueEngine
import CueSystem
import CueTerminal
import CueVault
import Foundation

/// `cue ls`.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List the documents in the vault, or the files of one document.",
        discussion:
            "With --deleted, those that were deleted and are not there again; `cue restore NAME` brings one back.")

    @Argument(help: "A document, to list the files in it.")
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
        if deleted, name != nil { throw ValidationError("--deleted lists documents: give it without a name.") }
    }

    func run() throws {
        let session = try Session.openToRead(vault)
        let output = common.output
        let listing = try session.run { session in
            let context = session.context()
            if deleted { return try Listing.deleted(at: at, all: all, context) }
            return try name.map { try Listing.files(of: $0, at: at, all: all, context) }
                ?? Listing.documents(at: at, all: all, context)
        }
        if deleted {
            let rows = listing.deleted.map { DeletedRow($0) }
            try output.object(DeletedResult(documents: rows))
            for row in rows { output.line(row.line) }
        } else {
            let rows = listing.rows.map { ListRow($0) }
            try output.object(ListResult(documents: rows))
            for row in rows { output.line(row.line) }
        }
        output.warnings(listing.gaps.map(\.sentence) + listing.unreadable.map { "\($0.path): \($0.error.sentence)" })
    }
}

/// The result in JSON (docs/json.md).
private struct ListResult: Encodable {
    let documents: [ListRow]
}

/// A document, or a file in one.
private struct ListRow: Encodable {
    let path: String
    let kind: String
    let size: Int64
    let edited: Date
    let version: String
    let conflict: Bool
    let unsettled: Bool

    init(_ row: Listing.Row) {
        (path, kind, size) = (row.path, row.kind.word, row.size)
        (edited, version) = (row.edited.date, row.version.description)
        (conflict, unsettled) = (row.isConflict, row.isUnsettled)
    }

    var line: String {
        let time = Timestamp(edited).shown
        let marks =
            (conflict ? "  (two versions: a conflict)" : "") + (unsettled ? "  (changed while it was read)" : "")
        return
            "\(Style.right(Style.bytes(size), 10))  \(time)  \(path)\(kind == "bundle" || kind == "folder" ? "/" : "")\(marks)"
    }
}

/// The result of `--deleted` in JSON (docs/json.md).
private struct DeletedResult: Encodable {
    let documents: [DeletedRow]
}

/// A deleted document. It has no size: only its last version knows that, and a checkpoint may have summed that up.
private struct DeletedRow: Encodable {
    let path: String
    let kind: String
    let deleted: Date
    let device: String
    let version: String

    init(_ row: Listing.DeletedRow) {
        (path, kind) = (row.path, row.kind.word)
        (deleted, device) = (row.time.date, row.device)
        version = row.version.description
    }

    var line: String {
        "\(Timestamp(deleted).shown)  \(Style.left(device, 16))  \(path)\(kind == "bundle" || kind == "folder" ? "/" : "")"
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
        commandName: "log", abstract: "List the snapshots, or the versions of one document; the newest first.")

    @Argument(help: "A document.")
    var name: String?

    @Option(name: .shortAndLong, help: "How many versions of a document to show.")
    var limit = 50

    @OptionGroup var vault: VaultOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let session = try Session.openToRead(vault)
        let output = common.output
        try session.run { session in
            if let name {
                let page = try DocumentLog.page(of: name, limit: max(0, limit), session.context())
                try versions(page, output)
                output.warnings(page.gaps.map(\.sentence))
            } else {
                let log = try SnapshotLog(session.context())
                try snapshots(log, output)
                output.warnings(log.gaps.map(\.sentence))
            }
        }
    }

    /// Prints all snapshots, the newest first.
    private func snapshots(_ log: SnapshotLog, _ output: Output) throws {
        let rows = log.entries.map { entry in
            SnapshotRow(
                snapshot: entry.snapshot.description, time: entry.time.date, device: entry.device,
                changes: entry.changes, complete: entry.isWhole)
        }
        try output.object(LogResult(snapshots: rows, versions: nil))
        for row in rows {
            let time = Timestamp(row.time).shown
            let note = row.complete ? "" : "  (some files could not be read)"
            output.line(
                "\(row.snapshot.prefix(8))  \(time)  \(Style.left(row.device, 16))  \(Style.count(row.changes, "change"))\(note)"
            )
        }
    }

    /// Prints the versions of a document and of earlier ones of that name.
    private func versions(_ page: DocumentLog.Page, _ output: Output) throws {
        try output.object(LogResult(snapshots: nil, versions: page.entries.map { VersionRow($0) }))
        for entry in page.entries { output.line(line(entry)) }
        if page.older > 0 { output.line("and \(Style.number(page.older)) older: --limit shows more") }
    }

    private func line(_ entry: DocumentLog.Entry) -> String {
        let header = entry.version.header
        let clock = entry.clock.map { "  (clock \($0 == .ahead ? "ahead" : "behind"))" } ?? ""
        let start =
            "\(Style.left(entry.version.id.short, 12))  \(entry.version.time.shown)\(clock)  \(Style.left(entry.device, 16))  "
        if header.isTombstone { return start + "deleted  \(Display.text(header.path))" }
        let size = entry.size.map { Style.bytes($0) } ?? "a part of it has not arrived in the vault"
        var parts = [entry.words.map { words($0, entry.change) } ?? size]
        if entry.joined > 0 { parts.append("in place of \(entry.joined) versions") }
        if let old = entry.renamedFrom { parts.append("renamed from \(Display.text(old))") }
        if !entry.parts.isEmpty {
            let more = entry.parts.count > 3 ? " and \(entry.parts.count - 3) more" : ""
            parts.append(entry.parts.prefix(3).joined(separator: "; ") + more)
        }
        if header.isUnsettled { parts.append("changed while it was read") }
        return start + parts.joined(separator: "  ")
    }

    /// The number of words with its change.
    private func words(_ count: Int, _ change: Int?) -> String {
        let change = change.map { $0 == 0 ? "" : " (\($0 > 0 ? "+" : "")\(Style.number($0)))" } ?? ""
        return Style.count(count, "word") + change
    }
}

/// The result in JSON (docs/json.md); one of the two is nil.
private struct LogResult: Encodable {
    let snapshots: [SnapshotRow]?
    let versions: [VersionRow]?
}

/// A snapshot in JSON.
private struct SnapshotRow: Encodable {
    let snapshot: String
    let time: Date
    let device: String
    let changes: Int
    let complete: Bool
}

/// A version in JSON.
private struct VersionRow: Encodable {
    let version: String
    let short: String
    let time: Date
    let device: String
    let path: String
    let size: Int64?
    let deleted: Bool
    let head: Bool
    let words, wordsChange: Int?
    let parts: [String]
    let renamedFrom: String?
    let joined: Int

    init(_ entry: DocumentLog.Entry) {
        let header = entry.version.header
        (version, short) = (entry.version.id.description, entry.version.id.short)
        (time, device, path) = (entry.version.time.date, entry.device, Display.text(header.path))
        (size, deleted, head) = (entry.size, header.isTombstone, entry.isHead)
        (words, wordsChange, parts) = (entry.words, entry.change, entry.parts)
        (renamedFrom, joined) = (entry.renamedFrom.map { Display.text($0) }, entry.joined)
    }
}

/// `cue cat`. On a terminal control characters are escaped, unless `--raw` is given.
struct CatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cat", abstract: "Print a document, or one file of it, to the standard output.",
        discussion: """
            To a file or a pipe it writes the bytes as they are. On a terminal, which would obey some of them, control characters \
            and invisible marks are written \\xNN.
            """)

    @Argument(help: "The document; NAME:FILE for a file in it.")
    var name: String

    @Option(help: ArgumentHelp("The state at a time or snapshot.", valueName: "when"))
    var at: String?

    @Option(help: ArgumentHelp("One version of the document.", valueName: "id"))
    var version: String?

    @Flag(help: "Write the bytes as they are, also on a terminal.")
    var raw = false

    @OptionGroup var vault: VaultOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let session = try Session.openToRead(vault)
        try session.run { session in
            guard !raw, Environment.isTerminal(Terminal.output) else {
                return try Cat.run(name, at: at, version: version, session.context()) { Output.write($0) }
            }
            var page = TerminalPage()
            try Cat.run(name, at: at, version: version, session.context()) { Output.print(page.shown($0)) }
            Output.print(page.rest)
        }
    }
}
