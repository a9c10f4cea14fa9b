/// The time of a file as the file system keeps it, since 1970-01-01 UTC.
public struct FileTime: Hashable, Comparable, Sendable {
    /// Whole seconds; negative before 1970.
    public let seconds: Int64
    /// The rest of a second, under 10⁹.
    public let nanoseconds: UInt32

    /// The time of these two parts.
    public init(seconds: Int64, nanoseconds: UInt32) { (self.seconds, self.nanoseconds) = (seconds, nanoseconds) }

    /// The order of time.
    public static func < (x: FileTime, y: FileTime) -> Bool { (x.seconds, x.nanoseconds) < (y.seconds, y.nanoseconds) }

    /// The same in milliseconds, rounded down.
    public var timestamp: Timestamp {
        // Hostile or damaged clocks may be far off, so this saturates and does not trap.
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let limit: Int64 = seconds < 0 ? .min / 2 : .max / 2
        return Timestamp(
            milliseconds: overflow ? limit : min(max(product, .min / 2), .max / 2) + Int64(nanoseconds / 1_000_000))
    }
}
