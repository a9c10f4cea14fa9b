import CueBase

/// How much an object of records may open to (docs/format.md §10): some hundred bytes that open to gibibytes are no writer's.
struct RecordBudget {
    /// What a reader keeps for a thing beside its bytes.
    static let thing = 256
    /// What any object may weigh, and by how much larger ones may weigh more than they are long.
    private static let least = 32 << 20
    private static let share = 256
    /// The same for chunks that runs name by number: a few bytes name thousands.
    private static let leastChunks = 1 << 21
    private static let chunkShare = 64

    /// Of the frames so far, as they are stored: zeros behind them buy nothing.
    private var size = 0
    private var weight = 0
    private var chunks = 0

    /// What objects of a log hold beyond their share, added up.
    struct Excess {
        private static let weightAtMost = 64 << 20
        private static let chunksAtMost = 1 << 21

        private var weight = 0
        private var chunks = 0

        init() {}
        fileprivate init(weight: Int, chunks: Int) { (self.weight, self.chunks) = (weight, chunks) }

        /// False where it would be more than a reader takes: then it is not added, and what needs less may follow.
        mutating func add(_ other: Excess) -> Bool {
            let sum = Excess(
                weight: weight.saturatingAdding(other.weight), chunks: chunks.saturatingAdding(other.chunks))
            guard sum.weight <= Self.weightAtMost, sum.chunks <= Self.chunksAtMost else { return false }
            self = sum
            return true
        }
    }

    private static func most(_ size: Int) -> Int { max(least, size.saturatingMultiplied(by: share)) }

    /// Whether records of this weight may stand in so many bytes.
    static func allows(_ weight: Int, in size: Int) -> Bool { weight <= most(size) }

    /// What it holds beyond its share.
    var excess: Excess {
        Excess(
            weight: max(0, weight - size.saturatingMultiplied(by: Self.share)),
            chunks: max(0, chunks - size.saturatingMultiplied(by: Self.chunkShare)))
    }

    /// A frame of `raw` bytes, for which `stored` stand in the object.
    mutating func add(frame raw: Int, stored: Int) throws(FormatError) {
        size = size.saturatingAdding(stored)
        try add(raw, 0)
    }

    /// Things, and chunks that they name by number.
    mutating func add(things: Int, chunks: Int = 0) throws(FormatError) {
        try add(things.saturatingMultiplied(by: Self.thing), chunks)
    }

    private mutating func add(_ more: Int, _ moreChunks: Int) throws(FormatError) {
        weight = weight.saturatingAdding(more)
        chunks = chunks.saturatingAdding(moreChunks)
        guard weight <= Self.most(size), chunks <= max(Self.leastChunks, size.saturatingMultiplied(by: Self.chunkShare))
        else { throw .invalid(.overBudget) }
    }
}
