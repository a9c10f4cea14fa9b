package import CueBase
package import Foundation

/// Turns local times of day into moments, also on days on which the clock is changed.
package struct WallClock: Sendable {
    private let zone: TimeZone

    /// The clock of a time zone.
    package init(_ zone: TimeZone) { self.zone = zone }

    /// The local day of a moment, counted from 1970-01-01. Days differ by whole numbers, however many hours they have.
    package func day(of time: Timestamp) -> Int {
        let seconds = Self.seconds(time)
        return Self.floor(seconds + offset(at: seconds), by: 86_400)
    }

    /// The local time of day of a moment, in minutes since midnight.
    package func minuteOfDay(of time: Timestamp) -> Int {
        let seconds = Self.seconds(time)
        let local = seconds + offset(at: seconds)
        return (local - Self.floor(local, by: 86_400) * 86_400) / 60
    }

    /// When the clock shows `hour:minute` on `day`: the first time if it does so twice, the first moment after the gap
    /// if it never does.
    package func time(_ hour: Int, _ minute: Int, on day: Int) -> Timestamp {
        let wall = day * 86_400 + hour * 3600 + minute * 60
        // No zone is further than a day from UTC, and none changes its clock twice in two days.
        let (before, after) = (offset(at: wall - 86_400), offset(at: wall + 86_400))
        let fitting = [wall - before, wall - after].filter { $0 + offset(at: $0) == wall }
        let moment = fitting.min() ?? change(between: wall - 86_400, and: wall + 86_400)
        return Timestamp(milliseconds: Int64(moment) * 1000)
    }

    /// The first moment after `time`, and not at it, at which the clock shows `hour:minute`.
    package func next(_ hour: Int, _ minute: Int, after time: Timestamp) -> Timestamp {
        let day = day(of: time)
        for next in (day - 1)...(day + 1) {
            let moment = self.time(hour, minute, on: next)
            if moment > time { return moment }
        }
        return self.time(hour, minute, on: day + 2)
    }

    /// The first second after a change of the clock.
    private func change(between start: Int, and end: Int) -> Int {
        var (low, high) = (start, end)
        let before = offset(at: low)
        while high - low > 1 {
            let middle = (low + high) / 2
            if offset(at: middle) == before { low = middle } else { high = middle }
        }
        return high
    }

    /// Seconds east of UTC.
    private func offset(at seconds: Int) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
    }

    /// Whole Unix seconds, rounded down.
    private static func seconds(_ time: Timestamp) -> Int { floor(Int(time.milliseconds), by: 1000) }

    /// Division that rounds down, also below zero.
    private static func floor(_ number: Int, by unit: Int) -> Int {
        number / unit - (number % unit < 0 ? 1 : 0)
    }
}

extension WallClock {
    /// Local time such as `09:05`.
    package func shownTime(_ time: Timestamp) -> String {
        let minutes = minuteOfDay(of: time)
        return "\(Self.two(minutes / 60)):\(Self.two(minutes % 60))"
    }

    /// The local day such as `2026-12-31`, in the proleptic Gregorian calendar.
    package func shownDay(_ time: Timestamp) -> String {
        // Howard Hinnant's civil_from_days: http://howardhinnant.github.io/date_algorithms.html
        let z = day(of: time) + 719_468
        let era = Self.floor(z, by: 146_097)
        let dayOfEra = z - era * 146_097
        let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let civilMonth = month < 10 ? month + 3 : month - 9
        let civilYear = year + era * 400 + (civilMonth <= 2 ? 1 : 0)
        return "\(civilYear)-\(Self.two(civilMonth))-\(Self.two(dayOfYear - (153 * month + 2) / 5 + 1))"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
