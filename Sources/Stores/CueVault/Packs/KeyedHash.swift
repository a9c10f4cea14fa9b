import CueBase

/// A hash of chunk ids under a random key: a hostile record could otherwise choose ids that meet in one slot of a table,
/// at quadratic cost. It takes a fifth of the instructions of `Hasher`, which is made for keys of any length.
///
/// Multiply-shift of vectors (Thorup, "High Speed Hashing for Integers and Strings", section 3): 64 bits of
/// a0 + a1·x1 + … + a4·x4 modulo 2¹²⁸. Whoever does not know the key finds no two ids that meet more often than chance.
struct KeyedHash: Sendable {
    private typealias Word = (high: UInt64, low: UInt64)
    private let keys: (Word, Word, Word, Word, Word)

    /// The one that all tables of this process share.
    static let process = KeyedHash()

    private init() {
        func word() -> Word { (.random(in: 0 ... .max), .random(in: 0 ... .max)) }
        keys = (word(), word(), word(), word(), word())
    }

    /// The hash of an id, of which the highest bits are the best.
    func callAsFunction(_ id: ChunkID) -> UInt64 {
        var sum = keys.0
        Self.add(id.a, times: keys.1, to: &sum)
        Self.add(id.b, times: keys.2, to: &sum)
        Self.add(id.c, times: keys.3, to: &sum)
        Self.add(id.d, times: keys.4, to: &sum)
        // Ids in a row would fill the table in a row, and linear probing suffers from that.
        return (sum.high ^ sum.high >> 32) &* 0x9E37_79B9_7F4A_7C15
    }

    private static func add(_ value: UInt64, times key: Word, to sum: inout Word) {
        let product = value.multipliedFullWidth(by: key.low)
        let (low, isOver) = sum.low.addingReportingOverflow(product.low)
        sum.low = low
        sum.high &+= product.high &+ value &* key.high &+ (isOver ? 1 : 0)
    }
}
