/// A moment in Unix milliseconds. Times are shown to people; no decision depends on them.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01 UTC, at most 2^53 before or after it.
    public let milliseconds: Int64

    /// The years 0 to 9999, which a calendar with four digits can show; in milliseconds.
    public static let years: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999
    /// Between these bounds, any two moments can be added or compared, and a `Double` tells them apart.
    private static let limit: Int64 = 1 << 53

    /// Takes the nearest moment within 2^53 milliseconds: clocks, and the writers of vaults, may give any number.
    public init(milliseconds: Int64) { self.milliseconds = min(max(milliseconds, -Self.limit), Self.limit) }

    /// The nearest moment in the years 0 to 9999.
    public var inYears: Timestamp {
        Timestamp(milliseconds: min(max(milliseconds, Self.years.lowerBound), Self.years.upperBound))
    }

    /// The order of time.
    public static func < (x: Timestamp, y: Timestamp) -> Bool { x.milliseconds < y.milliseconds }
}
