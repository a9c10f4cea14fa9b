import CueBase
import CueCrypto
import CueSodium
import CueTestSupport
import CueVault
import Testing

@Suite("Chunks")
struct ChunkerTests {
    private static func gear(_ seed: UInt64) -> [UInt64] { TestVault(seed: seed).vault.key.gear }

    private static func content(_ count: Int, seed: UInt64) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        return generator.bytes(count)
    }

    private static func lengths(_ bytes: [UInt8], _ chunker: Chunker) -> [Int] {
        var lengths: [Int] = []
        var at = 0
        while at < bytes.count {
            lengths.append(chunker.nextLength(in: bytes.span.extracting(at..<bytes.count)))
            at += lengths.last ?? 1
        }
        return lengths
    }

    /// The paper's loop (FastCDC, algorithm 2), as plainly as can be.
    private static func plainLengths(_ bytes: [UInt8], average: Int, gear: [UInt64]) -> [Int] {
        let bits = average.trailingZeroBitCount
        var lengths: [Int] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            var hash: UInt64 = 0
            var cut = min(rest.count, 4 * average)
            for (i, byte) in rest.enumerated() where i >= average / 4 && i < cut {
                hash = (hash << 1) &+ gear[Int(byte)]
                let zeros = i < average ? bits + 2 : bits - 2
                if hash.leadingZeroBitCount >= zeros {
                    cut = i + 1
                    break
                }
            }
            lengths.append(cut)
            rest = rest.dropFirst(cut)
        }
        return lengths
    }

    @Test("The borders are those of the plain loop", arguments: [64, 256, 1024], [1, 2, 3] as [UInt64])
    func sameAsPlain(_ average: Int, _ seed: UInt64) {
        let bytes = Self.content(100_000, seed: seed)
        let gear = Self.gear(seed)

        #expect(
            Self.lengths(bytes, Chunker(average: average, gear: gear))
                == Self.plainLengths(bytes, average: average, gear: gear), "seed \(seed)")
    }

    @Test(
        "Chunks joined are the content, none is too large, and only the last may be too small",
        arguments: 1...8 as ClosedRange<UInt64>)
    func bounds(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let chunker = Chunker(average: 1024, gear: Self.gear(seed))
        // Content that repeats itself finds no border, or one at every step.
        let bytes =
            generator.chance(30)
            ? [UInt8](repeating: UInt8(truncatingIfNeeded: generator.next()), count: generator.int(0...50_000))
            : generator.bytes(generator.int(0...50_000))

        let lengths = Self.lengths(bytes, chunker)

        #expect(lengths.reduce(0, +) == bytes.count)
        #expect(lengths.allSatisfy { (1...chunker.maximum).contains($0) })
        #expect(lengths.dropLast().allSatisfy { $0 > chunker.minimum })
    }

    @Test("Chunks are about as large as they should be")
    func averages() {
        let bytes = Self.content(500_000, seed: 9)

        let lengths = Self.lengths(bytes, Chunker(average: 1024, gear: Self.gear(9)))

        // Normalised chunking lies a little over the aim, as the least size is added to it.
        #expect((700...1_800).contains(bytes.count / lengths.count), "\(bytes.count / lengths.count)")
    }

    @Test("One inserted byte changes few chunks, wherever it is", arguments: 1...5 as ClosedRange<UInt64>)
    func insertion(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let chunker = Chunker(average: 1024, gear: Self.gear(seed))
        let before = generator.bytes(200_000)
        var after = before
        after.insert(7, at: generator.int(0...before.count))

        let (old, new) = (Self.chunks(before, chunker), Self.chunks(after, chunker))

        #expect(new.subtracting(old).count <= 8, "seed \(seed): \(new.subtracting(old).count) of \(new.count)")
        #expect(old.count > 100)
    }

    private static func chunks(_ bytes: [UInt8], _ chunker: Chunker) -> Set<ArraySlice<UInt8>> {
        var at = 0
        return Set(
            lengths(bytes, chunker).map { length in
                defer { at += length }
                return bytes[at..<at + length]
            })
    }

    @Test("The same key gives the same borders, and another key gives others")
    func keys() {
        let bytes = Self.content(100_000, seed: 3)
        let average = 1024

        let one = Self.lengths(bytes, Chunker(average: average, gear: Self.gear(1)))

        #expect(Self.lengths(bytes, Chunker(average: average, gear: Self.gear(1))) == one)
        #expect(Self.lengths(bytes, Chunker(average: average, gear: Self.gear(2))) != one)
    }

    @Test(
        "The size of a file tells how it is cut",
        arguments: [
            (0, nil), (64 << 10, nil), (64 << 10 + 1, 32 << 10), (16 << 20, 32 << 10), (16 << 20 + 1, 128 << 10),
            (256 << 20, 128 << 10), (256 << 20 + 1, 1 << 20), (.max, 1 << 20),
        ] as [(Int64, Int?)])
    func averages(_ size: Int64, _ average: Int?) {
        #expect(Chunker.average(forFileOf: size) == average)
    }
}
