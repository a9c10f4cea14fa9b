import CueBase

/// Blocks that stand in the object of their commit (docs/format.md §5): so a small save is one object.
package struct InlineBlocks: Sendable {
    /// The blocks in the order in which they stand.
    package private(set) var blocks: [BlockRecord] = []
    /// The blocks as they are stored, one after the other; at most `Limits.inline`.
    package private(set) var bytes: [UInt8] = []

    /// No blocks.
    package init() {}

    /// True if there are none.
    package var isEmpty: Bool { blocks.isEmpty }

    /// Adds a block, which is stored as `bytes`. Does nothing and returns false if they would be more than `room` bytes.
    mutating func add(_ block: BlockRecord, _ bytes: Span<UInt8>, room: Int) -> Bool {
        guard self.bytes.count + bytes.count <= room else { return false }
        blocks.append(block)
        self.bytes.append(bytes)
        return true
    }

    /// Adds all of `other`, or nothing.
    mutating func add(_ other: InlineBlocks) -> Bool {
        guard bytes.count + other.bytes.count <= Limits.inline else { return false }
        blocks += other.blocks
        bytes += other.bytes
        return true
    }
}
