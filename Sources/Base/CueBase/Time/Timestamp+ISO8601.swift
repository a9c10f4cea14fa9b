/// Moments as text: RFC 3339, and the variants of it that databases write.
extension Timestamp {
    /// Reads `2026-01-02T10:00:00.123Z` and its variants: no fraction, or one of up to nine digits of which
    /// milliseconds count; a space for the `T`; an offset as `+02:00`, `+0200` or `+02`.
    ///
    /// Nil for anything else, for dates that are not in the calendar, and for a time without a zone, which no other
    /// device could read.
    public init?(iso8601 text: some StringProtocol) {
        var reader = ISO8601Reader(bytes: Array(text.utf8))
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
            let day = reader.number(2), reader.take("T") || reader.take("t") || reader.take(" "),
            let hour = reader.number(2), reader.take(":"), let minute = reader.number(2), reader.take(":"),
            let second = reader.number(2), let fraction = reader.fraction(), let offset = reader.offset(),
            reader.isAtEnd,
            (1...12).contains(month), (1...CivilDate.days(inMonth: month, of: year)).contains(day), hour < 24,
            minute < 60,
            // A leap second counts as the first moment of the next minute, as in POSIX.
            second <= 60
        else { return nil }
        let days = CivilDate(year: year, month: month, day: day).daysSince1970
        let seconds = days * 86_400 + Int64(hour) * 3_600 + Int64(minute) * 60 + Int64(second) - Int64(offset) * 60
        self.init(milliseconds: seconds * 1_000 + Int64(fraction))
    }

    /// The form that cue writes: `2026-01-02T10:00:00.123Z`. Years outside 0 to 9999 are cut to that range.
    public var iso8601: String {
        let clamped = inYears.milliseconds
        let days = clamped >= 0 ? clamped / 86_400_000 : (clamped - 86_399_999) / 86_400_000
        let rest = Int(clamped - days * 86_400_000)
        let date = CivilDate(daysSince1970: days)
        func digits(_ number: Int, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: count - text.utf8.count) + text
        }
        return "\(digits(date.year, 4))-\(digits(date.month, 2))-\(digits(date.day, 2))T\(digits(rest / 3_600_000, 2)):"
            + "\(digits(rest / 60_000 % 60, 2)):\(digits(rest / 1_000 % 60, 2)).\(digits(rest % 1_000, 3))Z"
    }
}

/// A day of the Gregorian calendar.
///
/// The arithmetic is Howard Hinnant's (`days_from_civil`), with years that begin in March.
public struct CivilDate: Hashable, Sendable {
    /// May be 0 or negative.
    public let year: Int
    /// 1 to 12.
    public let month: Int
    /// 1 to 31.
    public let day: Int

    /// The day of these parts, which are not checked.
    public init(year: Int, month: Int, day: Int) { (self.year, self.month, self.day) = (year, month, day) }

    /// The day that is `days` after 1970-01-01.
    public init(daysSince1970 days: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        month = Int(marchMonth < 10 ? marchMonth + 3 : marchMonth - 9)
        day = Int(dayOfYear - (153 * marchMonth + 2) / 5 + 1)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    }

    /// The number of days after 1970-01-01; negative before it.
    public var daysSince1970: Int64 {
        let marchYear = Int64(month <= 2 ? year - 1 : year)
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

private struct ISO8601Reader {
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func number(_ count: Int) -> Int? {
        guard position + count <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[position..<position + count] {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        position += count
        return value
    }

    /// Milliseconds; 0 without a fraction, nil for a malformed one.
    mutating func fraction() -> Int? {
        guard take(".") else { return 0 }
        let digits = bytes[position...].prefix { (0x30...0x39).contains($0) }
        guard (1...9).contains(digits.count) else { return nil }
        position += digits.count
        let padded = digits.prefix(3) + Array(repeating: 0x30, count: max(0, 3 - digits.count))
        return padded.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Minutes east of Greenwich; nil without an offset.
    mutating func offset() -> Int? {
        if take("Z") || take("z") { return 0 }
        let sign: Int
        if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
        guard let hours = number(2), hours < 24 else { return nil }
        if isAtEnd { return sign * hours * 60 }
        _ = take(":")
        guard let minutes = number(2), minutes < 60 else { return nil }
        return sign * (hours * 60 + minutes)
    }
}
