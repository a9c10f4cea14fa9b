package import CueBase

/// The part of the garden that depends on the time of day: water and sun left, today's waterings, the streak.
///
/// It holds from `validFrom` until `validUntil`, and only for the events of which it was made. Before a stored value is
/// used, ask `isValid`.
package struct GardenToday: Equatable, Sendable {
    /// Waterings left today, 0 to 3, and suns left this week, 0 or 1.
    package let water, sun: Int
    /// Ids of sprouts, also unknown ones, in the order of their first watering since the reset.
    package let wateredToday, wateredThisWeek: [String]
    /// True if a sun was noted this week.
    package let shoneThisWeek: Bool
    /// Days in a row with a watering, until today, or until yesterday if today has none; and the most ever.
    package let streak, longestStreak: Int
    /// The end of the day, and of the week.
    package let nextWaterReset, nextSunReset: Timestamp
    /// The beginning of the day.
    package let validFrom: Timestamp
    /// The next reset; that moment already belongs to another day.
    package let validUntil: Timestamp
    /// The number of events that were counted.
    package let events: Int

    /// True if the value still holds at `now`.
    package func isValid(at now: Timestamp, for garden: GardenReplay) -> Bool {
        validFrom <= now && now < validUntil && events == garden.events.count
    }
}

extension GardenReplay {
    /// Counts every watering and sun of the log since the resets, also copies and unknown sprouts, as the origin does.
    package func today(now: Timestamp, _ calendar: GardenCalendar) -> GardenToday {
        let (daily, weekly) = (calendar.dailyReset(now), calendar.weeklyReset(now))
        let (nextWater, nextSun) = (calendar.nextWaterReset(now), calendar.nextSunReset(now))
        // Events that another device's clock dates behind the next reset belong to a future day.
        let week = Array(order.reversed().prefix { times[Int($0)] >= weekly.milliseconds }.reversed())
            .filter { times[Int($0)] < nextSun.milliseconds }
        let day = week.filter { times[Int($0)] >= daily.milliseconds && times[Int($0)] < nextWater.milliseconds }
        let suns = week.count { kinds[Int($0)] == .sun }
        let waterings = day.count { kinds[Int($0)] == .watering }
        let streak = streak(now: now, calendar)
        return GardenToday(
            water: max(0, GardenRules.dailyWater - waterings), sun: max(0, GardenRules.weeklySun - suns),
            wateredToday: watered(day), wateredThisWeek: watered(week), shoneThisWeek: suns > 0,
            streak: streak.current, longestStreak: streak.longest, nextWaterReset: nextWater,
            nextSunReset: nextSun, validFrom: daily, validUntil: nextWater, events: events.count)
    }

    /// The ids of the watered sprouts, each once, in the order of the numbers.
    func watered(_ numbers: [Int32]) -> [String] {
        var seen: Set<GardenID> = []
        return numbers.compactMap { number in
            guard case .watered(let sprout, _, _) = events[Int(number)].action else { return nil }
            return seen.insert(GardenID(sprout)).inserted ? sprout : nil
        }
    }

    /// The ids of the sprouts that were watered since a moment, each once, in the order of the log.
    func watered(since moment: Timestamp, in log: LogOrder) -> [String] {
        let recent = order.reversed().prefix { times[Int($0)] >= moment.milliseconds }
        return watered(log == .time ? recent.reversed() : recent.sorted())
    }

    private func streak(now: Timestamp, _ calendar: GardenCalendar) -> (current: Int, longest: Int) {
        var days = GardenDays(calendar)
        var (runs, last): ([ClosedRange<Int64>], Int64?) = ([], nil)
        var (lengths, length): ([Int], Int) = ([], 0)
        for number in order where kinds[Int(number)] == .watering {
            let day = days.day(of: Timestamp(milliseconds: times[Int(number)]))
            guard day != last else { continue }
            if let last, calendar.areNeighbours(last, day), let run = runs.popLast() {
                runs.append(run.lowerBound...day)
                length += 1
                lengths[lengths.count - 1] = length
            } else {
                runs.append(day...day)
                length = 1
                lengths.append(1)
            }
            last = day
        }
        let today = calendar.day(of: now)
        var current = 0
        for (run, length) in zip(runs, lengths).reversed() {
            if run.contains(today) {
                // Days after today, which another device's clock may have, do not count yet.
                current = length - (run.upperBound > today ? Int(run.upperBound - today) : 0)
                break
            }
            if run.upperBound < today {
                current = calendar.areNeighbours(run.upperBound, today) ? length : 0
                break
            }
            // A run that begins tomorrow does not concern today.
        }
        return (current, lengths.max() ?? 0)
    }
}
