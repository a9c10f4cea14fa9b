/// The 32 bytes of a hash, by which a chunk or a commit is known.
///
/// Four words rather than an array: a dictionary look-up costs no allocation.
public struct ID32: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The 32 bytes as big-endian words.
    public let a, b, c, d: UInt64

    /// The four big-endian words, first word first.
    @inlinable
    public init(a: UInt64, b: UInt64, c: UInt64, d: UInt64) {
        (self.a, self.b, self.c, self.d) = (a, b, c, d)
    }

    /// The order of the bytes.
    @inlinable
    public static func < (x: ID32, y: ID32) -> Bool {
        if x.a != y.a { return x.a < y.a }
        if x.b != y.b { return x.b < y.b }
        if x.c != y.c { return x.c < y.c }
        return x.d < y.d
    }

    /// Reads 64 lower-case hexadecimal digits; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 64 else { return nil }
        let words = [0, 16, 32, 48].compactMap { UInt64(hexadecimal: bytes[$0..<$0 + 16]) }
        guard words.count == 4 else { return nil }
        self.init(a: words[0], b: words[1], c: words[2], d: words[3])
    }

    /// The 64 lower-case hexadecimal digits.
    public var description: String { a.hexadecimal + b.hexadecimal + c.hexadecimal + d.hexadecimal }

    /// Hashes all words: the ids of a hostile vault may agree in any part.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(a)
        hasher.combine(b)
        hasher.combine(c)
        hasher.combine(d)
    }
}

/// The name of a chunk: the keyed BLAKE2b-256 of its content (docs/format.md §5).
public typealias ChunkID = ID32
/// The digest of a commit: of its name and its records (docs/format.md §12).
public typealias CommitDigest = ID32

/// Sixteen bytes: the id of a vault, a device, a library or a pack.
public struct ID16: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The two halves, big-endian.
    public let high, low: UInt64

    /// The two big-endian halves.
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// Makes a new id from 128 random bits.
    public static func random(using generator: inout some RandomNumberGenerator) -> ID16 {
        ID16(high: generator.next(), low: generator.next())
    }

    /// Reads 32 lower-case hexadecimal digits; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 32, let high = UInt64(hexadecimal: bytes[..<16]),
            let low = UInt64(hexadecimal: bytes[16...])
        else { return nil }
        self.init(high: high, low: low)
    }

    /// The 32 lower-case hexadecimal digits.
    public var description: String { high.hexadecimal + low.hexadecimal }

    /// The order of the bytes.
    public static func < (x: ID16, y: ID16) -> Bool { (x.high, x.low) < (y.high, y.low) }
}

/// The id of a vault, as in `vault.json`.
public typealias VaultID = ID16
/// The id of a device, as in the names of its log. It follows from the key with which the device signs.
public typealias DeviceID = ID16
/// The id of a pack, as in its name.
public typealias PackID = ID16
/// The id of a library on one device, as in its marker.
public typealias LibraryID = ID16

/// The random eight bytes of a commit's name.
///
/// For a commit that completes a snapshot, this is also the id of the snapshot.
public struct CommitID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The eight bytes as a big-endian number.
    public let value: UInt64

    /// The id of this number.
    public init(_ value: UInt64) { self.value = value }

    /// Stands for "no commit before this one" (docs/format.md §6).
    public static let none = CommitID(0)

    /// Reads 16 lower-case hexadecimal digits; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 16, let value = UInt64(hexadecimal: bytes[...]) else { return nil }
        self.init(value)
    }

    /// The 16 lower-case hexadecimal digits.
    public var description: String { value.hexadecimal }

    /// The first eight digits, which people see and type.
    public var short: String { String(description.prefix(8)) }

    /// The order of the bytes.
    public static func < (x: CommitID, y: CommitID) -> Bool { x.value < y.value }
}

/// The id of one version: the commit that brought it, and its number in that commit.
///
/// The id of a project is that of its first version.
public struct VersionID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The commit that holds the version record.
    public let commit: CommitID
    /// The number of the version record in its commit, from 0.
    public let number: UInt32

    /// The version record `number` of `commit`.
    public init(commit: CommitID, number: UInt32) { (self.commit, self.number) = (commit, number) }

    /// Reads the form of `description`; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let commit = CommitID(parts[0]), let number = UInt32(parts[1]) else { return nil }
        self.init(commit: commit, number: number)
    }

    /// Sixteen digits, a hyphen, and the number: `7f3a91c200112233-14`.
    public var description: String { "\(commit)-\(number)" }

    /// The form that people see and type: `7f3a91c2-14`.
    public var short: String { "\(commit.short)-\(number)" }

    /// By commit, then by number.
    public static func < (x: VersionID, y: VersionID) -> Bool { (x.commit, x.number) < (y.commit, y.number) }
}

/// The id of a project: that of its first version.
public typealias ProjectID = VersionID

extension UInt64 {
    /// The 16 lower-case hexadecimal digits.
    public var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Reads lower-case digits only, since a name in a vault has one spelling; nil for anything else.
    init?(hexadecimal digits: ArraySlice<UInt8>) {
        var value: UInt64 = 0
        for digit in digits {
            switch digit {
            case 0x30...0x39: value = value << 4 | UInt64(digit - 0x30)
            case 0x61...0x66: value = value << 4 | UInt64(digit - 0x61 + 10)
            default: return nil
            }
        }
        self = value
    }
}
