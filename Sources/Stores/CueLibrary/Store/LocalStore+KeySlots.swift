package import CueBase
import Foundation
import GRDB

/// A key slot of the vault as this device knows it.
package struct KnownSlot: Sendable, Equatable {
    /// How far this device trusts a slot. The numbers are stored.
    package enum Standing: Int, Sendable {
        /// Of an earlier cue.
        case unproven
        /// The vault lists it, and its bytes were not there yet as they should be.
        case trusted
        /// It was there as the vault lists it.
        case whole
        /// Another device removed it from the vault's slots.
        case replaced
        /// This device removed it.
        case removed
    }

    /// The object's name in the vault, with its folder.
    package let name: String
    /// `KeySlot.Kind` as a number.
    package let kind: UInt8
    /// How far this device trusts it.
    package var standing: Standing
    /// The number of its bytes.
    package var length: Int
    /// The hash of its bytes, as the vault lists it.
    package var mark: [UInt8]
    /// The slot itself. Kept only if it is whole and this device may remember the key.
    package var bytes: [UInt8]?
    /// When this device first saw it.
    package let noted: Timestamp
    /// The time of what is never deleted, because the place of the vault forbids it.
    package static let never = Timestamp(milliseconds: .max)

    /// When it was first found missing, or removed and not deleted yet; else nil.
    package var missing: Timestamp?

    /// Memberwise.
    package init(
        name: String, kind: UInt8, standing: Standing, length: Int, mark: [UInt8], bytes: [UInt8]?, noted: Timestamp,
        missing: Timestamp? = nil
    ) {
        (self.name, self.kind, self.standing, self.length) = (name, kind, standing, length)
        (self.mark, self.bytes, self.noted, self.missing) = (mark, bytes, noted, missing)
    }

    /// Whether the vault should not have it any more.
    package var isGone: Bool { standing == .replaced || standing == .removed }
}

extension LocalStore.Transaction {
    /// The key slots that this device knows, in the order in which it came to know them.
    package func knownSlots() throws -> [KnownSlot] {
        try Row.fetchAll(
            database, sql: "SELECT name, kind, standing, length, mark, bytes, noted, missing FROM key_slot ORDER BY id"
        ).compactMap { row in
            guard let standing = KnownSlot.Standing(rawValue: row[2]) else { return nil }
            return KnownSlot(
                name: row[0], kind: row[1], standing: standing, length: row[3], mark: Array(row[4] as Data),
                bytes: (row[5] as Data?).map { Array($0) }, noted: Timestamp(milliseconds: row[6]),
                missing: (row[7] as Int64?).map(Timestamp.init(milliseconds:)))
        }
    }

    /// Adds slots behind all others, and updates those that are known by name.
    package func setKnownSlots(_ slots: [KnownSlot]) throws {
        for slot in slots {
            try database.execute(
                sql: """
                    INSERT INTO key_slot (name, kind, standing, length, mark, bytes, noted, missing)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT (name) DO UPDATE SET standing = excluded.standing, length = excluded.length,
                        mark = excluded.mark, bytes = excluded.bytes, missing = excluded.missing
                    """,
                arguments: [
                    slot.name, slot.kind, slot.standing.rawValue, slot.length, Data(slot.mark),
                    slot.bytes.map { Data($0) }, slot.noted.milliseconds, slot.missing?.milliseconds,
                ])
        }
    }
}
