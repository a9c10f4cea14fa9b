package import CueBase
package import CueStorage
package import CueSystem
package import CueVault
import Foundation
import GRDB

/// The memory of this device for one library: SQLite in the state folder.
///
/// It is a cache, except for what waits to be stored (events, changes of settings) and for the state of this device's
/// reminders. `cue init` on the same folder and vault rebuilds everything else. Every function throws `LibraryError.busy` if
/// another process keeps the store locked for ten seconds, and `LibraryError.stateUnusable` for any other error of
/// SQLite.
package final class LocalStore: Sendable {
    private let queue: DatabaseQueue
    /// The key of the place in which the library folder itself stands. No path is `/`.
    private static let folderOfRoot = Data([0x2f])

    /// The name of its file.
    static let name = "store.db"

    /// Opens the store in `folder`, makes it if it is missing, and migrates an older one. `isSmall`: keeps no log of
    /// writes beside it, so that it can be read where nothing can be written.
    package init(in folder: FilePathBytes, isSmall: Bool = false) throws {
        var configuration = Configuration()
        // Another command may be writing: `status` waits for a running backup instead of failing.
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { database in
            // FULL: a device that loses its own last commit in a power cut would take itself for a clone.
            try database.execute(
                sql:
                    "PRAGMA journal_mode = \(isSmall ? "DELETE" : "WAL"); PRAGMA synchronous = FULL; PRAGMA cache_size = -8000"
            )
        }
        let path = Self.path(in: folder)
        folder.appending(Self.name).makePrivate()
        queue = try Self.told {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            guard try !queue.read(Self.migrator.hasBeenSuperseded) else { throw LibraryError.stateUnusable(.newer) }
            try Self.migrator.migrate(queue)
            return queue
        }
    }

    /// Opens a small store to read it. Throws if it is not there.
    init(readOnlyIn folder: FilePathBytes) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        queue = try Self.told {
            let queue = try DatabaseQueue(path: Self.path(in: folder), configuration: configuration)
            guard try !queue.read(Self.migrator.hasBeenSuperseded) else { throw LibraryError.stateUnusable(.newer) }
            return queue
        }
    }

    private static func path(in folder: FilePathBytes) -> String {
        String(decoding: folder.appending(name).bytes, as: UTF8.self)
    }

    /// Removes the store of a folder, also a damaged one; errors are ignored.
    static func remove(from folder: FilePathBytes) {
        for ending in ["", "-journal", "-wal", "-shm"] {
            try? Folder.open(folder).remove(Array((name + ending).utf8))
        }
    }

    /// Turns errors of SQLite into `LibraryError`, without the statement: that is of no use to a person.
    private static func told<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as DatabaseError {
            if error.resultCode == .SQLITE_BUSY { throw LibraryError.busy }
            if [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
                throw LibraryError.stateUnusable(.damaged)
            }
            throw LibraryError.stateUnusable(.sqlite(error.resultCode.rawValue, error.message))
        } catch is FormatError {
            throw LibraryError.stateUnusable(.damaged)
        }
    }

    /// Runs `body` in one transaction: everything in it is stored, or nothing if it throws.
    package func write<Result>(_ body: (Transaction) throws -> Result) throws -> Result {
        try Self.told { try queue.write { try body(Transaction(database: $0)) } }
    }

    /// Runs `body` on one consistent state of the store.
    package func read<Result>(_ body: (Transaction) throws -> Result) throws -> Result {
        try Self.told { try queue.read { try body(Transaction(database: $0)) } }
    }

    /// The store within one transaction.
    package struct Transaction {
        /// For the queries of this module; what is above it sees no table.
        let database: Database

        // MARK: Folders

        /// The entries of every folder, still encoded: decoding waits until a folder is needed. The key nil is the
        /// place of the library folder itself.
        package func folders() throws -> [RelativePath?: [UInt8]] {
            var folders: [RelativePath?: [UInt8]] = [:]
            let rows = try Row.fetchCursor(database, sql: "SELECT path, entries FROM folder")
            while let row = try rows.next() {
                let path: Data = row[0]
                folders[path == folderOfRoot ? nil : RelativePath(trusted: Array(path))] = Array(row[1] as Data)
            }
            return folders
        }

        /// All projects of this folder. Decodes every entry.
        package func projects() throws -> Set<ProjectID> {
            Set(try folders().values.flatMap { try $0.entries().map(\.project) })
        }

        /// The entries of one folder, empty if none are remembered; nil is the place of the library folder itself.
        package func entries(of path: RelativePath?) throws -> [ScanEntry] {
            let statement = try database.cachedStatement(sql: "SELECT entries FROM folder WHERE path = ?")
            let data = try Data.fetchOne(statement, arguments: [path?.column ?? folderOfRoot])
            return try data.map { try Array($0).entries() } ?? []
        }

        /// Replaces the entries of one folder; nil is the place of the library folder itself.
        package func setFolder(_ path: RelativePath?, _ entries: [ScanEntry]) throws {
            let key = path?.column ?? folderOfRoot
            if entries.isEmpty {
                try database.execute(sql: "DELETE FROM folder WHERE path = ?", arguments: [key])
                return
            }
            var writer = ByteWriter()
            for entry in entries { writer.entry(entry) }
            try database.cachedStatement(sql: "INSERT OR REPLACE INTO folder VALUES (?, ?)")
                .execute(arguments: [key, Data(writer.bytes)])
        }

        // MARK: Bundles

        /// The members of a bundle as they were stored; nil if none are remembered.
        package func members(of project: ProjectID) throws -> [MemberEntry]? {
            let statement = try database.cachedStatement(sql: "SELECT members FROM bundle WHERE project = ?")
            guard let data = try Data.fetchOne(statement, arguments: [project.column]) else { return nil }
            var reader = ByteReader(Array(data))
            var members: [MemberEntry] = []
            while !reader.isAtEnd { members.append(try reader.memberEntry()) }
            return members
        }

        /// Replaces the members of a bundle, and its key.
        package func setMembers(_ members: [MemberEntry], of project: ProjectID) throws {
            var writer = ByteWriter()
            for member in members { writer.memberEntry(member) }
            try database.execute(
                sql: "INSERT OR REPLACE INTO bundle VALUES (?, ?)", arguments: [project.column, Data(writer.bytes)])
            try setKey(of: members, project)
        }

        func setKey(of members: [MemberEntry], _ project: ProjectID) throws {
            try database.cachedStatement(sql: "INSERT OR REPLACE INTO bundle_key VALUES (?, ?)")
                .execute(arguments: [project.column, BundleKey(members).hash.column])
        }

        /// The key of every bundle, so that a scan need not read lists of members.
        package func bundleKeys() throws -> [ProjectID: BundleKey] {
            var keys: [ProjectID: BundleKey] = [:]
            let rows = try Row.fetchCursor(database, sql: "SELECT project, key FROM bundle_key")
            while let row = try rows.next() { keys[try row.versionID(0)] = BundleKey(try row.id16(1)) }
            return keys
        }

        /// Forgets the members of a bundle, and its key: the next backup reads it again.
        package func removeMembers(of project: ProjectID) throws {
            for table in ["bundle", "bundle_key"] {
                try database.execute(sql: "DELETE FROM \(table) WHERE project = ?", arguments: [project.column])
            }
        }

        // MARK: Commits that were read

        /// The commits that this device has read. `opened`: without those that it knows only from a checkpoint.
        package func seen(opened: Bool = false) throws -> Set<LogPosition> {
            var seen: Set<LogPosition> = []
            let sql = "SELECT device, generation, commit_id FROM seen" + (opened ? " WHERE summed IS NULL" : "")
            let rows = try Row.fetchCursor(database, sql: sql)
            while let row = try rows.next() { seen.insert(try row.position()) }
            return seen
        }

        /// The same with their sizes in bytes; nil where one is unknown.
        package func seenSizes() throws -> [LogPosition: Int?] {
            var seen: [LogPosition: Int?] = [:]
            let rows = try Row.fetchCursor(database, sql: "SELECT device, generation, commit_id, size FROM seen")
            while let row = try rows.next() { seen.updateValue(row[3], forKey: try row.position()) }
            return seen
        }

        /// The commits that no listing has shown since this device wrote them: those of unknown size.
        package func neverListed() throws -> [LogPosition] {
            let sql = "SELECT device, generation, commit_id FROM seen WHERE size IS NULL"
            return try Row.fetchAll(database, sql: sql).map { try $0.position() }
        }

        /// The entry of a commit in the log, if this device has read it and knows its size.
        package func entry(of commit: CommitID) throws -> LogEntry? {
            let row = try Row.fetchOne(
                database, sql: "SELECT device, generation, commit_id, size FROM seen WHERE commit_id = ?",
                arguments: [commit.column])
            guard let row, let size = row[3] as Int? else { return nil }
            return LogEntry(position: try row.position(), size: size)
        }

        /// Notes the sizes of commits that were read.
        package func setSizes(_ entries: some Sequence<LogEntry>) throws {
            let statement = try database.cachedStatement(
                sql: "UPDATE seen SET size = ? WHERE device = ? AND generation = ? AND commit_id = ?")
            for entry in entries { try statement.execute(arguments: [entry.size] + entry.position.columns) }
        }

        /// When this device wrote or first read each commit; without those of which it is unknown.
        package func timesSeen() throws -> [CommitID: Timestamp] {
            var times: [CommitID: Timestamp] = [:]
            let rows = try Row.fetchCursor(database, sql: "SELECT commit_id, time FROM seen WHERE time IS NOT NULL")
            while let row = try rows.next() { times[try row.commitID(0)] = Timestamp(milliseconds: row[1]) }
            return times
        }

        /// Adds commits; those that are known keep their time. `isSummed`: a checkpoint sums them up, and they were not
        /// opened.
        package func addSeen(
            _ marks: some Sequence<CommitMark>, at time: Timestamp, isSummed: Bool = false
        ) throws {
            let statement = try database.cachedStatement(
                sql: """
                    INSERT OR IGNORE INTO seen (device, generation, commit_id, time, summed, digest)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """)
            for mark in marks {
                try statement.execute(
                    arguments: mark.position.columns
                        + [time.milliseconds, isSummed ? 1 : nil, mark.digest.map(\.column)])
            }
        }

        /// The newest commits that this device has read or written: of each device those of its highest generation.
        package func tips() throws -> [CommitMark] {
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT device, generation, commit_id, digest FROM seen AS one
                    WHERE generation = (SELECT MAX(generation) FROM seen WHERE device = one.device)
                    """)
            var marks: [CommitMark] = []
            while let row = try rows.next() { marks.append(CommitMark(try row.position(), try row.digest(3))) }
            return marks.sorted()
        }

        // MARK: Another vault

        /// Forgets this device's id and everything about the vault. All of it is made or read anew.
        package func forgetVault() throws {
            try releaseSettings()
            for table in [
                "segment", "pack", "pack_claim", "pack_left", "seen", "unlinked", "revived", "folder", "bundle",
                "bundle_key", "verified", "words", "key_slot",
            ] {
                try database.execute(sql: "DELETE FROM \(table)")
            }
            try database.execute(sql: "UPDATE place SET mark = NULL")
            try forgetEventsOfVault()
            try forgetFactsOfVault()
        }

        /// Forgets which events stand in the vault. They stay, and are pushed with the next exchange.
        package func forgetEventsOfVault() throws {
            try database.execute(sql: "UPDATE event SET object = NULL WHERE object IS NOT NULL")
            try database.execute(sql: "DELETE FROM event_object; DELETE FROM event_replaced")
            try set(.eventCursor, to: nil)
            try set(.eventsListed, to: nil)
        }
    }
}

extension [UInt8] {
    /// The decoded entries of a folder. Throws `LibraryError.stateUnusable` with `.damaged`.
    package func entries() throws(LibraryError) -> [ScanEntry] {
        var reader = ByteReader(self)
        var entries: [ScanEntry] = []
        do {
            while !reader.isAtEnd { entries.append(try reader.entry()) }
        } catch {
            throw .stateUnusable(.damaged)
        }
        return entries
    }
}
