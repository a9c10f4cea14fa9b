/// Cuts content at borders that the content itself determines, so that an insertion moves few of them.
///
/// FastCDC with normalised chunking (Xia et al., USENIX ATC 2016, §3). The gear table is keyed for each vault
/// (docs/format.md §9).
package struct Chunker: Sendable {
    /// The least length of a chunk in bytes, but for the last of a file or segment: a quarter of the average.
    package let minimum: Int
    /// The length in bytes from which a border is easier to find.
    package let average: Int
    /// The most bytes of a chunk: four times the average.
    package let maximum: Int
    private let strict: UInt64
    private let loose: UInt64
    private let gear: [UInt64]

    /// `average` is in bytes and a power of two; `gear` has 256 words.
    package init(average: Int, gear: [UInt64]) {
        precondition(average.nonzeroBitCount == 1 && gear.count == 256)
        (self.average, minimum, maximum) = (average, average / 4, average * 4)
        let bits = average.trailingZeroBitCount
        // Test the highest bits: each of the last 64 bytes has an influence on them.
        strict = ~UInt64(0) << UInt64(64 - (bits + 2))
        loose = ~UInt64(0) << UInt64(64 - (bits - 2))
        self.gear = gear
    }

    /// The average length of chunks in bytes for a file of `size` bytes (docs/format.md §9); nil if the file is one
    /// chunk.
    package static func average(forFileOf size: Int64) -> Int? {
        switch size {
        case ...wholeLimit: nil
        case ...(16 << 20): 32 << 10
        case ...(256 << 20): 128 << 10
        default: 1 << 20
        }
    }

    /// The largest file that is one chunk, in bytes.
    package static let wholeLimit: Int64 = 64 << 10
    /// Files over this size in bytes are cut at every multiple of it first, so that several workers can share one.
    package static let segment: Int64 = 64 << 20

    /// The length in bytes of the chunk at the front of `bytes`, which must hold at least `maximum` bytes or all that
    /// is left.
    package func nextLength(in bytes: Span<UInt8>) -> Int {
        let end = min(bytes.count, maximum)
        if end <= minimum { return end }
        let gear = gear.span
        var hash: UInt64 = 0
        var i = minimum
        let normal = min(average, end)
        while i < normal {
            hash = hash &<< 1 &+ gear[Int(bytes[i])]
            i += 1
            if hash & strict == 0 { return i }
        }
        while i < end {
            hash = hash &<< 1 &+ gear[Int(bytes[i])]
            i += 1
            if hash & loose == 0 { return i }
        }
        return end
    }
}
