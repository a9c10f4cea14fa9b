import CueTerminal

/// Lengths of time in words.
enum DurationWords {
    /// A length in whole units, as far as it has such: `an hour`, `60 days`, `0.1 seconds`.
    static func length(_ seconds: Double) -> String {
        let units: [(length: Double, one: String, noun: String)] = [
            (86_400, "a day", "day"), (3600, "an hour", "hour"), (60, "a minute", "minute"), (1, "a second", "second"),
        ]
        for unit in units where seconds >= unit.length {
            if seconds == unit.length { return unit.one }
            if let count = Int(exactly: seconds / unit.length) { return Style.count(count, unit.noun) }
        }
        return "\(seconds) seconds"
    }

    /// `from 0.1 seconds to an hour`.
    static func range(_ range: ClosedRange<Double>) -> String {
        "from \(length(range.lowerBound)) to \(length(range.upperBound))"
    }

    /// An option that takes a duration was given another value.
    static func refused(_ option: String, _ range: ClosedRange<Double>) -> String {
        "\(option) takes a duration \(self.range(range)), such as 45, 30s or 5m."
    }

    /// The same for one that takes the days of a lock.
    static func lock(_ option: String, _ range: ClosedRange<Int>) -> String {
        "\(option) takes a whole number of days from \(range.lowerBound) to \(range.upperBound), such as 90d."
    }

    /// The same for one that takes days.
    static func days(_ option: String, _ range: ClosedRange<Int>) -> String {
        "\(option) takes a whole number of days from \(range.lowerBound) (never) to \(range.upperBound), such as 30 or 8w."
    }
}
