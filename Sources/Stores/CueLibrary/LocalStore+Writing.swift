package import CueBase
import Foundation
import GRDB

/// How many words a document had when it was last looked at.
package struct Counted: Sendable, Equatable {
    package let version: VersionID
    /// nil where cue reads no text, or nobody counted.
    package var words: Int?
    /// A hash of what it holds, without times and modes.
    package let content: UInt64

    package init(version: VersionID, words: Int?, content: UInt64) {
        (self.version, self.words, self.content) = (version, words, content)
    }
}

/// What a document gained or lost in a day.
package struct WordsOfDay: Sendable, Equatable {
    package let project: ProjectID
    package let path: RelativePath
    /// `2026-11-21`.
    package let day: String
    /// How many words it had before the first change of the day, and after the last.
    package let first: Int
    package let last: Int
}

/// A version that is to be kept, whatever else is cleared away.
package struct Pin: Sendable, Equatable {
    package let version: VersionID
    package let project: ProjectID
    package let path: RelativePath
    package let time: Timestamp
    /// How many words it has, and how many the one after it.
    package let before: Int
    package let after: Int

    package init(
        version: VersionID, project: ProjectID, path: RelativePath, time: Timestamp, before: Int, after: Int
    ) {
        (self.version, self.project, self.path, self.time) = (version, project, path, time)
        (self.before, self.after) = (before, after)
    }
}

extension LocalStore.Transaction {
    package func counted(of project: ProjectID) throws -> Counted? {
        let row = try Row.fetchOne(
            database, sql: "SELECT version, words, content FROM words WHERE project = ?", arguments: [key(project)])
        return try row.map {
            Counted(version: try id($0[0]), words: $0[1], content: UInt64(bitPattern: $0[2] as Int64))
        }
    }

    package func setCounted(_ counted: Counted, of project: ProjectID) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO words VALUES (?, ?, ?, ?)",
            arguments: [
                key(project), key(counted.version), counted.words, Int64(bitPattern: counted.content),
            ])
    }

    /// Keeps a version from being cleared away. One that is pinned already stays as it is.
    package func pin(_ pin: Pin) throws {
        try database.execute(
            sql: "INSERT OR IGNORE INTO pin VALUES (?, ?, ?, ?, ?, ?)",
            arguments: [
                key(pin.version), key(pin.project), Data(pin.path.bytes), pin.time.milliseconds, pin.before, pin.after,
            ])
    }

    /// All of them, the oldest first.
    package func pins() throws -> [Pin] {
        try Row.fetchAll(database, sql: "SELECT * FROM pin ORDER BY time, version").map { row in
            Pin(
                version: try id(row[0]), project: try id(row[1]), path: RelativePath(trusted: Array(row[2] as Data)),
                time: Timestamp(milliseconds: row[3]), before: row[4], after: row[5])
        }
    }

    // MARK: Words of a day

    package func addWords(
        of project: ProjectID, at path: RelativePath, on day: String, from before: Int, to after: Int
    ) throws {
        try database.execute(
            sql: """
                INSERT INTO words_of_day (project, day, path, first, last) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (project, day) DO UPDATE SET path = excluded.path, last = excluded.last
                """, arguments: [key(project), day, Data(path.bytes), before, after])
    }

    package func words(of project: ProjectID, on day: String) throws -> WordsOfDay? {
        try Row.fetchOne(
            database, sql: "SELECT project, path, day, first, last FROM words_of_day WHERE project = ? AND day = ?",
            arguments: [key(project), day]
        ).map(wordsOfDay)
    }

    package func hasWords(before day: String) throws -> Bool {
        try Bool.fetchOne(
            database, sql: "SELECT EXISTS (SELECT 1 FROM words_of_day WHERE day < ?)", arguments: [day]) ?? false
    }

    /// Those of days that are over; they are forgotten.
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
            project: try id(row[0]), path: RelativePath(trusted: Array(row[1] as Data)), day: row[2], first: row[3],
            last: row[4])
    }

    private func id(_ data: Data) throws -> VersionID {
        var reader = ByteReader(Array(data))
        return try reader.versionID()
    }
}
