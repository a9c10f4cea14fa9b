import CueBase
import CueSodium

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// How many guesses a passphrase that a person chose may withstand, as far as can be told without knowing the person.
///
/// The passphrase is taken apart into words, dates, rows of keys, repetitions and single characters, in the way that is
/// cheapest to guess. A guesser who knows the person, or the book that a sentence is from, needs less.
package struct PassphraseEstimate: Sendable {
    /// The guesses, as a power of two.
    package let bits: Double

    /// Six words of `RandomWords` have 77. Half of 2^50 guesses take about two thousand years at `guessesASecond`.
    package var isWeak: Bool { bits < 50 }

    /// The seconds after which half of all guesses are made.
    package var seconds: Double { exp2(bits - 1) / Self.guessesASecond }

    // Argon2id of `KeyDerivation.standard` writes and reads 256 MiB three times. A card that moves 1 TB a second makes
    // at most 600 guesses in it, and sixteen of them are rented for the price of a good dinner a day.
    private static let guessesASecond = 10_000.0

    /// Estimates the first 128 bytes of `passphrase`. Leaves no copy of it.
    package init(of passphrase: [UInt8]) {
        var pieces = Pieces(of: passphrase.prefix(128))
        defer { pieces.wipeAll() }
        bits = pieces.cheapest()
    }
}

/// A passphrase, and what its parts cost to guess, in bits.
private struct Pieces {
    private static let common = Set(CommonWords.words)
    private static let listed = Set(WordList.words)
    private static let rows = [
        "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop", "1234567890",
    ]
    .flatMap { [Array($0.utf8)[...], Array($0.utf8.reversed())[...]] }

    private var bytes: [UInt8]
    /// In small letters, with digits and signs as the letters that they stand for.
    private var plain: [UInt8]
    private var small: [UInt8]

    init(of passphrase: ArraySlice<UInt8>) {
        bytes = Array(passphrase)
        small = bytes.map { (0x41...0x5a).contains($0) ? $0 + 0x20 : $0 }
        plain = small.map(Self.letter)
    }

    mutating func wipeAll() {
        wipe(&bytes)
        wipe(&plain)
        wipe(&small)
    }

    /// The least that any way of taking the passphrase apart costs.
    func cheapest() -> Double {
        var cost = [0.0]
        for end in 1..<(bytes.count + 1) {
            var least = cost[end - 1] + single(at: end - 1)
            for start in 0..<max(0, end - 1) {
                if let piece = self.piece(start..<end) { least = min(least, cost[start] + piece) }
            }
            cost.append(least)
        }
        return cost[bytes.count]
    }

    private func single(at index: Int) -> Double {
        switch bytes[index] {
        case 0x61...0x7a, 0x80...: 4.7
        case 0x41...0x5a: 5.7
        case 0x30...0x39: 3.3
        // A guess of the first sign between two words is one of all others.
        case let sign: bytes[..<index].contains(sign) ? 0 : sign == 0x20 ? 2 : 5
        }
    }

    /// The cost of a part as one thing; nil if it is none that is guessed as a whole.
    private func piece(_ range: Range<Int>) -> Double? {
        [word(range), invented(range), number(range), row(range), repetition(range)].compactMap { $0 }.min()
    }

    private func word(_ range: Range<Int>) -> Double? {
        for (text, disguise) in [(small, 0.0), (plain, 1.5)] {
            if Self.common.contains(text[range]) { return 10 + disguise + capitals(range) }
            if Self.listed.contains(text[range]) { return 12.9 + disguise + capitals(range) }
        }
        return nil
    }

    /// Words that are in no list here, of any language: letters that can be spoken.
    private func invented(_ range: Range<Int>) -> Double? {
        guard range.count >= 3, isRun(range, of: Self.isLetter), capitals(range) < 3 else { return nil }
        let vowels = small[range].count(where: Self.isVowel)
        var (run, longest) = (0, 0)
        for letter in small[range] {
            run = Self.isVowel(letter) ? 0 : run + 1
            longest = max(longest, run)
        }
        guard longest <= 5, vowels * 5 >= range.count, vowels * 3 <= range.count * 2 else { return nil }
        return Double(min(13, 8 + range.count) + min(7, max(0, range.count - 6))) + capitals(range)
    }

    /// A year, or a day in six or eight digits.
    private func number(_ range: Range<Int>) -> Double? {
        guard isRun(range, of: Self.isDigit) else { return nil }
        let begins = small[range].prefix(2)
        switch range.count {
        case 4 where begins.elementsEqual("19".utf8) || begins.elementsEqual("20".utf8): return 7
        case 6, 8: return 15
        default: return nil
        }
    }

    /// Neighbours on the keyboard, in the alphabet or among the digits, in either direction.
    private func row(_ range: Range<Int>) -> Double? {
        guard range.count >= 3 else { return nil }
        let part = small[range]
        let steps = zip(part, part.dropFirst()).map { Int($1) - Int($0) }
        let isRow = Self.rows.contains { Self.contains($0, part) }
        guard isRow || (abs(steps[0]) == 1 && steps.allSatisfy { $0 == steps[0] }) else { return nil }
        return 6 + log2(Double(range.count)) + capitals(range)
    }

    /// What stood before, once more; or one character several times.
    private func repetition(_ range: Range<Int>) -> Double? {
        let part = small[range]
        if range.count >= 3, part.allSatisfy({ $0 == part.first }) {
            return single(at: range.lowerBound) + log2(Double(range.count))
        }
        guard range.count >= 3, Self.contains(small[..<range.lowerBound], part) else { return nil }
        return 3
    }

    /// Whether the part has nothing but such bytes, and none stands next to it.
    private func isRun(_ range: Range<Int>, of kind: (UInt8) -> Bool) -> Bool {
        small[range].allSatisfy(kind) && !small[..<range.lowerBound].suffix(1).contains(where: kind)
            && !small[range.upperBound...].prefix(1).contains(where: kind)
    }

    private func capitals(_ range: Range<Int>) -> Double {
        let count = bytes[range].count { (0x41...0x5a).contains($0) }
        if count == 0 { return 0 }
        let isUsual = count == range.count || (count == 1 && (0x41...0x5a).contains(bytes[range.lowerBound]))
        return isUsual ? 1 : 3
    }

    // Works on slices: a copy of the passphrase would not be wiped.
    private static func contains(_ whole: ArraySlice<UInt8>, _ part: ArraySlice<UInt8>) -> Bool {
        guard whole.count >= part.count else { return false }
        let starts = whole.startIndex...(whole.endIndex - part.count)
        return starts.contains { whole[$0..<$0 + part.count].elementsEqual(part) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte) || byte >= 0x80 }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isVowel(_ byte: UInt8) -> Bool { "aeiouy".utf8.contains(byte) || byte >= 0x80 }

    private static func letter(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "0"): UInt8(ascii: "o")
        case UInt8(ascii: "1"), UInt8(ascii: "!"): UInt8(ascii: "i")
        case UInt8(ascii: "3"): UInt8(ascii: "e")
        case UInt8(ascii: "4"), UInt8(ascii: "@"): UInt8(ascii: "a")
        case UInt8(ascii: "5"), UInt8(ascii: "$"): UInt8(ascii: "s")
        case UInt8(ascii: "7"): UInt8(ascii: "t")
        default: byte
        }
    }
}
