import CueLibrary
import CueSystem

extension MarkerFlaw {
    /// The flaw, completing ".cue/library.toml is not understood: …".
    var words: String {
        switch self {
        case .unreadable(let error): "it cannot be read: \(error.words)"
        case .replaced: "it is gone, or names another library"
        case .incomplete: "it needs `library` and `vault`"
        case .notTOML(let line, let text): "line \(line): \(text)"
        case .setting(let flaw, let line): "\(line.map { "line \($0): " } ?? "")\(flaw.words)"
        }
    }
}

extension SettingFlaw {
    /// The flaw, as a sentence about the setting.
    var words: String {
        switch self {
        case .noTable(let name, let settings): "`\(name)` is a table: [\(name)] \(settings.joined(separator: ", "))"
        case .unknown("ping", _, _), .unknownAtTop("ping"): "`ping` belongs in [notify]"
        case .unknown(let name, let table, let settings):
            "unknown setting `\(name)` in [\(table)]; there are \(settings.joined(separator: ", "))"
        case .unknownAtTop(let name):
            "unknown setting `\(name)`; there are library, vault, places, \(Self.tables.joined(separator: ", "))"
        case .value(let name, let table, let kind): "\(table.map { "[\($0)] " } ?? "")\(name) is \(kind.words)"
        }
    }

    /// All tables with their settings.
    private static var tables: [String] {
        LibraryMarker.tables.map { "[\($0.name)] \($0.settings.joined(separator: " and "))" }
    }
}

extension SettingKind {
    /// The kind, completing "SETTING is …".
    fileprivate var words: String {
        switch self {
        case .libraryID: "an id of 32 hexadecimal digits"
        case .place: "a text: the vault's place"
        case .places: "a list of texts, the further places of the vault: `cue vault add WHERE` adds one"
        case .truth: "true or false"
        case .endings: "a list of texts such as \".myapp\""
        case .command: "a text: a shell command such as \"my-notifier\""
        case .address: "an address such as \"https://hc-ping.com/…\", with http or https"
        case .days(let range): "a whole number from \(range.lowerBound) (never) to \(range.upperBound)"
        case .seconds(let range): "a number of seconds from \(range.lowerBound) to \(Int(range.upperBound))"
        }
    }
}

extension StateFlaw {
    /// The flaw, completing "cue cannot use its memory of this library: …".
    var words: String {
        switch self {
        case .noPlace: "neither CUE_HOME nor HOME says where cue may keep its memory"
        case .noDevice: "it does not know which device this is"
        case .newer: "a later cue has changed it, and this one cannot read it"
        case .damaged: "its file store.db is damaged"
        case .sqlite(let code, let text): text ?? "SQLite error \(code)"
        }
    }

    private static var place: String {
        (try? StateFolder.standard()).map { $0.path.appending("libraries").description } ?? "CUE_HOME"
    }

    /// What to do about it.
    var hint: String {
        switch self {
        case .newer: "upgrade cue on this computer; your documents and the vault are not affected"
        case .damaged:
            "your documents and the vault are not affected: move the file away (below \(Self.place)), then `cue init FOLDER --vault WHERE` makes it anew"
        case .noPlace, .noDevice, .sqlite:
            "has the disk with the state folder (CUE_HOME) room, and may you write there?"
        }
    }
}

extension PlanTrouble {
    /// The trouble, completing "cue cannot use its memory of your plan: …".
    var words: String {
        switch self {
        case .missing: "it is not there"
        case .locked: "another cue has been writing it for ten seconds"
        case .system(let error): error.words
        case .store(let flaw): flaw.words
        }
    }
}
