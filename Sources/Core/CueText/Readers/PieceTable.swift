/// Gives equal pieces of a text equal numbers, so that all later comparisons are between numbers.
struct PieceTable {
    private var numbers: [UInt64: Int32] = [:]
    /// The first piece of each number.
    private var firsts: [Range<Int>] = []

    /// The count of numbers, which are all below it.
    var count: Int { firsts.count }

    mutating func number(of piece: Range<Int>, in bytes: Span<UInt8>) -> Int32 {
        let hash = Self.hash(piece, bytes)
        if let known = numbers[hash], Self.areEqual(firsts[Int(known)], piece, bytes) { return known }
        let new = Int32(firsts.count)
        firsts.append(piece)
        // Of two pieces with one hash, the later one gets a new number each time. The diff then shows a change too
        // many, never one too few.
        if numbers[hash] == nil { numbers[hash] = new }
        return new
    }

    /// The hash is seeded for each process, so that no one can write a text whose pieces all collide.
    private static func hash(_ piece: Range<Int>, _ bytes: Span<UInt8>) -> UInt64 {
        var hasher = Hasher()
        var (word, filled) = (UInt64(0), 0)
        for at in piece {
            word = word << 8 | UInt64(bytes[at])
            filled += 1
            if filled % 8 == 0 { hasher.combine(word) }
        }
        hasher.combine(word)
        hasher.combine(filled)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    private static func areEqual(_ x: Range<Int>, _ y: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        guard x.count == y.count else { return false }
        for at in 0..<x.count where bytes[x.lowerBound + at] != bytes[y.lowerBound + at] { return false }
        return true
    }
}
