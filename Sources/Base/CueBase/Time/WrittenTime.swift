/// A time as people write one: `yesterday`, `14:30`, `3 days ago`, `22 Nov`, `next friday`, `2026-11-22 5:47`.
///
/// Without a zone it is local time. What names no direction is taken in the one that is given: `monday` is the last
/// one or the next one, `1h` is an hour ago or in an hour.
package struct WrittenTime: Hashable, Sendable {
    /// The first moment that is meant.
    package let start: Timestamp
    /// The last one, to the millisecond: a day and a month have many, a minute too.
    package let end: Timestamp
    /// Whether a day or a month is meant, and no time of day.
    package let isDay: Bool

    /// Where to look for what may be before or after now. Today counts as both.
    package enum Direction: Sendable { case past, future }

    /// Nil for anything that is no time.
    package init?(_ text: some StringProtocol, now: Timestamp, toward direction: Direction, in zone: LocalZone) {
        // As programs write it, with a zone.
        if let exact = Timestamp(iso8601: text) {
            self.init(exact...exact)
            return
        }
        let reader = TimeReader(now: now, direction: direction, zone: zone)
        guard let time = reader.time(TimeReader.words(of: text)) else { return nil }
        self = time
    }

    fileprivate init(_ moments: ClosedRange<Timestamp>, isDay: Bool = false) {
        (start, end, self.isDay) = (moments.lowerBound, moments.upperBound, isDay)
    }
}

/// Reads the words of a time.
private struct TimeReader {
    let now: Timestamp
    let direction: WrittenTime.Direction
    let zone: LocalZone

    private var today: Int64 { zone.wall(now).day }

    /// In small letters, without commas and words that mean nothing.
    static func words(of text: some StringProtocol) -> [String] {
        var words = text.lowercased().split { $0 == " " || $0 == "," }.map(String.init)
        // 2026-11-21T14:30
        if let first = words.first, first.first?.isNumber == true, first.contains("-"),
            let mark = first.firstIndex(of: "t")
        {
            words[0...0] = [String(first[..<mark]), String(first[first.index(after: mark)...])]
        }
        return words.filter { !["at", "on"].contains($0) }
    }

    func time(_ words: [String]) -> WrittenTime? {
        guard let first = words.first, let last = words.last else { return nil }
        if words == ["now"] { return WrittenTime(now...now) }
        if let moment = distance(words) { return WrittenTime(moment...moment) }
        if let clock = ClockTime(last) { return time(clock, words.dropLast()) }
        if let clock = ClockTime(first) { return time(clock, words.dropFirst()) }
        return DayReader(today: today, direction: direction).days(words).map {
            WrittenTime(zone.span(of: $0), isDay: true)
        }
    }

    /// A time of day, on the day that is named, else on the nearest one.
    private func time(_ clock: ClockTime, _ words: ArraySlice<String>) -> WrittenTime? {
        if !words.isEmpty {
            guard let days = DayReader(today: today, direction: direction).days(Array(words)), days.count == 1 else {
                return nil
            }
            return WrittenTime(clock.moments(on: days.lowerBound, in: zone))
        }
        let nearest = clock.moments(on: today, in: zone)
        switch direction {
        case .past: return WrittenTime(nearest.lowerBound <= now ? nearest : clock.moments(on: today - 1, in: zone))
        case .future: return WrittenTime(nearest.lowerBound > now ? nearest : clock.moments(on: today + 1, in: zone))
        }
    }

    /// `3 days ago`, `in 2 hours`, `1h`.
    private func distance(_ words: [String]) -> Timestamp? {
        var (words, sign) = (words, direction == .past ? -1 : 1)
        if words.last == "ago" {
            (words, sign) = (words.dropLast(), -1)
        } else if words.first == "in" {
            (words, sign) = (Array(words.dropFirst()), 1)
        }
        guard let duration = WrittenDuration(words.joined(separator: " ")) else { return nil }
        var time = now
        for part in duration.parts {
            guard let next = move(time, part.count * Double(sign), part.unit) else { return nil }
            time = next
        }
        return time
    }

    /// Days, weeks, months and years keep the time of day.
    private func move(_ time: Timestamp, _ count: Double, _ unit: WrittenDuration.Unit) -> Timestamp? {
        let exact =
            switch unit {
            case .second: 1000.0
            case .minute: 60_000.0
            case .hour: 3_600_000.0
            default: 0.0
            }
        guard exact == 0 else { return Timestamp(milliseconds: time.milliseconds + Int64(count * exact)) }
        guard count == count.rounded(), abs(count) <= 100_000 else { return nil }
        let (day, milliseconds) = zone.wall(time)
        let number = Int64(count)
        let moved: Int64? =
            switch unit {
            case .day: day + number
            case .week: day + 7 * number
            case .month: DayReader.day(day, movedByMonths: number)
            default: DayReader.day(day, movedByMonths: 12 * number)
            }
        return moved.map { zone.moments($0, milliseconds).upperBound }
    }
}

/// A time of day: `14:30`, `5:47:10`, `noon`, `midnight`.
private struct ClockTime {
    /// Milliseconds since midnight; a minute means all of it.
    private let first: Int64
    private let last: Int64

    init?(_ word: String) {
        if let whole = ["midnight": 0, "noon": 12][word] {
            (first, last) = (Int64(whole) * 3_600_000, Int64(whole) * 3_600_000)
            return
        }
        let fields = word.split(separator: ":", omittingEmptySubsequences: false)
        let isPlain = fields.allSatisfy { (1...2).contains($0.count) && $0.allSatisfy { ("0"..."9").contains($0) } }
        let numbers = fields.compactMap { Int64($0) }
        guard isPlain, (2...3).contains(fields.count), numbers.count == fields.count, fields[1].count == 2,
            numbers[0] < 24, numbers[1] < 60, numbers.count < 3 || numbers[2] < 60
        else { return nil }
        let minute = numbers[0] * 3_600_000 + numbers[1] * 60_000
        if numbers.count == 3 {
            (first, last) = (minute + numbers[2] * 1000, minute + numbers[2] * 1000 + 999)
        } else {
            (first, last) = (minute, minute + 59_999)
        }
    }

    func moments(on day: Int64, in zone: LocalZone) -> ClosedRange<Timestamp> {
        let start = zone.moments(day, first).lowerBound
        return start...max(start, zone.moments(day, last).upperBound)
    }
}

/// Reads days, as numbers counted from 1970-01-01.
private struct DayReader {
    let today: Int64
    let direction: WrittenTime.Direction

    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]
    private static let years: ClosedRange<Int64> = 1970...200_000

    func days(_ words: [String]) -> ClosedRange<Int64>? {
        if let day = named(words) { return day...day }
        guard words.count == 1, let word = words.first else { return written(words) }
        if word.contains("-") { return numbers(word, "-").flatMap { dates($0) } }
        if word.contains(".") {
            // 22.11. and 22.11.2026
            return numbers(word.hasSuffix(".") ? word.dropLast() : word[...], ".").flatMap { fields in
                guard (2...3).contains(fields.count), fields.count == 2 || Self.years.contains(fields[2]) else {
                    return nil
                }
                return date(fields.count == 3 ? fields[2] : nil, fields[1], fields[0])
            }
        }
        return nil
    }

    /// `yesterday`, `monday`, `last monday`, `last night`, `next week`.
    private func named(_ words: [String]) -> Int64? {
        if words.count == 1 {
            if let step = ["yesterday": -1, "today": 0, "tomorrow": 1][words[0]] { return today + Int64(step) }
            return weekday(words[0]).map { $0 == weekdayOfToday ? today : direction == .past ? last($0) : next($0) }
        }
        guard words.count == 2, let sign: Int64 = ["last": -1, "next": 1][words[0]] else { return nil }
        switch words[1] {
        case "night" where sign < 0: return today - 1
        case "week": return today + 7 * sign
        case "month": return Self.day(today, movedByMonths: sign)
        case "year": return Self.day(today, movedByMonths: 12 * sign)
        default: return weekday(words[1]).map { sign < 0 ? last($0) : next($0) }
        }
    }

    /// 1970-01-01 was a Thursday.
    private var weekdayOfToday: Int64 { ((today + 3) % 7 + 7) % 7 }

    /// The last day of this name before today.
    private func last(_ weekday: Int64) -> Int64 { today - 1 - (weekdayOfToday - weekday + 6) % 7 }

    /// The first one after today.
    private func next(_ weekday: Int64) -> Int64 { today + 1 + (weekday - weekdayOfToday + 6) % 7 }

    /// Monday is 0. Names may be cut to three letters.
    private func weekday(_ word: String) -> Int64? {
        word.count < 3 ? nil : Self.weekdays.firstIndex { $0.hasPrefix(word) }.map { Int64($0) }
    }

    private func month(_ word: String) -> Int64? {
        let word = word.hasSuffix(".") ? word.dropLast() : word[...]
        if word == "sept" { return 9 }
        return word.count < 3 ? nil : Self.months.firstIndex { $0.hasPrefix(word) }.map { Int64($0) + 1 }
    }

    /// `22 Nov`, `November 22`, `22 Nov 2026`, `Nov 2026`.
    private func written(_ words: [String]) -> ClosedRange<Int64>? {
        guard let number = words.prefix(2).firstIndex(where: { month($0) != nil }), let month = month(words[number])
        else { return nil }
        var rest = words
        rest.remove(at: number)
        let numbers = rest.compactMap { word in
            // 22., 22nd
            let digits = word.prefix { ("0"..."9").contains($0) }
            let isPlain = ["", ".", "st", "nd", "rd", "th"].contains(String(word.dropFirst(digits.count)))
            return isPlain && (1...6).contains(digits.count) ? Int64(digits) : nil
        }
        guard numbers.count == rest.count else { return nil }
        switch numbers.count {
        case 1 where numbers[0] >= Self.years.lowerBound: return dates([numbers[0], month])
        case 1: return date(nil, month, numbers[0])
        case 2 where Self.years.contains(numbers[1]): return date(numbers[1], month, numbers[0])
        default: return nil
        }
    }

    /// Year and month, which is all of it, or year, month and day.
    private func dates(_ fields: [Int64]) -> ClosedRange<Int64>? {
        guard (2...3).contains(fields.count), Self.years.contains(fields[0]) else { return nil }
        if fields.count == 3 { return date(fields[0], fields[1], fields[2]) }
        guard (1...12).contains(fields[1]) else { return nil }
        let (year, month) = (Int(fields[0]), Int(fields[1]))
        let first = CivilDate(year: year, month: month, day: 1).daysSince1970
        return first...(first + Int64(CivilDate.days(inMonth: month, of: year)) - 1)
    }

    /// A day. Without a year it is the nearest one.
    private func date(_ year: Int64?, _ month: Int64, _ day: Int64) -> ClosedRange<Int64>? {
        guard (1...12).contains(month), day >= 1 else { return nil }
        let thisYear = CivilDate(daysSince1970: today).year
        // A 29 February may be eight years away.
        let years = year.map { [Int($0)] } ?? (0...8).map { direction == .past ? thisYear - $0 : thisYear + $0 }
        for candidate in years where day <= CivilDate.days(inMonth: Int(month), of: candidate) {
            let number = CivilDate(year: candidate, month: Int(month), day: Int(day)).daysSince1970
            if year != nil || (direction == .past ? number <= today : number >= today) { return number...number }
        }
        return nil
    }

    private func numbers(_ text: some StringProtocol, _ separator: Character) -> [Int64]? {
        let fields = text.split(separator: separator, omittingEmptySubsequences: false)
        guard fields.allSatisfy({ (1...6).contains($0.count) && $0.allSatisfy { ("0"..."9").contains($0) } }) else {
            return nil
        }
        return fields.compactMap { Int64($0) }
    }

    /// The same day of another month, or its last one if it has no such day.
    static func day(_ day: Int64, movedByMonths months: Int64) -> Int64? {
        let date = CivilDate(daysSince1970: day)
        let count = Int64(date.year) * 12 + Int64(date.month - 1) + months
        guard count >= 0 else { return nil }
        let (year, month) = (Int(count / 12), Int(count % 12) + 1)
        return CivilDate(year: year, month: month, day: min(date.day, CivilDate.days(inMonth: month, of: year)))
            .daysSince1970
    }
}
