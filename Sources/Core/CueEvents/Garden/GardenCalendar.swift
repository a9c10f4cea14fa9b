package import CueBase
package import Foundation

/// The days and weeks of the garden in one zone: a day begins at 06:00 local, a week on Monday at 06:00.
///
/// Days are whole numbers counted from 1970-01-01. The zone is asked only for its distance from UTC, so a day of 23 or
/// 25 hours is a day. If a change of clocks leaves out a time of day, it counts as the first moment after the change.
/// If it comes twice, it is taken once. If a zone leaves out a whole day, that day begins with the next one.
package struct GardenCalendar: Sendable {
    /// The zone whose local time counts.
    package let zone: TimeZone

    /// The calendar of this zone.
    package init(_ zone: TimeZone) { self.zone = zone }

    private static let dayLength: Int64 = 86_400_000
    private static let hour: Int64 = 3_600_000

    /// Milliseconds east of UTC.
    func offset(at milliseconds: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(milliseconds) / 1000))) * 1000
    }

    /// The number of the local day from midnight to midnight.
    package func civilDay(of time: Timestamp) -> Int64 {
        Self.floor(time.milliseconds + offset(at: time.milliseconds), by: Self.dayLength)
    }

    /// The moment of `hour`:00 on a local day of this number.
    package func moment(_ hour: Int, on day: Int64) -> Timestamp {
        let wall = day * Self.dayLength + Int64(hour) * Self.hour
        let (before, after) = (offset(at: wall - Self.dayLength), offset(at: wall + Self.dayLength))
        let fitting = [wall - before, wall - after].filter { $0 + offset(at: $0) == wall }
        if let moment = fitting.min() { return Timestamp(milliseconds: moment) }
        let change = change(between: wall - Self.dayLength, and: wall + Self.dayLength)
        return civilDay(of: change) > day ? moment(hour, on: day + 1) : change
    }

    /// The first moment after a change of the clock between two moments, in milliseconds.
    private func change(between start: Int64, and end: Int64) -> Timestamp {
        // Search in whole seconds: zones change at those.
        var (low, high) = (Self.floor(start, by: 1000), Self.floor(end, by: 1000))
        let before = offset(at: low * 1000)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offset(at: middle * 1000) == before { low = middle } else { high = middle }
        }
        return Timestamp(milliseconds: high * 1000)
    }

    static func floor(_ number: Int64, by unit: Int64) -> Int64 { number / unit - (number % unit < 0 ? 1 : 0) }

    // MARK: Resets

    /// The number of the garden's day: the local day on which the last 06:00 was.
    package func day(of time: Timestamp) -> Int64 {
        let civil = civilDay(of: time)
        for day in [civil, civil - 1, civil - 2] {
            let begin = moment(GardenRules.resetHour, on: day)
            if begin <= time { return min(civilDay(of: begin), civil) }
        }
        return civil - 3
    }

    /// The moment at which the garden's day began.
    package func dailyReset(_ now: Timestamp) -> Timestamp { moment(GardenRules.resetHour, on: day(of: now)) }

    /// The moment at which its week began, on a Monday.
    package func weeklyReset(_ now: Timestamp) -> Timestamp {
        moment(GardenRules.resetHour, on: Self.monday(day(of: now)))
    }

    /// The end of the garden's day, when all the water is there again.
    package func nextWaterReset(_ now: Timestamp) -> Timestamp {
        moment(GardenRules.resetHour, on: day(of: now) + 1)
    }

    /// The end of its week, when the sun can shine again.
    package func nextSunReset(_ now: Timestamp) -> Timestamp {
        moment(GardenRules.resetHour, on: Self.monday(day(of: now)) + 7)
    }

    /// 0 is Monday; 1970-01-01 was a Thursday.
    static func weekday(_ day: Int64) -> Int { Int((day + 3) - floor(day + 3, by: 7) * 7) }

    private static func monday(_ day: Int64) -> Int64 { day - Int64(weekday(day)) }

    /// True if the zone has no day between two days, so that a streak goes on.
    func areNeighbours(_ day: Int64, _ next: Int64) -> Bool {
        if next == day + 1 { return true }
        return next == day + 2
            && moment(GardenRules.resetHour, on: day + 1) == moment(GardenRules.resetHour, on: next)
    }

    // MARK: End dates

    /// The moment from which a sprout is shown as ready: 09:00 local on the day on which its season ends.
    package func endDate(planted: Timestamp, _ season: SproutSeason) -> Timestamp {
        moment(
            GardenRules.endHour, on: civilDay(of: Timestamp(milliseconds: planted.milliseconds + season.duration)))
    }

    // MARK: Text

    /// The garden's day as `2026-01-25`.
    package func dayKey(_ time: Timestamp) -> String { Self.text(day(of: time)) }

    static func text(_ day: Int64) -> String {
        let date = CivilDate(daysSince1970: day)
        let year = String(date.year)
        return String(repeating: "0", count: max(0, 4 - year.utf8.count)) + year
            + "-\(two(date.month))-\(two(date.day))"
    }

    static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }

    /// The local weekday (`Wed`), date, and minutes since midnight.
    package func wall(_ time: Timestamp) -> (weekday: String, date: CivilDate, minutes: Int) {
        let day = civilDay(of: time)
        let minutes = (time.milliseconds + offset(at: time.milliseconds) - day * Self.dayLength) / 60_000
        return (
            ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][Self.weekday(day)], CivilDate(daysSince1970: day),
            Int(minutes)
        )
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The form `22 Jan`.
    package static func shown(_ date: CivilDate) -> String { "\(date.day) \(months[date.month - 1])" }

    /// The local form `22 Jan, 06:00`, for moments near by.
    package func shown(_ time: Timestamp) -> String {
        let (_, date, minutes) = wall(time)
        return "\(Self.shown(date)), \(Self.two(minutes / 60)):\(Self.two(minutes % 60))"
    }

    /// The local form `22 Jan 2026`.
    package func shownDay(_ time: Timestamp) -> String {
        let date = wall(time).date
        return "\(Self.shown(date)) \(date.year)"
    }

    /// The origin's words, such as `Resets Wed 01/22 at 6:00 AM`, which its vectors hold; cue's own screens use
    /// `shown`.
    package func resetText(_ reset: Timestamp) -> String {
        let (weekday, date, minutes) = wall(reset)
        let hour = minutes / 60
        return "Resets \(weekday) \(Self.two(date.month))/\(Self.two(date.day)) at \((hour + 11) % 12 + 1):"
            + "\(Self.two(minutes % 60)) \(hour < 12 ? "AM" : "PM")"
    }
}

/// Finds the garden's days of many moments. It asks the zone twice for each day of UTC, and not for each moment.
struct GardenDays {
    private let calendar: GardenCalendar
    private var utcDay = Int64.min
    /// The offset of that day in milliseconds; nil if it changes during the day.
    private var offset: Int64?

    init(_ calendar: GardenCalendar) { self.calendar = calendar }

    mutating func day(of time: Timestamp) -> Int64 {
        let day = GardenCalendar.floor(time.milliseconds, by: 86_400_000)
        if day != utcDay {
            let first = calendar.offset(at: day * 86_400_000)
            let isSteady = first == calendar.offset(at: (day + 1) * 86_400_000)
            (utcDay, offset) = (day, isSteady ? first : nil)
        }
        guard let offset else { return calendar.day(of: time) }
        return GardenCalendar.floor(
            time.milliseconds + offset - Int64(GardenRules.resetHour) * 3_600_000, by: 86_400_000)
    }
}
