/// Cuts content where the content itself says so, so that an insertion moves few borders.
///
/// FastCDC with normalised chunking (Xia et al., USENIX ATC 2016, §3), gear table keyed per vault.
package struct Chunker: Sendable {
    package let minimum: Int
    package let average: Int
    package let maximum: Int
    private let strict: UInt64
    private let loose: UInt64
    private let gear: [UInt64]

    /// `average` is a power of two; the least chunk is a quarter of it, the largest four times.
    package init(average: Int, gear: [UInt64]) {
        precondition(average.nonzeroBitCount == 1 && gear.count == 256)
        (self.average, minimum, maximum) = (average, average / 4, average * 4)
        let bits = average.trailingZeroBitCount
        // The highest bits: there every one of the last 64 bytes has had its say.
        strict = ~UInt64(0) << UInt64(64 - (bits + 2))
        loose = ~UInt64(0) << UInt64(64 - (bits - 2))
        self.gear = gear
    }

    /// The sizes for a file of `size` bytes (docs/format.md §9); nil when it stays whole.
    package static func average(forFileOf size: Int64) -> Int? {
        switch size {
        case ...wholeLimit: nil
        case ...(16 << 20): 32 << 10
        case ...(256 << 20): 128 << 10
        default: 1 << 20
        }
    }

    /// Files up to this size are one chunk.
    package static let wholeLimit: Int64 = 64 << 10
    /// Larger files are cut here first, so that several workers can take parts of one.
    package static let segment: Int64 = 64 << 20

    /// The length of the chunk at the front of `bytes`, which hold at least `maximum` bytes or all that is left.
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
