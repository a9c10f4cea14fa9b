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
    /// By how much all objects of a log that weigh more than their share may do so together.
    static let together = 64 << 20

    private let size: Int
    private var weight = 0
    private var chunks = 0

    /// `size`: the length of the plaintext.
    init(size: Int) { self.size = size }

    private static func most(_ size: Int) -> Int { max(least, size.saturatingMultiplied(by: share)) }

    /// Whether records of this weight may stand in so many bytes.
    static func allows(_ weight: Int, in size: Int) -> Bool { weight <= most(size) }

    /// How many bytes the next frame may have.
    var left: Int { Self.most(size) - weight }

    /// What it weighs beyond its share.
    var excess: Int { max(0, weight - size.saturatingMultiplied(by: Self.share)) }

    mutating func add(bytes: Int) throws(FormatError) { try add(bytes, 0) }

    /// Things, and chunks that they name by number.
    mutating func add(things: Int, chunks: Int = 0) throws(FormatError) {
        try add(things.saturatingMultiplied(by: Self.thing), chunks)
    }

    private mutating func add(_ more: Int, _ moreChunks: Int) throws(FormatError) {
        weight = weight.saturatingAdding(more)
        chunks = chunks.saturatingAdding(moreChunks)
        guard weight <= Self.most(size), chunks <= max(Self.leastChunks, size.saturatingMultiplied(by: Self.chunkShare))
        else { throw .invalid("more than an object of its size can hold") }
    }
}
