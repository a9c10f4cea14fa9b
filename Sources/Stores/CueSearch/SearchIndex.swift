package import CueBase
package import CueSystem
import Foundation
import GRDB

/// The paragraphs of all versions of a library's documents: SQLite with FTS5.
///
/// It is a cache of what the vault holds, in plain text. Every text is stored once, however many versions have it. Each
/// version has the list of its paragraphs, so versions may come in any order; what came and went is found by a search. A
/// search looks for trigrams, so it finds parts of words, and works in languages without spaces. Every function throws
/// `SearchError`.
package final class SearchIndex: Sendable {
    /// The most bytes of the file: what comes later is not taken.
    package static let mostBytes = 1 << 30
    /// The layout of the tables. An index of another layout is made anew.
    private static let layout = 2
    private static let page = 4096

    private let queue: DatabaseQueue

    /// Opens the index in `folder`, and makes it if it is missing, of another vault, or damaged. `patience`: how many
    /// seconds it waits for another process that writes to it.
    package convenience init(in folder: FilePathBytes, of vault: String, patience: Double = 10) throws {
        do { try self.init(path: Self.path(in: folder), vault, patience) } catch let error as SearchError
            where error.isOfFile
        {
            Self.remove(in: folder)
            try self.init(path: Self.path(in: folder), vault, patience)
        }
    }

    /// An index in memory alone, for a device that shall remember nothing.
    package convenience init(inMemoryOf vault: String) throws { try self.init(path: ":memory:", vault, 0) }

    private init(path: String, _ vault: String, _ patience: Double) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(patience)
        configuration.prepareDatabase { database in
            // A cache need not outlast a power cut; it must not be half, and WAL sees to that.
            try database.execute(
                sql: """
                    PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16000;
                    PRAGMA max_page_count = \(Self.mostBytes / Self.page)
                    """)
        }
        queue = try Self.told {
            if path != ":memory:" { FilePathBytes(path).makePrivate() }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.write { try Self.prepare($0, vault) }
            return queue
        }
    }

    /// Whether there is an index in the folder.
    package static func exists(in folder: FilePathBytes) -> Bool {
        (try? folder.appending("search.db").info()) ?? nil != nil
    }

    /// Removes the index in the folder; errors are ignored, as an index that is in the way is made anew.
    package static func remove(in folder: FilePathBytes) {
        guard let folder = try? Folder.open(folder) else { return }
        for name in ["search.db", "search.db-wal", "search.db-shm"] { try? folder.remove(Array(name.utf8)) }
    }

    private static func path(in folder: FilePathBytes) -> String {
        String(decoding: folder.appending("search.db").bytes, as: UTF8.self)
    }

    /// Makes the tables, unless they are there for this vault. Throws `SearchError.otherIndex` for other ones.
    private static func prepare(_ database: Database, _ vault: String) throws {
        let mark = "\(layout) \(vault)"
        if try database.tableExists("meta") {
            guard try String.fetchOne(database, sql: "SELECT value FROM meta") == mark else {
                throw SearchError.otherIndex
            }
            return
        }
        try database.execute(
            sql: """
                CREATE TABLE meta (value TEXT NOT NULL);
                CREATE TABLE done (commit_id BLOB PRIMARY KEY) WITHOUT ROWID;
                CREATE TABLE version (id BLOB PRIMARY KEY, project BLOB NOT NULL, parents BLOB NOT NULL,
                    time INTEGER NOT NULL, device TEXT NOT NULL, path TEXT NOT NULL, paragraphs BLOB NOT NULL);
                CREATE INDEX version_project ON version (project);
                CREATE TABLE title (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
                CREATE TABLE paragraph (id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, text TEXT NOT NULL);
                CREATE TABLE holder (paragraph INTEGER NOT NULL, project BLOB NOT NULL,
                    PRIMARY KEY (paragraph, project)) WITHOUT ROWID;
                CREATE VIRTUAL TABLE trigram USING fts5(text, content='', detail=none, tokenize='trigram');
                """)
        try database.execute(sql: "INSERT INTO meta VALUES (?)", arguments: [mark])
    }

    private static func told<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as DatabaseError {
            throw error.resultCode == .SQLITE_FULL
                ? SearchError.full : SearchError.unusable(error.resultCode.rawValue, error.message)
        }
    }

    /// Runs `body` in one transaction: everything in it is stored, or nothing if it throws.
    package func write<Result>(_ body: (Writing) throws -> Result) throws -> Result {
        try Self.told { try queue.write { try body(Writing(database: $0)) } }
    }

    /// Runs `body` on one consistent state.
    func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try Self.told { try queue.read(body) }
    }

    /// Whether it is as large as it may be, or nearly so.
    package func isAtLimit() throws -> Bool {
        try read { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 } >= Self.mostBytes / Self.page * 9 / 10
    }

    /// The vault of which the index in a folder is; nil if there is none.
    package static func vault(in folder: FilePathBytes) -> String? {
        guard exists(in: folder) else { return nil }
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try? DatabaseQueue(path: path(in: folder), configuration: configuration)
        let mark = try? queue?.read { try String.fetchOne($0, sql: "SELECT value FROM meta") }
        return mark?.split(separator: " ").last.map(String.init)
    }

    /// The commits of which all versions are in the index.
    package func commits() throws -> Set<CommitID> {
        try read { database in
            Set(
                try Data.fetchAll(database, sql: "SELECT commit_id FROM done").map {
                    try $0.reading { try $0.commitID() }
                })
        }
    }

    /// The versions that are in the index.
    package func versions() throws -> Set<VersionID> {
        try read { database in
            Set(
                try Data.fetchAll(database, sql: "SELECT id FROM version").map { try $0.reading { try $0.versionID() } }
            )
        }
    }
}

/// The reasons why an index cannot be used.
package enum SearchError: Error, Sendable, Equatable {
    /// The index is as large as it may be, or the disk is full.
    case full
    /// The disk is full.
    case noSpace
    /// It has another layout, or is that of another vault.
    case otherIndex
    /// SQLite failed, with its code and message.
    case unusable(Int32, String?)

    /// Whether only a new file helps.
    package var isOfFile: Bool {
        switch self {
        case .otherIndex: true
        case .unusable(let code, _):
            [ResultCode.SQLITE_CORRUPT, .SQLITE_NOTADB].contains { $0.rawValue == code & 0xff }
        case .full, .noSpace: false
        }
    }
}

extension Data {
    func reading<Value>(_ body: (inout ByteReader) throws -> Value) throws -> Value {
        var reader = ByteReader(Array(self))
        return try body(&reader)
    }
}
