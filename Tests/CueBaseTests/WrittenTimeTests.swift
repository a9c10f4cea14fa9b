import CueBase
import Foundation
import Testing

/// Noon of Monday, 23 November 2026, in Berlin, unless a test says otherwise.
@Suite("Times and durations as people write them")
struct WrittenTimeTests {
    private static let berlin = LocalZone(offset: offset)

    private static func offset(_ time: Timestamp) -> Int {
        let zone = TimeZone(identifier: "Europe/Berlin")
        return zone?.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)) ?? 0
    }
    private static let noon = moment("2026-11-23T12:00:00+01:00")

    private static func moment(_ text: String) -> Timestamp { Timestamp(iso8601: text) ?? Timestamp(milliseconds: 0) }

    private static func read(
        _ text: String, _ direction: WrittenTime.Direction, now: Timestamp = noon
    ) -> WrittenTime? { WrittenTime(text, now: now, toward: direction, in: berlin) }

    /// The last moment that is meant, as a clock in Berlin shows it.
    private static func end(_ text: String, _ direction: WrittenTime.Direction) -> String? {
        read(text, direction).map { time in
            Timestamp(milliseconds: time.end.milliseconds + Int64(offset(time.end)) * 1000).iso8601.dropLast()
                .description
        }
    }

    @Test(
        "A time of the past is read, and a day means its end",
        arguments: [
            ("now", "2026-11-23T12:00:00.000"), ("today", "2026-11-23T23:59:59.999"),
            ("yesterday", "2026-11-22T23:59:59.999"), ("last night", "2026-11-22T23:59:59.999"),
            ("Yesterday 18:30", "2026-11-22T18:30:59.999"),
            ("18:30 yesterday", "2026-11-22T18:30:59.999"), ("yesterday at noon", "2026-11-22T12:00:00.000"),
            ("05:47", "2026-11-23T05:47:59.999"), ("5:47:10", "2026-11-23T05:47:10.999"),
            ("14:30", "2026-11-22T14:30:59.999"), ("noon", "2026-11-23T12:00:00.000"),
            ("midnight", "2026-11-23T00:00:00.000"), ("monday", "2026-11-23T23:59:59.999"),
            ("tue", "2026-11-17T23:59:59.999"), ("last monday", "2026-11-16T23:59:59.999"),
            ("last sunday 9:00", "2026-11-22T09:00:59.999"), ("last week", "2026-11-16T23:59:59.999"),
            ("last month", "2026-10-23T23:59:59.999"), ("last year", "2025-11-23T23:59:59.999"),
            ("two hours ago", "2026-11-23T10:00:00.000"),
            ("an hour ago", "2026-11-23T11:00:00.000"), ("1 hour ago", "2026-11-23T11:00:00.000"),
            ("1h", "2026-11-23T11:00:00.000"), ("1h ago", "2026-11-23T11:00:00.000"),
            ("1h30m ago", "2026-11-23T10:30:00.000"), ("3 days ago", "2026-11-20T12:00:00.000"),
            ("2 weeks ago", "2026-11-09T12:00:00.000"), ("a month ago", "2026-10-23T12:00:00.000"),
            ("22 Nov", "2026-11-22T23:59:59.999"), ("Nov 22", "2026-11-22T23:59:59.999"),
            ("24 Nov", "2025-11-24T23:59:59.999"), ("22 November 2026", "2026-11-22T23:59:59.999"),
            ("November 22nd, 2026", "2026-11-22T23:59:59.999"), ("22 Nov 5:47", "2026-11-22T05:47:59.999"),
            ("22.11.2026", "2026-11-22T23:59:59.999"), ("22.11.", "2026-11-22T23:59:59.999"),
            ("29 Feb", "2024-02-29T23:59:59.999"), ("2026-10", "2026-10-31T23:59:59.999"),
            ("Oct 2026", "2026-10-31T23:59:59.999"), ("2026-11-21", "2026-11-21T23:59:59.999"),
            ("2026-11-22 5:47", "2026-11-22T05:47:59.999"), ("2026-11-21T14:30", "2026-11-21T14:30:59.999"),
            ("2026-11-21T14:30:00Z", "2026-11-21T15:30:00.000"), ("tomorrow", "2026-11-24T23:59:59.999"),
            ("in 2 hours", "2026-11-23T14:00:00.000"),
        ])
    func past(text: String, end: String) { #expect(Self.end(text, .past) == end) }

    @Test(
        "The same words look ahead where a time to come is asked for",
        arguments: [
            ("05:47", "2026-11-24T05:47:59.999"), ("14:30", "2026-11-23T14:30:59.999"),
            ("noon", "2026-11-24T12:00:00.000"), ("midnight", "2026-11-24T00:00:00.000"),
            ("1h", "2026-11-23T13:00:00.000"), ("2 days", "2026-11-25T12:00:00.000"),
            ("in 3 weeks", "2026-12-14T12:00:00.000"), ("tomorrow", "2026-11-24T23:59:59.999"),
            ("friday", "2026-11-27T23:59:59.999"), ("next friday", "2026-11-27T23:59:59.999"),
            ("next monday", "2026-11-30T23:59:59.999"), ("next week", "2026-11-30T23:59:59.999"),
            ("next month", "2026-12-23T23:59:59.999"), ("22 Nov", "2027-11-22T23:59:59.999"),
            ("30 Nov", "2026-11-30T23:59:59.999"), ("31 Dec 18:00", "2026-12-31T18:00:59.999"),
            ("30.11.", "2026-11-30T23:59:59.999"), ("yesterday", "2026-11-22T23:59:59.999"),
            ("1h ago", "2026-11-23T11:00:00.000"),
        ])
    func future(text: String, end: String) { #expect(Self.end(text, .future) == end) }

    @Test(
        "What is no time is refused",
        arguments: [
            "", " ", "soon", "the day before", "2026-13-45", "2027-02-30", "99999999999 days ago", "25:00", "0:60",
            "9", "9:5", "2026", "deadbeef", "last", "last tuesd4y", "mo", "31 Nov 2026", "0 Nov", "22.13.", "22.11.26",
            "ago",
            "1 parsec ago", "-1 days ago", "2026-11-21T", "14:30 05:47", "2026-11 05:47", "next now", "1969-12-31",
            "1.5 months",
        ])
    func refused(text: String) {
        #expect(Self.read(text, .past) == nil)
        #expect(Self.read(text, .future) == nil)
    }

    @Test("A month has the length that it has, also from a longer one")
    func months() {
        let now = Self.moment("2026-03-31T12:00:00+02:00")

        #expect(Self.read("1 month ago", .past, now: now)?.end == Self.moment("2026-02-28T12:00:00+01:00"))
        #expect(Self.read("in 11 months", .future, now: now)?.end == Self.moment("2027-02-28T12:00:00+01:00"))
    }

    @Test("Where clocks are put forward, a day has 23 hours and a time that is left out counts as so much after")
    func spring() {
        let now = Self.moment("2026-03-29T12:00:00+02:00")

        #expect(Self.read("today", .past, now: now)?.start == Self.moment("2026-03-29T00:00:00+01:00"))
        #expect(Self.read("today", .past, now: now)?.end == Self.moment("2026-03-29T21:59:59.999Z"))
        #expect(Self.read("2:30", .past, now: now)?.start == Self.moment("2026-03-29T03:30:00+02:00"))
        #expect(Self.read("1 day ago", .past, now: now)?.end == Self.moment("2026-03-28T12:00:00+01:00"))
        #expect(Self.read("24h ago", .past, now: now)?.end == Self.moment("2026-03-28T11:00:00+01:00"))
        let before = Self.moment("2026-03-28T12:00:00+01:00")
        #expect(Self.read("tomorrow", .future, now: before)?.end == Self.moment("2026-03-29T21:59:59.999Z"))
    }

    @Test("Where clocks are put back, a day has 25 hours and a time that comes twice means both")
    func autumn() {
        let now = Self.moment("2026-10-25T12:00:00+01:00")
        let twice = Self.read("2:30", .past, now: now)

        #expect(twice?.start == Self.moment("2026-10-25T02:30:00+02:00"))
        #expect(twice?.end == Self.moment("2026-10-25T02:30:59.999+01:00"))
        #expect(Self.read("today", .past, now: now)?.start == Self.moment("2026-10-25T00:00:00+02:00"))
        #expect(Self.read("today", .past, now: now)?.end == Self.moment("2026-10-25T23:59:59.999+01:00"))
        #expect(Self.read("1 day ago", .past, now: now)?.end == Self.moment("2026-10-24T12:00:00+02:00"))
    }

    @Test(
        "A duration has one grammar",
        arguments: [
            ("30s", 30.0), ("5m", 300), ("2h", 7200), ("3d", 259_200), ("2 weeks", 1_209_600), ("1h30m", 5400),
            ("1.5h", 5400), ("an hour", 3600), ("a minute", 60), ("45", 45), ("0.1", 0.1), ("90 minutes", 5400),
            ("0", 0),
        ])
    func duration(text: String, seconds: Double) {
        #expect(WrittenDuration(text, plain: .second)?.seconds == seconds)
    }

    @Test("What is no duration is refused, and a month is none in seconds")
    func noDuration() {
        for text in [
            "", "s", "-1", "1h1h", "30m1h", "1 2", "5x", ".5", "5.", "1.2.3", "9999999999", "soon", "5 5s", "m5",
        ] {
            #expect(WrittenDuration(text, plain: .second)?.seconds == nil, "\(text)")
        }
        #expect(WrittenDuration("5") == nil)
        #expect(WrittenDuration("2 months")?.seconds == nil)
    }
}
