/// A moment as Unix milliseconds. Times are shown to people and never decide.
public struct Timestamp: Hashable, Comparable, Sendable {
    public let milliseconds: Int64

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

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
