import CueBase
import CueTestSupport
import Foundation
import Testing

@testable import CueEngine

@Suite("WallClock")
struct WallClockTests {
    struct Example: Sendable {
        let zone: String
        let hour, minute: Int
        let after, expected: String
    }

    static let examples = [
        // 02:00 becomes 03:00 on 2026-03-29, and 03:00 becomes 02:00 on 2026-10-25.
        Example(
            zone: "Europe/Berlin", hour: 2, minute: 30, after: "2026-03-28T12:00:00Z", expected: "2026-03-29T01:00:00Z"),
        Example(
            zone: "Europe/Berlin", hour: 2, minute: 30, after: "2026-03-29T01:00:00Z", expected: "2026-03-30T00:30:00Z"),
        Example(
            zone: "Europe/Berlin", hour: 2, minute: 30, after: "2026-10-24T12:00:00Z", expected: "2026-10-25T00:30:00Z"),
        // Once only: the second 02:30 of that day is passed over.
        Example(
            zone: "Europe/Berlin", hour: 2, minute: 30, after: "2026-10-25T00:30:00Z", expected: "2026-10-26T01:30:00Z"),
        Example(
            zone: "Europe/Berlin", hour: 9, minute: 0, after: "2026-03-28T08:00:00Z", expected: "2026-03-29T07:00:00Z"),
        Example(
            zone: "America/New_York", hour: 2, minute: 30, after: "2026-03-07T20:00:00Z",
            expected: "2026-03-08T07:00:00Z"),
        Example(
            zone: "America/New_York", hour: 1, minute: 30, after: "2026-10-31T20:00:00Z",
            expected: "2026-11-01T05:30:00Z"),
        Example(
            zone: "America/New_York", hour: 1, minute: 30, after: "2026-11-01T05:30:00Z",
            expected: "2026-11-02T06:30:00Z"),
        // Half an hour: 02:00 becomes 02:30 on 2026-10-04, and 02:00 becomes 01:30 on 2026-04-05.
        Example(
            zone: "Australia/Lord_Howe", hour: 2, minute: 10, after: "2026-10-03T12:00:00Z",
            expected: "2026-10-03T15:30:00Z"),
        Example(
            zone: "Australia/Lord_Howe", hour: 1, minute: 45, after: "2026-04-04T12:00:00Z",
            expected: "2026-04-04T14:45:00Z"),
        Example(
            zone: "Australia/Lord_Howe", hour: 1, minute: 45, after: "2026-04-04T14:45:00Z",
            expected: "2026-04-05T15:15:00Z"),
        // Midnight itself is missing on 2018-11-04, and comes twice on the night to 2018-02-18.
        Example(
            zone: "America/Sao_Paulo", hour: 0, minute: 0, after: "2018-11-03T12:00:00Z",
            expected: "2018-11-04T03:00:00Z"),
        Example(
            zone: "America/Sao_Paulo", hour: 0, minute: 30, after: "2018-11-03T12:00:00Z",
            expected: "2018-11-04T03:00:00Z"),
        Example(
            zone: "America/Sao_Paulo", hour: 23, minute: 30, after: "2018-02-17T12:00:00Z",
            expected: "2018-02-18T01:30:00Z"),
        Example(
            zone: "America/Sao_Paulo", hour: 23, minute: 30, after: "2018-02-18T01:30:00Z",
            expected: "2018-02-19T02:30:00Z"),
        Example(
            zone: "Asia/Kathmandu", hour: 9, minute: 0, after: "2026-06-01T03:15:00Z", expected: "2026-06-02T03:15:00Z"),
        Example(
            zone: "Asia/Kathmandu", hour: 0, minute: 0, after: "2026-06-01T18:14:59Z", expected: "2026-06-01T18:15:00Z"),
        Example(zone: "UTC", hour: 0, minute: 0, after: "2026-12-31T23:59:59Z", expected: "2027-01-01T00:00:00Z"),
        Example(zone: "UTC", hour: 23, minute: 59, after: "1969-12-31T23:58:00Z", expected: "1969-12-31T23:59:00Z"),
        // The day that Samoa left out.
        Example(
            zone: "Pacific/Apia", hour: 9, minute: 0, after: "2011-12-29T20:00:00Z", expected: "2011-12-30T10:00:00Z"),
    ]

    @Test(
        "The next time of day is right where clocks change: after a gap at its end, and of two the first",
        arguments: examples)
    func next(_ example: Example) {
        let next = clock(example.zone).next(example.hour, example.minute, after: moment(example.after))

        #expect(next == moment(example.expected))
    }

    @Test(
        "A time of day comes once a day, in every zone and every year",
        arguments: [
            "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC", "Africa/Casablanca",
        ])
    func onceADay(zone: String) {
        var generator = SeededGenerator(seed: 5)
        let clock = clock(zone)
        for _ in 0..<20 {
            let (hour, minute) = (Int.random(in: 0...23, using: &generator), Int.random(in: 0...59, using: &generator))
            var time = Timestamp(
                milliseconds: Int64.random(in: 1_500_000_000...1_800_000_000, using: &generator) * 1000)
            time = clock.next(hour, minute, after: time)
            for _ in 0..<400 {
                let next = clock.next(hour, minute, after: time)
                #expect(clock.day(of: next) == clock.day(of: time) + 1, "\(zone) \(hour):\(minute) after \(time)")
                let shown = clock.minuteOfDay(of: next)
                #expect((0..<60).contains(shown - hour * 60 - minute) || shown == hour * 60 + minute)
                time = next
            }
        }
    }

    @Test("Days and times are shown as the wall and the calendar do")
    func shown() {
        #expect(clock("UTC").shownDay(moment("2024-02-29T12:00:00Z")) == "2024-02-29")
        #expect(clock("UTC").shownDay(moment("1970-01-01T00:00:00Z")) == "1970-01-01")
        #expect(clock("Asia/Kathmandu").shownDay(moment("2026-12-31T18:15:00Z")) == "2027-01-01")
        #expect(clock("Asia/Kathmandu").shownTime(moment("2026-12-31T18:15:00Z")) == "00:00")
        #expect(clock("America/New_York").shownTime(moment("2026-07-01T13:05:00Z")) == "09:05")
    }

    @Test("Days are shown as the system's calendar does")
    func calendar() {
        var generator = SeededGenerator(seed: 8)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        for _ in 0..<500 {
            let seconds = Int64.random(in: 0...253_402_300_799, using: &generator)
            let parts = calendar.dateComponents(
                [.year, .month, .day], from: Date(timeIntervalSince1970: Double(seconds)))

            let shown = clock("UTC").shownDay(Timestamp(milliseconds: seconds * 1000))

            #expect(shown.split(separator: "-").map { Int($0) } == [parts.year, parts.month, parts.day])
        }
    }
}
