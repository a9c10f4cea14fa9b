/// The sizes of an object that an epoch's key sealed: the epoch's id and a message (docs/format.md §3), in bytes.
package enum SealedObject {
    /// The epoch id.
    package static let prefix = 8
    /// What stands before the chunks.
    package static let header = prefix + Cobblestone.header

    /// The size of the object that holds `count` bytes.
    package static func size(_ count: Int) -> Int { prefix + Cobblestone.sealedSize(count) }

    /// The number of bytes that an object of `size` bytes holds; nil if no object has that size.
    package static func plainSize(_ size: Int) -> Int? { Cobblestone.plainSize(size - prefix) }

    /// The range of an object of `size` bytes that holds a range of its plaintext; always whole chunks, and empty if the
    /// object ends before them.
    package static func sealedRange(of plain: Range<Int>, size: Int) -> Range<Int> {
        let range = Cobblestone.sealedRange(of: plain, size: size - prefix)
        return range.lowerBound + prefix..<range.upperBound + prefix
    }
}
