package import CueBase
package import CueStorage
package import CueVault
package import Foundation

/// Finds the snapshot that `--at` names: by its id, or the newest one at a time.
package enum SnapshotSelector {
    /// Finds the snapshot. Times such as "2 days ago" count from `now`. Throws `VaultError.ambiguousSnapshot` or
    /// `unknownSnapshot` for an id, and `EngineError.unreadableTime` or `nothingAt` for a time.
    package static func find(_ text: String, in history: FullHistory, at now: Timestamp) throws -> LogPosition {
        let snapshots = history.snapshots
        let digits = text.lowercased()
        if digits.count >= 4, digits.count <= 16, digits.allSatisfy(\.isHexDigit) {
            let found = snapshots.filter { $0.position.commit.description.hasPrefix(digits) }
            if found.count == 1 { return found[0].position }
            if found.count > 1 { throw VaultError.ambiguousSnapshot(text) }
        }
        if digits == "latest", let last = snapshots.last { return last.position }
        guard let date = date(text, now: now.date) else {
            if !digits.isEmpty && digits.allSatisfy(\.isHexDigit) { throw VaultError.unknownSnapshot(text) }
            throw EngineError.unreadableTime(text)
        }
        let limit = Int64((date.timeIntervalSince1970 * 1000).rounded())
        guard let found = snapshots.last(where: { $0.record.time.milliseconds <= limit }) else {
            throw EngineError.nothingAt(text)
        }
        return found.position
    }

    /// Reads `2026-11-21`, `2026-11-21 14:30`, `2026-11-21T14:30:00Z`, `yesterday` or `3 days ago`; nil for anything
    /// else. Without a zone it is local time, and a day alone means its end.
    package static func date(_ text: String, now: Date, calendar: Calendar = .current) -> Date? {
        let words = text.lowercased().split(separator: " ").map(String.init)
        if words == ["now"] { return now }
        if words == ["yesterday"] { return endOfDay(now.addingTimeInterval(-86_400), calendar) }
        if words == ["today"] { return endOfDay(now, calendar) }
        if words.count == 3, words[2] == "ago", let count = Int(words[0]), (0...100_000).contains(count) {
            return ago(count, words[1], now, calendar)
        }
        if let exact = try? Date(text, strategy: .iso8601) { return exact }
        return local(text, calendar)
    }

    /// The last moment of a day.
    private static func endOfDay(_ date: Date, _ calendar: Calendar) -> Date? {
        calendar.dateInterval(of: .day, for: date).map { $0.end.addingTimeInterval(-0.001) }
    }

    /// The time so many units before `now`; nil if the unit is unknown.
    private static func ago(_ count: Int, _ unit: String, _ now: Date, _ calendar: Calendar) -> Date? {
        let units: [String: Calendar.Component] = [
            "second": .second, "minute": .minute, "hour": .hour, "day": .day, "week": .weekOfYear, "month": .month,
            "year": .year,
        ]
        let singular = unit.hasSuffix("s") ? String(unit.dropLast()) : unit
        return units[singular].flatMap { calendar.date(byAdding: $0, value: -count, to: now) }
    }

    /// Reads a local date, with or without a time.
    private static func local(_ text: String, _ calendar: Calendar) -> Date? {
        let fields = text.split(whereSeparator: { "-T :".contains($0) }).map { Int($0) }
        guard (3...6).contains(fields.count), text.first?.isNumber == true else { return nil }
        let numbers = fields.compactMap(\.self)
        guard numbers.count == fields.count, numbers[0] >= 1970 else { return nil }
        var parts = DateComponents(year: numbers[0], month: numbers[1], day: numbers[2])
        parts.hour = numbers.count > 3 ? numbers[3] : 0
        parts.minute = numbers.count > 4 ? numbers[4] : 0
        parts.second = numbers.count > 5 ? numbers[5] : numbers.count > 3 ? 59 : 0
        guard parts.isValidDate(in: calendar), let date = calendar.date(from: parts) else { return nil }
        return numbers.count == 3 ? endOfDay(date, calendar) : date
    }
}

extension Timestamp {
    /// The same as a `Date`, for calendars.
    var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
