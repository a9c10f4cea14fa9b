package import CueBase
import GRDB

/// The number of words of a document when it was last looked at.
package struct WordCount: Sendable, Equatable {
    /// The version that was counted.
    package let version: VersionID
    /// nil if cue reads no text in it, or it was not counted.
    package var words: Int?
    /// A hash of the content, without times and modes.
    package let content: UInt64

    /// Memberwise.
    package init(version: VersionID, words: Int?, content: UInt64) {
        (self.version, self.words, self.content) = (version, words, content)
    }
}

/// The words of a document before and after a day of writing.
package struct WordsOfDay: Sendable, Equatable {
    /// The document.
    package let project: ProjectID
    /// Its path at the last change of the day.
    package let path: RelativePath
    /// Such as `2026-11-21`; a day begins at six in the morning.
    package let day: String
    /// The number of words before the first change of the day.
    package let first: Int
    /// The number of words after the last change of the day.
    package let last: Int
}

/// A version that is never cleared away.
package struct Pin: Sendable, Equatable {
    /// The pinned version.
    package let version: VersionID
    /// Its document.
    package let project: ProjectID
    /// The document's path when it was pinned.
    package let path: RelativePath
    /// When it was pinned.
    package let time: Timestamp
    /// The number of words of the pinned version.
    package let before: Int
    /// The number of words of the version after it.
    package let after: Int

    /// Memberwise.
    package init(
        version: VersionID, project: ProjectID, path: RelativePath, time: Timestamp, before: Int, after: Int
    ) {
        (self.version, self.project, self.path, self.time) = (version, project, path, time)
        (self.before, self.after) = (before, after)
    }
}

extension LocalStore.Transaction {
    /// The last word count of a document; nil if there is none.
    package func counted(of project: ProjectID) throws -> WordCount? {
        let row = try Row.fetchOne(
            database, sql: "SELECT version, words, content FROM words WHERE project = ?", arguments: [project.column])
        return try row.map { WordCount(version: try $0.versionID(0), words: $0[1], content: $0.unsigned(2)) }
    }

    /// Replaces the word count of a document.
    package func setCounted(_ counted: WordCount, of project: ProjectID) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO words VALUES (?, ?, ?, ?)",
            arguments: [project.column, counted.version.column, counted.words, counted.content.column])
    }

    /// Pins a version. One that is pinned already is not changed.
    package func pin(_ pin: Pin) throws {
        try database.execute(
            sql: "INSERT OR IGNORE INTO pin VALUES (?, ?, ?, ?, ?, ?)",
            arguments: [
                pin.version.column, pin.project.column, pin.path.column, pin.time.milliseconds, pin.before, pin.after,
            ])
    }

    /// All pins, the oldest first.
    package func pins() throws -> [Pin] {
        try Row.fetchAll(database, sql: "SELECT * FROM pin ORDER BY time, version").map { row in
            Pin(
                version: try row.versionID(0), project: try row.versionID(1), path: row.path(2),
                time: Timestamp(milliseconds: row[3]), before: row[4], after: row[5])
        }
    }

    // MARK: Words of a day

    /// Notes a change of a document's words on a day: the first one keeps `before`, each one replaces `after` and the
    /// path.
    package func addWords(
        of project: ProjectID, at path: RelativePath, on day: String, from before: Int, to after: Int
    ) throws {
        try database.execute(
            sql: """
                INSERT INTO words_of_day (project, day, path, first, last) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (project, day) DO UPDATE SET path = excluded.path, last = excluded.last
                """, arguments: [project.column, day, path.column, before, after])
    }

    /// The words of a document on a day; nil if they have not changed.
    package func words(of project: ProjectID, on day: String) throws -> WordsOfDay? {
        try Row.fetchOne(
            database, sql: "SELECT project, path, day, first, last FROM words_of_day WHERE project = ? AND day = ?",
            arguments: [project.column, day]
        ).map(wordsOfDay)
    }

    /// Whether `takeWords(before:)` would return any.
    package func hasWords(before day: String) throws -> Bool {
        try Bool.fetchOne(
            database, sql: "SELECT EXISTS (SELECT 1 FROM words_of_day WHERE day < ?)", arguments: [day]) ?? false
    }

    /// Removes and returns the words of all days before `day`, the oldest first.
    package func takeWords(before day: String) throws -> [WordsOfDay] {
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT project, path, day, first, last FROM words_of_day WHERE day < ? ORDER BY day, project",
            arguments: [day]
        ).map(wordsOfDay)
        try database.execute(sql: "DELETE FROM words_of_day WHERE day < ?", arguments: [day])
        return rows
    }

    private func wordsOfDay(_ row: Row) throws -> WordsOfDay {
        WordsOfDay(
            project: try row.versionID(0), path: row.path(1), day: row[2], first: row[3], last: row[4])
    }
}
