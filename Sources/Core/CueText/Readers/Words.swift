/// Counts words as writers do.
package enum Words {
    /// The number of pieces between white space.
    package static func count(in text: String) -> Int {
        let bytes = Array(text.utf8)
        return count(in: bytes.span, 0..<bytes.count)
    }

    /// The same for a range of UTF-8. White space has that property in Unicode, and includes no-break spaces.
    static func count(in bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var (count, isInWord, position) = (0, false, range.lowerBound)
        while position < range.upperBound {
            let space = spaceLength(at: position, in: bytes)
            if space == 0 && !isInWord { count += 1 }
            isInWord = space == 0
            position += max(1, space)
        }
        return count
    }

    /// The bytes of the white space character at a position; 0 if there is none.
    static func spaceLength(at position: Int, in bytes: Span<UInt8>) -> Int {
        let first = bytes[position]
        if first < 0x80 { return first == 0x20 || (0x09...0x0d).contains(first) ? 1 : 0 }
        guard first == 0xc2 || (0xe1...0xe3).contains(first), position + 1 < bytes.count else { return 0 }
        let second = bytes[position + 1]
        if first == 0xc2 { return second == 0x85 || second == 0xa0 ? 2 : 0 }
        guard position + 2 < bytes.count else { return 0 }
        switch (first, second, bytes[position + 2]) {
        case (0xe1, 0x9a, 0x80), (0xe2, 0x80, 0x80...0x8a), (0xe2, 0x80, 0xa8...0xa9), (0xe2, 0x80, 0xaf),
            (0xe2, 0x81, 0x9f), (0xe3, 0x80, 0x80):
            return 3
        default: return 0
        }
    }
}
