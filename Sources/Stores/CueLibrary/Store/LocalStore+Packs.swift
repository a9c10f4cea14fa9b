package import CueBase
package import CueVault
import Foundation
import GRDB

/// Packs whose records this device keeps itself, in addition to those in the vault's commits.
extension LocalStore.Transaction {
    // MARK: Claims: packs of other devices, of whose chunks this device has not compared all

    /// The claims as an index.
    package func claims() throws -> ChunkIndex { try index("pack_claim") }

    /// The ids alone.
    package func claimedPacks() throws -> Set<PackID> {
        let rows = try Row.fetchCursor(database, sql: "SELECT pack FROM pack_claim")
        var packs: Set<PackID> = []
        while let row = try rows.next() { packs.insert(try row.id16(0)) }
        return packs
    }

    /// Whether exactly this record is a claim.
    package func isClaim(_ pack: PackRecord) throws -> Bool {
        try record(of: pack.id, in: "pack_claim") == Data(pack.stored)
    }

    /// Replaces a claim of the same pack.
    package func addClaim(_ pack: PackRecord) throws { try add(pack, to: "pack_claim") }

    /// Forgets the claims of these packs.
    package func removeClaims(_ packs: some Sequence<PackID>) throws { try remove(packs, from: "pack_claim") }

    // MARK: Left packs: this device made them durable, and no commit names them yet

    /// The left packs as an index.
    package func leftPacks() throws -> ChunkIndex { try index("pack_left") }

    /// Whether exactly this record is of a left pack; nil if no left pack has its id.
    package func isLeft(_ pack: PackRecord) throws -> Bool? {
        try record(of: pack.id, in: "pack_left").map { $0 == Data(pack.stored) }
    }

    /// Replaces a left pack of the same id.
    package func addLeftPack(_ pack: PackRecord) throws { try add(pack, to: "pack_left") }

    /// Forgets these left packs.
    package func removeLeftPacks(_ packs: some Sequence<PackID>) throws { try remove(packs, from: "pack_left") }

    // MARK: Both

    /// Reads the records one by one, so that only the index is in memory.
    private func index(_ table: String) throws -> ChunkIndex {
        var index = ChunkIndex()
        let rows = try Data.fetchCursor(database, sql: "SELECT record FROM \(table)")
        while let row = try rows.next() {
            index.add(try PackRecord(stored: Array(row)))
        }
        index.prepare()
        return index
    }

    private func record(of pack: PackID, in table: String) throws -> Data? {
        let statement = try database.cachedStatement(sql: "SELECT record FROM \(table) WHERE pack = ?")
        return try Data.fetchOne(statement, arguments: [pack.column])
    }

    private func add(_ pack: PackRecord, to table: String) throws {
        try database.cachedStatement(sql: "INSERT OR REPLACE INTO \(table) VALUES (?, ?)")
            .execute(arguments: [pack.id.column, Data(pack.stored)])
    }

    private func remove(_ packs: some Sequence<PackID>, from table: String) throws {
        let statement = try database.cachedStatement(sql: "DELETE FROM \(table) WHERE pack = ?")
        for pack in packs { try statement.execute(arguments: [pack.column]) }
    }
}
