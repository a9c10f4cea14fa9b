import ArgumentParser
import CueBase
import CueEngine
import CueStorage
import CueTerminal
import CueVault
import Foundation

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List the documents in the vault, or the files of one document.")

    @Argument(help: "A document, to list the files in it.")
    var name: String?

    @Option(help: ArgumentHelp("The state at a time or snapshot.", valueName: "when"))
    var at: String?

    @Flag(name: .shortAndLong, help: "Also list folders and links.")
    var all = false

    @OptionGroup var vault: VaultOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let session = try Session.open(vault)
        let output = common.output
        try session.run { session in
            let history = try at == nil ? History.loadLatest(session.vault) : History.load(session.vault)
            let state = history.state(at: try at.map { try Moment.find($0, in: history) })
            let rows = try name.map { try files(of: Names.find($0, in: state), history) } ?? documents(state, history)
            try output.object(ListResult(documents: rows))
            for row in rows { output.line(row.line) }
            if !output.json { output.warnings(history.gaps) }
        }
    }

    private func documents(_ state: LibraryState, _ history: History) throws -> [ListRow] {
        try state.live.filter { all || $0.shown.header.kind.isDocument }.map { project in
            let members = try history.members(of: project.shown.id)
            return ListRow(
                path: Display.text(project.shown.header.path), kind: project.shown.header.kind.word,
                size: members.reduce(0) { $0 + $1.size }, edited: project.shown.header.edited.date,
                version: project.shown.id.description, conflict: project.isConflict,
                unsettled: project.shown.header.isUnsettled)
        }
    }

    private func files(of project: LibraryState.Project, _ history: History) throws -> [ListRow] {
        try history.members(of: project.shown.id).filter { all || $0.content != .folder }.map { member in
            ListRow(
                path: Display.text(member.path.isRoot ? project.shown.header.path.name : member.path.bytes),
                kind: member.word,
                size: member.size, edited: member.modified.timestamp.date, version: project.shown.id.description,
                conflict: false, unsettled: false)
        }
    }
}

private struct ListResult: Encodable {
    let documents: [ListRow]
}

private struct ListRow: Encodable {
    let path: String
    let kind: String
    let size: Int64
    let edited: Date
    let version: String
    let conflict: Bool
    let unsettled: Bool

    var line: String {
        let time = Timestamp(milliseconds: Int64(edited.timeIntervalSince1970 * 1000)).shown
        let marks =
            (conflict ? "  (two versions: a conflict)" : "") + (unsettled ? "  (changed while it was read)" : "")
        return
            "\(Style.right(Style.bytes(size), 10))  \(time)  \(path)\(kind == "bundle" || kind == "folder" ? "/" : "")\(marks)"
    }
}

extension ProjectKind {
    var word: String {
        switch self {
        case .file: "file"
        case .folder: "folder"
        case .symlink: "symlink"
        case .bundle: "bundle"
        }
    }
}

extension Member {
    var word: String {
        switch content {
        case .file: "file"
        case .folder: "folder"
        case .symlink: "symlink"
        }
    }
}

struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "List the snapshots, or the versions of one document; the newest first.")

    @Argument(help: "A document.")
    var name: String?

    @OptionGroup var vault: VaultOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let session = try Session.open(vault)
        let output = common.output
        try session.run { session in
            let history = try History.load(session.vault)
            if let name {
                try versions(of: Names.find(name, in: history.everything), history, output)
            } else {
                try snapshots(history, output)
            }
            output.warnings(history.gaps)
        }
    }

    private func snapshots(_ history: History, _ output: Output) throws {
        let rows = history.snapshots.reversed().map { commit in
            SnapshotRow(
                snapshot: commit.position.commit.description, time: commit.record.time.date,
                device: history.name(of: commit.position.device), changes: commit.versionCount,
                complete: !commit.record.isPartial)
        }
        try output.object(LogResult(snapshots: rows, versions: nil))
        for row in rows {
            let time = Timestamp(milliseconds: Int64(row.time.timeIntervalSince1970 * 1000)).shown
            let note = row.complete ? "" : "  (some files could not be read)"
            output.line(
                "\(row.snapshot.prefix(8))  \(time)  \(Style.left(row.device, 16))  \(Style.count(row.changes, "change"))\(note)"
            )
        }
    }

    private func versions(of project: LibraryState.Project, _ history: History, _ output: Output) throws {
        let versions = history.versions.values.filter { $0.header.project == project.id }
            .sorted { ($0.time, $0.id) > ($1.time, $1.id) }
        let heads = Set(project.heads.map(\.id))
        let rows = try versions.map { version in
            VersionRow(
                version: version.id.description, short: version.id.short, time: version.time.date,
                device: history.name(of: version.device), path: Display.text(version.header.path),
                size: version.header.isTombstone ? 0 : try history.members(of: version.id).reduce(0) { $0 + $1.size },
                deleted: version.header.isTombstone, head: heads.contains(version.id))
        }
        try output.object(LogResult(snapshots: nil, versions: rows))
        for row in rows {
            let time = Timestamp(milliseconds: Int64(row.time.timeIntervalSince1970 * 1000)).shown
            output.line(
                "\(Style.left(row.short, 12))  \(time)  \(Style.left(row.device, 16))  "
                    + "\(row.deleted ? Style.right("deleted", 10) : Style.right(Style.bytes(row.size), 10))  \(row.path)"
            )
        }
    }
}

private struct LogResult: Encodable {
    let snapshots: [SnapshotRow]?
    let versions: [VersionRow]?
}

private struct SnapshotRow: Encodable {
    let snapshot: String
    let time: Date
    let device: String
    let changes: Int
    let complete: Bool
}

private struct VersionRow: Encodable {
    let version: String
    let short: String
    let time: Date
    let device: String
    let path: String
    let size: Int64
    let deleted: Bool
    let head: Bool
}

struct CatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cat", abstract: "Print a document, or one file of it, to the standard output.")

    @Argument(help: "The document; NAME:FILE for a file in it.")
    var name: String

    @Option(help: ArgumentHelp("The state at a time or snapshot.", valueName: "when"))
    var at: String?

    @Option(help: ArgumentHelp("One version of the document.", valueName: "id"))
    var version: String?

    @OptionGroup var vault: VaultOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let session = try Session.open(vault)
        try session.run { session in
            try Cat.run(name, at: at, version: version, of: session.vault) { Output.write($0) }
        }
    }
}
