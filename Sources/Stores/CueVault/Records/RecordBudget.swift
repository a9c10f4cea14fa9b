import CueBase

/// A bound for what an object of records may open to (docs/format.md §10). No writer makes an object of a few hundred
/// bytes that opens to gibibytes.
struct RecordBudget {
    /// The weight of a device, a version or a member beside its bytes.
    static let thing = 256
    /// The weight that any object may have, in bytes.
    private static let least = 32 << 20
    /// Larger objects may weigh this many times the bytes of their frames.
    private static let share = 256
    /// The chunks that any object may name, each as often as it is named. A few bytes can name thousands.
    private static let leastChunks = 1 << 21
    /// Larger objects may name one chunk for this many bytes of their frames.
    private static let bytesOfChunk = 8

    /// The bytes of the frames so far, as they are stored. Zeros behind the frames do not count.
    private var size = 0
    private var weight = 0
    private var chunks = 0

    /// The sum of what objects of one log have beyond their share.
    struct Excess: Equatable {
        private static let weightAtMost = 64 << 20
        private static let chunksAtMost = 1 << 21

        private var weight = 0
        private var chunks = 0

        init() {}
        fileprivate init(weight: Int, chunks: Int) { (self.weight, self.chunks) = (weight, chunks) }

        /// Adds the excess of one object; false if the sum is more than a reader takes. Then nothing is added, and
        /// another object with less may still fit.
        mutating func add(_ other: Excess) -> Bool {
            let sum = Excess(
                weight: weight.saturatingAdding(other.weight), chunks: chunks.saturatingAdding(other.chunks))
            guard sum.weight <= Self.weightAtMost, sum.chunks <= Self.chunksAtMost else { return false }
            self = sum
            return true
        }
    }

    /// True if a writer may compress records to frames of `size` bytes that weigh so much and name so many chunks. What
    /// it adds later keeps within the budget too, if it is stored raw and names its chunks by id. So half of the least
    /// weight is left, and nothing is taken of the least number of chunks, as those of a whole log are added up.
    static func leavesRoom(weight: Int, chunks: Int, in size: Int) -> Bool {
        weight <= max(least / 2, size.saturatingMultiplied(by: share)) && chunks <= size / bytesOfChunk
    }

    /// The part beyond the share of its size.
    var excess: Excess {
        Excess(
            weight: max(0, weight - size.saturatingMultiplied(by: Self.share)),
            chunks: max(0, chunks - size / Self.bytesOfChunk))
    }

    /// Counts a frame of `raw` bytes that takes `stored` bytes in the object. Throws
    /// `FormatError.invalid(.overBudget)`.
    mutating func add(frame raw: Int, stored: Int) throws(FormatError) {
        size = size.saturatingAdding(stored)
        try add(raw, 0)
    }

    /// Counts devices, versions and members, and the chunks that they name. Throws
    /// `FormatError.invalid(.overBudget)`.
    mutating func add(things: Int, chunks: Int = 0) throws(FormatError) {
        try add(things.saturatingMultiplied(by: Self.thing), chunks)
    }

    private mutating func add(_ more: Int, _ moreChunks: Int) throws(FormatError) {
        weight = weight.saturatingAdding(more)
        chunks = chunks.saturatingAdding(moreChunks)
        guard weight <= max(Self.least, size.saturatingMultiplied(by: Self.share)),
            chunks <= max(Self.leastChunks, size / Self.bytesOfChunk)
        else { throw .invalid(.overBudget) }
    }
}
