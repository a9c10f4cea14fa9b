package import CueBase
package import CueSystem
import TOMLKit

/// `.cue/library.toml`: makes a folder a library, and holds the writer's settings.
package struct LibraryMarker: Sendable, Equatable {
    /// The name of the marker's folder in the library: `.cue`.
    package static let folder = Array(".cue".utf8)
    private static let file = "library.toml"
    /// Whether a name in that folder is the marker's file.
    package static func isFile(_ name: [UInt8]) -> Bool { name.elementsEqual(file.utf8) }

    /// The library's id. A copied folder has the same one.
    package var library: LibraryID
    /// The vault's place, as `VaultLocation.stored` writes it.
    package var vault: String
    /// The further places at which the vault is kept, in the same form. A device uses those that were added on it
    /// (`cue vault add`): a changed file must not lead a backup elsewhere.
    package var places: [String] = []
    /// Endings of folders that are bundles, in addition to the built-in ones; each begins with a dot.
    package var bundleEndings: [String] = []
    /// Whether this device may keep the vault key, so that commands ask for no passphrase.
    package var rememberKey = true
    /// The shell command that shows a reminder; nil for `notify-send`.
    package var notifyCommand: String?
    /// Days without a backup after which a reminder comes; 0 for never.
    package var backupDays = Self.usualBackupDays
    private static let usualBackupDays = 7
    /// The address, with `http` or `https`, that gets a message about each backup and sync; nil for none.
    package var pingAddress: String?
    /// Seconds that a document must be left alone before the watcher stores it; nil for the default.
    package var watchDebounce: Double?
    /// Allowed values of `watchDebounce`, in seconds.
    package static let debounceRange = 0.1...3600
    /// Days in which the watcher reads the whole vault back once; 0 for never, nil for the default.
    package var verifyDays: Int?
    /// Allowed values of `verifyDays`.
    package static let verifyRange = 0...3650

    /// A marker with default settings.
    package init(library: LibraryID, vault: String) { (self.library, self.vault) = (library, vault) }

    /// Reads the marker of a folder; nil if there is none. Throws `LibraryError.markerBlocked` or `.markerInvalid`.
    package init?(in root: Folder) throws {
        let bytes: [UInt8]?
        do {
            bytes = try root.folder(Self.folder).contents(of: Self.file, upTo: 1 << 20)
        } catch {
            if error.isNotFolder || error.isLink { throw LibraryError.markerBlocked }
            guard error.isNotFound else { throw LibraryError.markerInvalid(.unreadable(error)) }
            return nil
        }
        guard let bytes else { return nil }
        try self.init(parsing: String(decoding: bytes, as: UTF8.self))
    }

    /// Whether this library, or a copy of it, stands at a path. One that cannot be read counts as it.
    package func stands(at path: FilePathBytes) -> Bool {
        guard let path = path.resolved() else { return false }
        do { return try LibraryMarker(in: Folder.open(path))?.library == library } catch let error as SystemError {
            return !error.isNotFolder && !error.isNotFound
        } catch LibraryError.markerBlocked { return false } catch { return true }
    }

    /// Parses the marker's text. Throws `LibraryError.markerInvalid` with the line, also for an unknown setting.
    init(parsing text: String) throws {
        let top = try MarkerSection(parsing: text)
        guard
            let id = try top.value(
                "library", .libraryID, { $0.string.flatMap { LibraryID($0) } }),
            let vault = try top.value("vault", .place, { $0.string })
        else { throw LibraryError.markerInvalid(.incomplete) }
        self.init(library: id, vault: vault)
        places =
            try top.value("places", .places) { value -> [String]? in
                guard let list = value.array else { return nil }
                let texts = list.compactMap(\.string).filter { !$0.isEmpty }
                return texts.count == list.count ? texts : nil
            } ?? []
        let known = ["library", "vault", "places"] + Self.tables.map(\.name)
        if let other = top.table.keys.first(where: { !known.contains($0) }) {
            throw top.error(other, .unknownAtTop(other))
        }
        for (name, settings) in Self.tables {
            if let section = try top.section(name, of: settings) { try read(section) }
        }
    }

    /// All tables with the settings that each may have.
    package static let tables: [(name: String, settings: [String])] = [
        ("bundles", ["endings"]), ("key", ["remember"]), ("notify", ["command", "backup_days", "ping"]),
        ("watch", ["debounce", "verify_days"]),
    ]

    private mutating func read(_ section: MarkerSection) throws {
        let endings = try section.value("endings", .endings) { value -> [String]? in
            guard let list = value.array else { return nil }
            let texts = list.compactMap(\.string).filter { $0.hasPrefix(".") && $0.count > 1 }
            return texts.count == list.count ? texts : nil
        }
        bundleEndings = endings ?? bundleEndings
        rememberKey = try section.value("remember", .truth) { $0.bool } ?? rememberKey
        let command = try section.value("command", .command) { value in
            value.string.flatMap { $0.contains { !$0.isWhitespace } ? $0 : nil }
        }
        notifyCommand = command ?? notifyCommand
        backupDays = try section.days("backup_days", 0...3650) ?? backupDays
        pingAddress =
            try section.value("ping", .address) { $0.string.flatMap { Self.isAddress($0) ? $0 : nil } } ?? pingAddress
        let range = Self.debounceRange
        let debounce = try section.value("debounce", .seconds(range)) { value in
            (value.double ?? value.int.map { Double($0) }).flatMap { range.contains($0) ? $0 : nil }
        }
        watchDebounce = debounce ?? watchDebounce
        verifyDays = try section.days("verify_days", Self.verifyRange) ?? verifyDays
    }

    /// Whether a text is an address with `http` or `https`, a host, and only characters that an address has
    /// (RFC 3986 §2).
    private static func isAddress(_ text: String) -> Bool {
        let lowered = text.lowercased()
        guard let scheme = ["http://", "https://"].first(where: { lowered.hasPrefix($0) }),
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { return false }
        let authority = text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return !host.isEmpty && host.first != ":"
    }

    /// Writes the marker under a temporary name, to prove that the folder takes it. `write` or `takeBackTry` follows.
    package func tryWriting(in root: Folder) throws(SystemError) {
        let (folder, _) = try root.folderOrNew(Self.folder, mode: 0o755)
        let name = Self.draft
        do { try folder.remove(name) } catch { guard error.isNotFound else { throw error } }
        let file = try folder.create(name, mode: 0o644)
        try file.write(Array(text.utf8).span)
        try file.synchronize()
    }

    /// Removes the file of `tryWriting`, and `.cue` if it is then empty.
    package static func takeBackTry(in root: Folder) {
        try? root.folder(Self.folder).remove(draft)
        try? root.removeFolder(Self.folder)
    }

    /// The temporary name of `Folder.replace`, so that `write` replaces the file of `tryWriting`.
    private static let draft = Array((file + ".new").utf8)

    /// Replaces the marker in the folder; durable on return.
    package func write(in root: Folder) throws(SystemError) {
        let (folder, _) = try root.folderOrNew(Self.folder, mode: 0o755)
        try folder.replace(Self.file, with: Array(text.utf8), mode: 0o644)
        try root.synchronize()
    }

    /// Writes `places` into the marker of the folder, durably, and leaves the rest of the text as it is: a person may
    /// have written comments there. Throws `SystemError`.
    package func writePlaces(in root: Folder) throws(SystemError) {
        let (folder, _) = try root.folderOrNew(Self.folder, mode: 0o755)
        let old = String(decoding: try folder.contents(of: Self.file, upTo: 1 << 20) ?? [], as: UTF8.self)
        var lines = old.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let top = lines.firstIndex { $0.drop { $0 == " " }.hasPrefix("[") } ?? lines.count
        func isOf(_ key: String, _ line: String) -> Bool {
            line.prefix { $0 != "=" }.filter { $0 != " " } == key
        }
        let table = TOMLTable()
        table["places"] = TOMLArray(places)
        let new = places.isEmpty ? [] : [table.convert()]
        if let known = lines[..<top].firstIndex(where: { isOf("places", $0) }) {
            lines.replaceSubrange(known...known, with: new)
        } else if let vault = lines[..<top].firstIndex(where: { isOf("vault", $0) }) {
            lines.insert(contentsOf: new, at: vault + 1)
        }
        let changed = lines.joined(separator: "\n")
        // Unusual spellings, such as a list over several lines.
        let isRight = (try? LibraryMarker(parsing: changed)) == self
        try folder.replace(Self.file, with: Array((isRight ? changed : text).utf8), mode: 0o644)
        try root.synchronize()
    }

    /// The marker as TOML; settings at their default are left out.
    private var text: String {
        let table = TOMLTable()
        table["library"] = library.description
        table["vault"] = vault
        if !places.isEmpty { table["places"] = TOMLArray(places) }
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
        if notifyCommand != nil || backupDays != Self.usualBackupDays || pingAddress != nil {
            let notify = TOMLTable()
            if let notifyCommand { notify["command"] = notifyCommand }
            if backupDays != Self.usualBackupDays { notify["backup_days"] = backupDays }
            if let pingAddress { notify["ping"] = pingAddress }
            table["notify"] = notify
        }
        if watchDebounce != nil || verifyDays != nil {
            let watch = TOMLTable()
            if let watchDebounce { watch["debounce"] = watchDebounce }
            if let verifyDays { watch["verify_days"] = verifyDays }
            table["watch"] = watch
        }
        return "# This folder is a library of cue. Without this file cue does not back it up.\n" + table.convert()
            + "\n"
    }
}
