package import CueBase
package import CueVault
import Foundation
import GRDB

/// A project whose newest version in the vault is not this device's base: the device never had it, or another device
/// has gone on with it.
package struct UnlinkedProject: Sendable {
    /// Its id in the vault.
    package let project: ProjectID
    /// Its newest version in the vault.
    package let version: VersionID
    /// The kind of that version.
    package let kind: ProjectKind
    /// The keyed hash of the members of that version, as in `ScanEntry`.
    package let fingerprint: UInt64
    /// Like `fingerprint`, without times, modes and attributes.
    package let content: UInt64

    /// Memberwise.
    package init(project: ProjectID, version: VersionID, kind: ProjectKind, fingerprint: UInt64, content: UInt64) {
        (self.project, self.version, self.kind) = (project, version, kind)
        (self.fingerprint, self.content) = (fingerprint, content)
    }
}

/// A deleted project that a restore has brought back into the folder. Its next version continues from the deletion.
package struct RevivedProject: Sendable {
    /// Its id in the vault.
    package let project: ProjectID
    /// The tombstone that is the parent of the next version.
    package let deletion: VersionID
    /// As it was restored.
    package let kind: ProjectKind

    /// Memberwise.
    package init(project: ProjectID, deletion: VersionID, kind: ProjectKind) {
        (self.project, self.deletion, self.kind) = (project, deletion, kind)
    }
}

/// This device's knowledge of the vault's content.
extension LocalStore.Transaction {
    // MARK: Projects of the vault that this folder does not have

    /// By path in the vault. A row of an unknown kind is left out.
    package func unlinked() throws -> [RelativePath: UnlinkedProject] {
        var projects: [RelativePath: UnlinkedProject] = [:]
        let rows = try Row.fetchCursor(database, sql: "SELECT * FROM unlinked")
        while let row = try rows.next() {
            guard let kind = ProjectKind(rawValue: row[3]) else { continue }
            projects[row.path(0)] = UnlinkedProject(
                project: try row.versionID(1), version: try row.versionID(2), kind: kind, fingerprint: row.unsigned(4),
                content: row.unsigned(5))
        }
        return projects
    }

    /// Replaces all of them.
    package func setUnlinked(_ projects: [RelativePath: UnlinkedProject]) throws {
        try database.execute(sql: "DELETE FROM unlinked")
        let statement = try database.cachedStatement(sql: "INSERT INTO unlinked VALUES (?, ?, ?, ?, ?, ?)")
        for (path, project) in projects {
            try statement.execute(arguments: [
                path.column, project.project.column, project.version.column, Int(project.kind.rawValue),
                project.fingerprint.column, project.content.column,
            ])
        }
    }

    /// Forgets the one at a path.
    package func removeUnlinked(_ path: RelativePath) throws {
        try database.execute(sql: "DELETE FROM unlinked WHERE path = ?", arguments: [path.column])
    }

    // MARK: Deleted documents that a restore brought back

    /// By path in the folder. A row of an unknown kind is left out.
    package func revived() throws -> [RelativePath: RevivedProject] {
        var projects: [RelativePath: RevivedProject] = [:]
        let rows = try Row.fetchCursor(database, sql: "SELECT path, project, version, kind FROM revived")
        while let row = try rows.next() {
            guard let kind = ProjectKind(rawValue: row[3]) else { continue }
            projects[row.path(0)] = RevivedProject(
                project: try row.versionID(1), deletion: try row.versionID(2), kind: kind)
        }
        return projects
    }

    /// Adds them, replacing those at the same path.
    package func addRevived(_ projects: [RelativePath: RevivedProject]) throws {
        let statement = try database.cachedStatement(sql: "INSERT OR REPLACE INTO revived VALUES (?, ?, ?, ?)")
        for (path, project) in projects {
            try statement.execute(arguments: [
                path.column, project.project.column, project.deletion.column, Int(project.kind.rawValue),
            ])
        }
    }

    /// Forgets the one at a path.
    package func removeRevived(_ path: RelativePath) throws {
        try database.execute(sql: "DELETE FROM revived WHERE path = ?", arguments: [path.column])
    }

    // MARK: Known chunks

    /// The packs of `knownChunks` and `claims`, with their sizes in bytes.
    package func packs() throws -> [PackID: Int] {
        var packs: [PackID: Int] = [:]
        let rows = try Row.fetchCursor(database, sql: "SELECT id, size FROM pack")
        while let row = try rows.next() { packs[try row.id16(0)] = row[1] }
        return packs
    }

    /// Adds packs with their sizes in bytes.
    package func addPacks(_ packs: some Sequence<(id: PackID, size: Int)>) throws {
        let statement = try database.cachedStatement(sql: "INSERT OR REPLACE INTO pack VALUES (?, ?)")
        for pack in packs { try statement.execute(arguments: [pack.id.column, pack.size]) }
    }

    /// Forgets all known chunks, their packs, the claims, and what files may be stored against.
    package func removeChunks() throws {
        try database.execute(
            sql: "DELETE FROM segment; DELETE FROM pack; DELETE FROM pack_claim; DELETE FROM file_bases")
    }

    /// Adds chunks that are in the vault: this device wrote or compared them. Rows have a bounded size, and many small
    /// rows become few.
    package func addChunks(_ ids: some Sequence<ChunkID>) throws {
        var row = ByteWriter()
        for id in ids {
            row.id(id)
            if row.count == Self.rowOfIDs { try addRow(&row) }
        }
        if row.count > 0 { try addRow(&row) }
        try mergeSmallRows()
    }

    /// The size of a full row in bytes: 16,384 ids.
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

    /// All known chunks. Costs about 48 bytes of memory each.
    package func knownChunks() throws -> KnownChunks {
        let count = try Int.fetchOne(database, sql: "SELECT SUM(count) FROM segment") ?? 0
        var known = KnownChunks(expecting: count)
        let rows = try Data.fetchCursor(database, sql: "SELECT ids FROM segment")
        while let row = try rows.next() {
            var reader = ByteReader(Array(row))
            while !reader.isAtEnd { known.insert(try reader.id32()) }
        }
        return known
    }

    // MARK: Packs that were read back

    /// When each pack was last read back and found right, in Unix milliseconds.
    package func verified() throws -> [PackID: Int64] {
        var times: [PackID: Int64] = [:]
        let rows = try Row.fetchCursor(database, sql: "SELECT pack, time FROM verified")
        while let row = try rows.next() { times[try row.id16(0)] = row[1] }
        return times
    }

    /// Notes packs that were read back and found right; `time` is in Unix milliseconds.
    package func addVerified(_ packs: [PackID], at time: Int64) throws {
        let statement = try database.cachedStatement(sql: "INSERT OR REPLACE INTO verified VALUES (?, ?)")
        for pack in packs { try statement.execute(arguments: [pack.column, time]) }
    }
}
