import CueBase
import CueEvents
import CueTestSupport
import Foundation
import Testing

@Suite("The garden's days and weeks")
struct GardenCalendarTests {
    /// Each with changes of the clock in the time that the tests walk through; Lord Howe's is half an hour, and Apia
    /// left out the whole of 30 December 2011.
    static let zones = [
        ("Europe/Lisbon", "2026-03-20T00:00:00Z"), ("Europe/Lisbon", "2026-10-20T00:00:00Z"),
        ("America/New_York", "2026-03-01T00:00:00Z"), ("America/New_York", "2026-10-26T00:00:00Z"),
        ("Australia/Lord_Howe", "2026-03-30T00:00:00Z"), ("Australia/Lord_Howe", "2026-09-28T00:00:00Z"),
        ("Pacific/Apia", "2011-12-20T00:00:00Z"), ("Asia/Kathmandu", "2026-01-01T00:00:00Z"),
    ]

    @Test("Every moment lies in one day and one week, which begin at their resets", arguments: zones)
    func resets(_ zone: String, _ start: String) throws {
        let calendar = try GardenMaterial.calendar(zone)
        let first = GardenMaterial.time(start).milliseconds
        for step in 0..<(24 * 18 * 4) {
            let now = Timestamp(milliseconds: first + Int64(step) * 900_000)
            let (daily, weekly) = (calendar.dailyReset(now), calendar.weeklyReset(now))
            let next = calendar.nextWaterReset(now)

            #expect(daily <= now && now < next, "\(now.iso8601)")
            #expect(weekly <= daily && now < calendar.nextSunReset(now), "\(now.iso8601)")
            #expect(calendar.dailyReset(daily) == daily && calendar.dailyReset(next) == next, "\(now.iso8601)")
            #expect(calendar.dayKey(daily) == calendar.dayKey(now), "\(now.iso8601)")
            #expect(calendar.resetText(daily).hasSuffix("at 6:00 AM"), "\(now.iso8601)")
        }
    }

    @Test("A watering a day keeps the streak, whatever the clocks do", arguments: zones)
    func streak(_ zone: String, _ start: String) throws {
        let calendar = try GardenMaterial.calendar(zone)
        var moment = calendar.dailyReset(GardenMaterial.time(start))
        var events: [Event] = []
        for number in 0..<18 {
            // The first and the last millisecond of the days in turn.
            let last = Timestamp(milliseconds: calendar.nextWaterReset(moment).milliseconds - 1)
            let time = number % 2 == 0 ? moment : last
            events.append(GardenMaterial.event("\(number)", time, .watered(sprout: "s", content: "x", prompt: nil)))
            moment = calendar.nextWaterReset(moment)
        }
        let garden = GardenReplay(events)

        let today = garden.today(now: moment, calendar)

        #expect(today.streak == 18 && today.longestStreak == 18)
        #expect(garden.today(now: calendar.nextWaterReset(moment), calendar).streak == 0)
    }

    @Test("What was counted holds until the next reset, and for the events that were counted")
    func validity() {
        let calendar = GardenMaterial.utc
        let evening = GardenMaterial.time("2026-01-25T23:00:00Z")
        var garden = GardenReplay([
            GardenMaterial.event("a", evening, .watered(sprout: "s", content: "x", prompt: nil))
        ])
        let today = garden.today(now: evening, calendar)

        #expect(today.water == 2)
        #expect(today.isValid(at: GardenMaterial.time("2026-01-26T05:59:59.999Z"), for: garden))
        #expect(!today.isValid(at: GardenMaterial.time("2026-01-26T06:00:00Z"), for: garden))
        #expect(!today.isValid(at: GardenMaterial.time("2026-01-25T05:59:59Z"), for: garden))
        garden.append(GardenMaterial.event("b", evening, .watered(sprout: "s", content: "y", prompt: nil)))
        #expect(!today.isValid(at: evening, for: garden))
    }

    @Test("A day that a zone leaves out begins with the next")
    func leftOut() throws {
        let calendar = try GardenMaterial.calendar("Pacific/Apia")
        let before = GardenMaterial.time("2011-12-30T09:59:00Z")
        let after = GardenMaterial.time("2011-12-30T10:01:00Z")

        #expect(calendar.dayKey(before) == "2011-12-29")
        #expect(calendar.dayKey(after) == "2011-12-29")
        #expect(calendar.nextWaterReset(before) == GardenMaterial.time("2011-12-30T16:00:00Z"))
        #expect(calendar.dayKey(GardenMaterial.time("2011-12-30T16:00:00Z")) == "2011-12-31")
    }
}
