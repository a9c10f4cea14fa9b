public import CueSystem

/// The reasons why `.cue/library.toml` does not count.
public enum MarkerFlaw: Sendable, Equatable, Codable {
    /// It cannot be read.
    case unreadable(SystemError)
    /// It is gone, or names another library than before.
    case replaced
    /// It lacks `library` or `vault`.
    case incomplete
    /// It is not TOML; with the line and the text of the parser.
    case notTOML(line: Int, String)
    /// A setting is wrong; with its line where that is found.
    case setting(SettingFlaw, line: Int?)
}

/// The ways in which a setting of the marker is wrong.
public enum SettingFlaw: Sendable, Equatable, Codable {
    /// A table of these settings is another kind of value.
    case noTable(String, settings: [String])
    /// The table has no such setting, but these.
    case unknown(String, table: String, settings: [String])
    /// No such setting or table stands at the top.
    case unknownAtTop(String)
    /// The value is of another kind.
    case value(String, table: String?, wanted: SettingKind)
}

/// The kinds of values of settings.
public enum SettingKind: Sendable, Equatable, Codable {
    case libraryID, place, places, truth, endings, command, address
    /// A whole number within the range, of which the first means never.
    case days(ClosedRange<Int>)
    /// A number of seconds within the range.
    case seconds(ClosedRange<Double>)
}
