import CueBase

/// The eight bytes that say which epoch's key sealed an object; they follow from the key (docs/format.md §3).
package struct EpochID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The eight bytes as a big-endian number.
    package let value: UInt64

    /// The id of this number.
    package init(_ value: UInt64) { self.value = value }

    /// The first eight of some bytes; nil if there are fewer.
    package init?(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes.prefix(8))
        guard bytes.count == 8 else { return nil }
        value = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The eight bytes.
    package var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) } }
    /// The 16 lower-case hexadecimal digits.
    package var description: String { value.hexadecimal }
    /// The order of the bytes.
    package static func < (x: EpochID, y: EpochID) -> Bool { x.value < y.value }
}

/// The random eight bytes of a key slot's name.
package struct SlotID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The eight bytes as a big-endian number.
    package let value: UInt64

    /// The id of this number.
    package init(_ value: UInt64) { self.value = value }

    /// Reads the whole name of a slot's object, `keys/` and 16 lower-case hexadecimal digits; nil for anything else.
    package init?(name: [UInt8]) {
        guard name.starts(with: Self.folder), let id = CommitID(String(decoding: name.dropFirst(5), as: UTF8.self))
        else { return nil }
        value = id.value
    }

    /// The whole name of the slot's object.
    package var name: [UInt8] { Self.folder + description.utf8 }
    private static let folder = Array("keys/".utf8)

    /// The 16 lower-case hexadecimal digits.
    package var description: String { value.hexadecimal }
    /// The order of the bytes.
    package static func < (x: SlotID, y: SlotID) -> Bool { x.value < y.value }
}
