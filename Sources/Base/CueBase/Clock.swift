/// A moment as Unix milliseconds. Times are shown to people and never decide.
public struct Timestamp: Hashable, Comparable, Sendable {
    public let milliseconds: Int64

    /// What a calendar with four digits can say: the years 0 to 9999.
    public static let years: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999
    /// Between these any two can be added or held against each other, and a `Double` tells them apart.
    private static let limit: Int64 = 1 << 53

    /// Takes the nearest moment that is far from the ends of `Int64`: clocks, and those who write vaults, may say anything.
    public init(milliseconds: Int64) { self.milliseconds = min(max(milliseconds, -Self.limit), Self.limit) }

    /// The nearest moment in the years 0 to 9999.
    public var inYears: Timestamp {
        Timestamp(milliseconds: min(max(milliseconds, Self.years.lowerBound), Self.years.upperBound))
    }

    public static func < (x: Timestamp, y: Timestamp) -> Bool { x.milliseconds < y.milliseconds }
}

/// A file's time as the file system keeps it.
public struct FileTime: Hashable, Comparable, Sendable {
    public let seconds: Int64
    public let nanoseconds: UInt32

    public init(seconds: Int64, nanoseconds: UInt32) { (self.seconds, self.nanoseconds) = (seconds, nanoseconds) }

    public static func < (x: FileTime, y: FileTime) -> Bool { (x.seconds, x.nanoseconds) < (y.seconds, y.nanoseconds) }

    public var timestamp: Timestamp {
        // Hostile or damaged clocks reach far: saturate rather than trap.
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let limit: Int64 = seconds < 0 ? .min / 2 : .max / 2
        return Timestamp(
            milliseconds: overflow ? limit : min(max(product, .min / 2), .max / 2) + Int64(nanoseconds / 1_000_000))
    }
}
