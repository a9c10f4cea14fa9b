/// The 32-byte name of a chunk: the keyed BLAKE2b-256 of its content (docs/format.md §5).
///
/// Four words rather than an array: a dictionary look-up costs no allocation.
public struct ChunkID: Hashable, Comparable, Sendable {
    public let a, b, c, d: UInt64

    @inlinable
    public init(a: UInt64, b: UInt64, c: UInt64, d: UInt64) {
        (self.a, self.b, self.c, self.d) = (a, b, c, d)
    }

    /// Orders as the bytes do, so that sorted files of ids can be searched by bytes.
    @inlinable
    public static func < (x: ChunkID, y: ChunkID) -> Bool {
        if x.a != y.a { return x.a < y.a }
        if x.b != y.b { return x.b < y.b }
        if x.c != y.c { return x.c < y.c }
        return x.d < y.d
    }

    // All of it: the ids of a hostile vault may agree in any part.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(a)
        hasher.combine(b)
        hasher.combine(c)
        hasher.combine(d)
    }
}

/// Sixteen random bytes that name a vault, a device, a library or a pack.
public struct ID16: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let high, low: UInt64

    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// Makes a new one.
    public static func random(using generator: inout some RandomNumberGenerator) -> ID16 {
        ID16(high: generator.next(), low: generator.next())
    }

    /// Reads 32 lower-case hexadecimal digits.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 32, let high = UInt64(hexadecimal: bytes[..<16]),
            let low = UInt64(hexadecimal: bytes[16...])
        else { return nil }
        self.init(high: high, low: low)
    }

    public var description: String { high.hexadecimal + low.hexadecimal }

    public static func < (x: ID16, y: ID16) -> Bool { (x.high, x.low) < (y.high, y.low) }
}

public typealias VaultID = ID16
public typealias DeviceID = ID16
public typealias PackID = ID16
public typealias LibraryID = ID16

/// The random eight bytes of a commit's name; for a commit that completes a snapshot, the snapshot's id.
public struct CommitID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let value: UInt64

    public init(_ value: UInt64) { self.value = value }

    /// What stands for "no commit before this one" (docs/format.md §6).
    public static let none = CommitID(0)

    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 16, let value = UInt64(hexadecimal: bytes[...]) else { return nil }
        self.init(value)
    }

    public var description: String { value.hexadecimal }

    /// The eight digits that people see and type.
    public var short: String { String(description.prefix(8)) }

    public static func < (x: CommitID, y: CommitID) -> Bool { x.value < y.value }
}

/// One version: the commit that brought it and its number therein. A project has the id of its first version.
public struct VersionID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let commit: CommitID
    public let number: UInt32

    public init(commit: CommitID, number: UInt32) { (self.commit, self.number) = (commit, number) }

    /// Reads what `description` gives.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let commit = CommitID(parts[0]), let number = UInt32(parts[1]) else { return nil }
        self.init(commit: commit, number: number)
    }

    /// Sixteen digits, a hyphen, and the number: `7f3a91c200112233-14`.
    public var description: String { "\(commit)-\(number)" }

    /// What people see and type: `7f3a91c2-14`.
    public var short: String { "\(commit.short)-\(number)" }

    public static func < (x: VersionID, y: VersionID) -> Bool { (x.commit, x.number) < (y.commit, y.number) }
}

public typealias ProjectID = VersionID

extension UInt64 {
    /// Sixteen lower-case digits.
    public var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Reads lower-case digits only: a name in a vault has one spelling.
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
