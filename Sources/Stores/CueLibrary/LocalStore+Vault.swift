package import CueBase
package import CueVault
import Foundation
import GRDB

/// A project of the vault whose newest version is not this device's base: one that it never had, or one that another device
/// has gone on with.
package struct UnlinkedProject: Sendable {
    package let project: ProjectID
    package let version: VersionID
    package let kind: ProjectKind
    package let fingerprint: UInt64
    /// As `fingerprint`, without times, modes and attributes.
    package let content: UInt64

    package init(project: ProjectID, version: VersionID, kind: ProjectKind, fingerprint: UInt64, content: UInt64) {
        (self.project, self.version, self.kind) = (project, version, kind)
        (self.fingerprint, self.content) = (fingerprint, content)
    }
}

/// A deleted project that a restore has put into the folder again: the next version goes on from its deletion.
package struct RevivedProject: Sendable {
    package let project: ProjectID
    package let deletion: VersionID
    package let kind: ProjectKind

    package init(project: ProjectID, deletion: VersionID, kind: ProjectKind) {
        (self.project, self.deletion, self.kind) = (project, deletion, kind)
    }
}

/// What this device knows of what the vault holds.
extension LocalStore.Transaction {
    // MARK: Projects of the vault that this folder does not have

    package func unlinked() throws -> [RelativePath: UnlinkedProject] {
        var projects: [RelativePath: UnlinkedProject] = [:]
        let rows = try Row.fetchCursor(database, sql: "SELECT * FROM unlinked")
        while let row = try rows.next() {
            var reader = ByteReader(Array(row[1] as Data) + Array(row[2] as Data))
            guard let kind = ProjectKind(rawValue: row[3]) else { continue }
            projects[RelativePath(trusted: Array(row[0] as Data))] = UnlinkedProject(
                project: try reader.versionID(), version: try reader.versionID(), kind: kind,
                fingerprint: UInt64(bitPattern: row[4] as Int64), content: UInt64(bitPattern: row[5] as Int64))
        }
        return projects
    }

    package func setUnlinked(_ projects: [RelativePath: UnlinkedProject]) throws {
        try database.execute(sql: "DELETE FROM unlinked")
        let statement = try database.cachedStatement(sql: "INSERT INTO unlinked VALUES (?, ?, ?, ?, ?, ?)")
        for (path, project) in projects {
            try statement.execute(arguments: [
                Data(path.bytes), key(project.project), key(project.version), Int(project.kind.rawValue),
                Int64(bitPattern: project.fingerprint), Int64(bitPattern: project.content),
            ])
        }
    }

    package func removeUnlinked(_ path: RelativePath) throws {
        try database.execute(sql: "DELETE FROM unlinked WHERE path = ?", arguments: [Data(path.bytes)])
    }

    // MARK: Deleted documents that a restore brought back

    /// By path, with the deletion that the next version comes after.
    package func revived() throws -> [RelativePath: RevivedProject] {
        var projects: [RelativePath: RevivedProject] = [:]
        let rows = try Row.fetchCursor(database, sql: "SELECT path, project, version, kind FROM revived")
        while let row = try rows.next() {
            var reader = ByteReader(Array(row[1] as Data) + Array(row[2] as Data))
            guard let kind = ProjectKind(rawValue: row[3]) else { continue }
            projects[RelativePath(trusted: Array(row[0] as Data))] = RevivedProject(
                project: try reader.versionID(), deletion: try reader.versionID(), kind: kind)
        }
        return projects
    }

    package func addRevived(_ projects: [RelativePath: RevivedProject]) throws {
        let statement = try database.cachedStatement(sql: "INSERT OR REPLACE INTO revived VALUES (?, ?, ?, ?)")
        for (path, project) in projects {
            try statement.execute(arguments: [
                Data(path.bytes), key(project.project), key(project.deletion), Int(project.kind.rawValue),
            ])
        }
    }

    package func removeRevived(_ path: RelativePath) throws {
        try database.execute(sql: "DELETE FROM revived WHERE path = ?", arguments: [Data(path.bytes)])
    }

    // MARK: Known chunks

    /// The packs that hold what `knownChunks` and `claims` name, with their sizes.
    package func packs() throws -> [PackID: Int] {
        var packs: [PackID: Int] = [:]
        let rows = try Row.fetchCursor(database, sql: "SELECT id, size FROM pack")
        while let row = try rows.next() {
            var reader = ByteReader(Array(row[0] as Data))
            packs[try reader.id16()] = row[1]
        }
        return packs
    }

    package func addPacks(_ packs: some Sequence<(id: PackID, size: Int)>) throws {
        let statement = try database.cachedStatement(sql: "INSERT OR REPLACE INTO pack VALUES (?, ?)")
        for pack in packs {
            var writer = ByteWriter()
            writer.id(pack.id)
            try statement.execute(arguments: [Data(writer.bytes), pack.size])
        }
    }

    /// Forgets what the vault holds.
    package func removeChunks() throws {
        try database.execute(sql: "DELETE FROM segment; DELETE FROM pack; DELETE FROM pack_claim")
    }

    /// Adds ids to what the vault is known to hold, as this device wrote it or compared it, in rows of a bounded size. Many small rows
    /// become few.
    package func addChunks(_ ids: some Sequence<ChunkID>) throws {
        var row = ByteWriter()
        for id in ids {
            row.id(id)
            if row.count == Self.rowOfIDs { try addRow(&row) }
        }
        if row.count > 0 { try addRow(&row) }
        try mergeSmallRows()
    }

    private static let rowOfIDs = 32 * 16_384

    private func addRow(_ row: inout ByteWriter) throws {
        try database.execute(
            sql: "INSERT INTO segment (count, ids) VALUES (?, ?)", arguments: [row.count / 32, Data(row.bytes)])
        row = ByteWriter()
    }

    private func mergeSmallRows() throws {
        let small = try Row.fetchAll(database, sql: "SELECT id, count FROM segment WHERE count < 8192")
        guard small.count > 64 else { return }
        var row = ByteWriter()
        for found in small {
            let id: Int64 = found[0]
            row.raw(
                try Data.fetchOne(database, sql: "SELECT ids FROM segment WHERE id = ?", arguments: [id]) ?? Data())
            try database.execute(sql: "DELETE FROM segment WHERE id = ?", arguments: [id])
            if row.count >= Self.rowOfIDs { try addRow(&row) }
        }
        if row.count > 0 { try addRow(&row) }
    }

    package func knownChunks() throws -> KnownChunks {
        let count = try Int.fetchOne(database, sql: "SELECT SUM(count) FROM segment") ?? 0
        var known = KnownChunks(expecting: count)
        let rows = try Data.fetchCursor(database, sql: "SELECT ids FROM segment")
        while let row = try rows.next() {
            var reader = ByteReader(Array(row))
            while !reader.isAtEnd { known.insert(try reader.chunkID()) }
        }
        return known
    }

    // MARK: Packs that were read back

    /// When each pack was last read back and found right, in Unix milliseconds.
    package func verified() throws -> [PackID: Int64] {
        var times: [PackID: Int64] = [:]
        let rows = try Row.fetchCursor(database, sql: "SELECT pack, time FROM verified")
        while let row = try rows.next() {
            var reader = ByteReader(Array(row[0] as Data))
            times[try reader.id16()] = row[1]
        }
        return times
    }

    package func addVerified(_ packs: [PackID], at time: Int64) throws {
        let statement = try database.cachedStatement(sql: "INSERT OR REPLACE INTO verified VALUES (?, ?)")
        for pack in packs {
            var writer = ByteWriter()
            writer.id(pack)
            try statement.execute(arguments: [Data(writer.bytes), time])
        }
    }
}
