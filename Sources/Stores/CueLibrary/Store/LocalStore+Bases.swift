import CueBase
import Foundation
import GRDB

/// What the files that were edited last may be stored against. Without a row a file is stored in full.
extension LocalStore.Transaction {
    /// The most files of which bases are kept: those that were stored last.
    private static let files = 256

    /// The bases of all files that are kept.
    package func fileBases() throws -> [FileKey: FileBases] {
        var all: [FileKey: FileBases] = [:]
        let rows = try Row.fetchCursor(database, sql: "SELECT project, path, bases FROM file_bases")
        while let row = try rows.next() {
            let key = FileKey(project: try row.versionID(0), path: row.path(1))
            all[key] = try? FileBases([UInt8](row[2] as Data))
        }
        return all
    }

    /// Notes the bases of files, in place of those that they had.
    package func setBases(_ bases: [FileKey: FileBases]) throws {
        guard !bases.isEmpty else { return }
        let statement = try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO file_bases (project, path, bases) VALUES (?, ?, ?)")
        for (key, bases) in bases {
            try statement.execute(arguments: [key.project.column, key.path.column, Data(bases.encoded())])
        }
        try database.execute(
            sql: "DELETE FROM file_bases WHERE id NOT IN (SELECT id FROM file_bases ORDER BY id DESC LIMIT ?)",
            arguments: [Self.files])
    }
}
