/// A length of time as people write one: `30s`, `5m`, `2h`, `3d`, `1h30m`, `2 weeks`, `an hour`, `two days`.
package struct WrittenDuration: Sendable {
    /// What is counted. Months and years have no fixed length.
    package enum Unit: Int, Comparable, Sendable {
        case second, minute, hour, day, week, month, year

        package static func < (x: Unit, y: Unit) -> Bool { x.rawValue < y.rawValue }

        /// In seconds; nil for months and years.
        fileprivate var seconds: Double? {
            switch self {
            case .second: 1
            case .minute: 60
            case .hour: 3600
            case .day: 86_400
            case .week: 604_800
            case .month, .year: nil
            }
        }
    }

    private static let numerals: [String: Double] = [
        "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
        "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
    ]

    /// The parts in the order in which they were written; at least one.
    let parts: [(count: Double, unit: Unit)]

    /// Nil for anything else, negative numbers among them. `plain`: what a number alone counts; nil if it is none.
    package init?(_ text: some StringProtocol, plain: Unit? = nil) {
        var rest = Array(text.lowercased())[...]
        var parts: [(count: Double, unit: Unit)] = []
        func take(_ isWanted: (Character) -> Bool) -> String {
            let taken = rest.prefix(while: isWanted)
            rest = rest.dropFirst(taken.count)
            return String(taken)
        }
        while true {
            _ = take { $0 == " " }
            if rest.isEmpty { break }
            let digits = take { ("0"..."9").contains($0) || $0 == "." }
            _ = take { $0 == " " }
            let word = take { $0.isLetter }
            if digits.isEmpty, let count = Self.numerals[word] {
                _ = take { $0 == " " }
                guard let unit = Self.units[take { $0.isLetter }] else { return nil }
                parts.append((count, unit))
                continue
            }
            // Limited, so that nothing that is reckoned with it overflows.
            guard (1...9).contains(digits.count), digits.first != ".", digits.last != ".", let count = Double(digits)
            else { return nil }
            if word.isEmpty {
                guard let plain, rest.isEmpty, parts.isEmpty else { return nil }
                parts.append((count, plain))
            } else {
                guard let unit = Self.units[word] else { return nil }
                parts.append((count, unit))
            }
        }
        // The greater comes first, and none twice.
        guard !parts.isEmpty, zip(parts, parts.dropFirst()).allSatisfy({ $0.unit > $1.unit }) else { return nil }
        self.parts = parts
    }

    /// The length in seconds; nil if it counts months or years.
    package var seconds: Double? {
        parts.reduce(0) { sum, part in
            guard let sum, let length = part.unit.seconds else { return nil }
            return sum + part.count * length
        }
    }

    private static let units: [String: Unit] = {
        let names: [(Unit, [String])] = [
            (.second, ["s", "sec", "secs", "second", "seconds"]), (.minute, ["m", "min", "mins", "minute", "minutes"]),
            (.hour, ["h", "hour", "hours"]), (.day, ["d", "day", "days"]), (.week, ["w", "week", "weeks"]),
            (.month, ["month", "months"]), (.year, ["y", "year", "years"]),
        ]
        return Dictionary(names.flatMap { unit, words in words.map { ($0, unit) } }, uniquingKeysWith: { $1 })
    }()
}
