import TOMLKit

/// One table of `.cue/library.toml`. It knows the lines of the text, so that an error names the line of its setting.
struct MarkerSection {
    /// nil for the settings that stand before all tables.
    let name: String?
    /// The parsed settings.
    let table: TOMLTable
    private let lines: [Substring]

    /// Parses the whole file. Throws `LibraryError.markerInvalid`.
    init(parsing text: String) throws {
        do { table = try TOMLTable(string: text) } catch let error as TOMLParseError {
            throw LibraryError.markerInvalid(.notTOML(line: error.source.begin.line, error.description))
        }
        (name, lines) = (nil, text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline))
    }

    private init(_ name: String, _ table: TOMLTable, _ lines: [Substring]) {
        (self.name, self.table, self.lines) = (name, table, lines)
    }

    /// The inner table `name`, which may hold only `settings`; nil if it is missing. Throws
    /// `LibraryError.markerInvalid`.
    func section(_ name: String, of settings: [String]) throws -> MarkerSection? {
        guard let value = table[name] else { return nil }
        guard let inner = value.table else {
            throw error(name, .noTable(name, settings: settings))
        }
        let section = MarkerSection(name, inner, lines)
        if let other = inner.keys.first(where: { !settings.contains($0) }) {
            throw section.error(other, .unknown(other, table: name, settings: settings))
        }
        return section
    }

    /// The value of a setting, converted by `read`; nil if the setting is missing. If `read` returns nil, it throws
    /// `LibraryError.markerInvalid`: the setting is to be `kind`.
    func value<Value>(
        _ key: String, _ kind: SettingKind, _ read: (any TOMLValueConvertible) -> Value?
    ) throws -> Value? {
        guard let value = table[key] else { return nil }
        guard let read = read(value) else {
            throw error(key, .value(key, table: name, wanted: kind))
        }
        return read
    }

    /// A whole number of days within `range`; nil if the setting is missing.
    func days(_ key: String, _ range: ClosedRange<Int>) throws -> Int? {
        try value(key, .days(range)) {
            $0.int.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// The error for a setting, with its line where that is found.
    func error(_ key: String, _ flaw: SettingFlaw) -> LibraryError {
        .markerInvalid(.setting(flaw, line: line(of: key)))
    }

    /// The line, from 1, in which a setting of this table begins. TOMLKit does not report it, so the text is searched;
    /// nil for unusual spellings.
    private func line(of key: String) -> Int? {
        var header = ""
        for (index, line) in lines.enumerated() {
            let line = Self.trimmed(line)
            if line.first == "[" {
                header = line.split(whereSeparator: { "[]".contains($0) }).first.map(Self.trimmed) ?? ""
                if name == nil, header == key || header.hasPrefix(key + ".") { return index + 1 }
                continue
            }
            let left = line.split(separator: "=", maxSplits: 1).first.map(Self.trimmed) ?? ""
            if header == name ?? "", left == key { return index + 1 }
            guard header.isEmpty else { continue }
            if let name, left == name || left == "\(name).\(key)" { return index + 1 }
            if name == nil, left.hasPrefix(key + ".") { return index + 1 }
        }
        return nil
    }

    private static func trimmed(_ text: Substring) -> String {
        let isBlank: (Character) -> Bool = { $0.isWhitespace || $0 == "\"" || $0 == "'" }
        return String(text.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }

    private static func trimmed(_ text: String) -> String { trimmed(text[...]) }
}
