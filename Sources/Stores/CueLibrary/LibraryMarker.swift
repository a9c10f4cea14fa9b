package import CueBase
package import CueSystem
import TOMLKit

/// `.cue/library.toml`: what names a folder as a library, with the writer's own settings.
package struct LibraryMarker: Sendable, Equatable {
    package static let folder = Array(".cue".utf8)
    private static let file = "library.toml"

    package var library: LibraryID
    package var vault: String
    /// Endings of folders that are one document, beyond the usual ones.
    package var bundleEndings: [String] = []
    package var rememberKey = true
    /// The shell command that shows a reminder, in place of notify-send.
    package var notifyCommand: String?
    /// After how many days without a backup cue speaks up; 0 for never.
    package var backupDays = Self.usualBackupDays
    private static let usualBackupDays = 7

    package init(library: LibraryID, vault: String) { (self.library, self.vault) = (library, vault) }

    /// Reads the marker of a folder; nil if it has none.
    package init?(in root: Folder) throws {
        let bytes: [UInt8]?
        do {
            bytes = try root.folder(Self.folder).contents(of: Self.file, upTo: 1 << 20)
        } catch {
            guard error.isNotFound else { throw error }
            return nil
        }
        guard let bytes else { return nil }
        try self.init(parsing: String(decoding: bytes, as: UTF8.self))
    }

    init(parsing text: String) throws {
        let table: TOMLTable
        do { table = try TOMLTable(string: text) } catch let error as TOMLParseError {
            throw LibraryError.markerInvalid("line \(error.source.begin.line): \(error.description)")
        }
        guard let id = table["library"]?.string.flatMap({ LibraryID($0) }), let vault = table["vault"]?.string else {
            throw LibraryError.markerInvalid("it needs `library` and `vault`")
        }
        self.init(library: id, vault: vault)
        for key in table.keys where !["library", "vault", "bundles", "key", "notify"].contains(key) {
            throw LibraryError.markerInvalid(
                "unknown setting `\(key)`; there are library, vault, [bundles] endings, [key] remember, [notify] command and backup_days"
            )
        }
        if let endings = table["bundles"]?.table?["endings"]?.array {
            bundleEndings = try endings.map { value in
                guard let ending = value.string, ending.hasPrefix("."), ending.count > 1 else {
                    throw LibraryError.markerInvalid("[bundles] endings is a list of texts such as \".myapp\"")
                }
                return ending
            }
        }
        rememberKey = table["key"]?.table?["remember"]?.bool ?? true
        if let value = table["notify"] { try readNotify(value.table) }
    }

    private mutating func readNotify(_ table: TOMLTable?) throws {
        guard let table else { throw LibraryError.markerInvalid("`notify` is a table: [notify] command, backup_days") }
        for key in table.keys where !["command", "backup_days"].contains(key) {
            throw LibraryError.markerInvalid("unknown setting `\(key)` in [notify]; there are command, backup_days")
        }
        if let value = table["command"] {
            guard let command = value.string, command.contains(where: { !$0.isWhitespace }) else {
                throw LibraryError.markerInvalid("[notify] command is a text: a shell command such as \"my-notifier\"")
            }
            notifyCommand = command
        }
        if let value = table["backup_days"] {
            guard let days = value.int, (0...3650).contains(days) else {
                throw LibraryError.markerInvalid("[notify] backup_days is a whole number from 0 (never) to 3650")
            }
            backupDays = days
        }
    }

    /// Writes the marker into the folder.
    package func write(in root: Folder) throws(SystemError) {
        let (folder, _) = try root.folderOrNew(Self.folder, mode: 0o755)
        try folder.replace(Self.file, with: Array(text.utf8), mode: 0o644)
        try root.synchronize()
    }

    private var text: String {
        let table = TOMLTable()
        table["library"] = library.description
        table["vault"] = vault
        if !bundleEndings.isEmpty {
            let bundles = TOMLTable()
            bundles["endings"] = TOMLArray(bundleEndings)
            table["bundles"] = bundles
        }
        if !rememberKey {
            let key = TOMLTable()
            key["remember"] = false
            table["key"] = key
        }
        if notifyCommand != nil || backupDays != Self.usualBackupDays {
            let notify = TOMLTable()
            if let notifyCommand { notify["command"] = notifyCommand }
            if backupDays != Self.usualBackupDays { notify["backup_days"] = backupDays }
            table["notify"] = notify
        }
        return "# This folder is a library of cue. Without this file cue does not back it up.\n" + table.convert()
            + "\n"
    }
}
