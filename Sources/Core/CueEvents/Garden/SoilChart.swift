package import CueBase

/// The soil over a range of time, at evenly spaced points and at `now`.
package enum SoilChart {
    /// The range that a chart covers.
    package enum Range: String, CaseIterable, Sendable {
        case day = "1d"
        case week = "1w"
        case month = "1m"
        case threeMonths = "3m"
        case sixMonths = "6m"
        case thisYear = "ytd"
        case all

        /// Seconds between points; nil if it depends on the length of the history.
        fileprivate var interval: Double? {
            switch self {
            case .day: 3_600
            case .week: 21_600
            case .month: 86_400
            case .threeMonths: 302_400
            case .sixMonths, .thisYear: 604_800
            case .all: nil
            }
        }
    }

    private static let nodes = 48.0
    private static let hour: Int64 = 3_600_000

    /// Points from the beginning of the range until `now`; none if `history` is empty. `history` is in the order of
    /// time.
    ///
    /// Each point has the last state at or before it, and 10 of 10 units before the first event.
    package static func points(
        of history: [GardenReplay.SoilPoint], _ range: Range, now: Timestamp, _ calendar: GardenCalendar
    ) -> [GardenReplay.SoilPoint] {
        guard let first = history.first else { return [] }
        let start = start(of: range, first: first.time, now: now, calendar)
        var (capacity, available) = (Soil().capacity, Soil().available)
        // Floored to the hour, the first point may lie before the range. It shows the state at the beginning of the
        // range.
        if let before = history.last(where: { $0.time <= start }) {
            (capacity, available) = (before.capacity, before.available)
        }
        var next = 0
        return moments(range, from: start, now: now, calendar).map { moment in
            while next < history.count, history[next].time <= moment {
                (capacity, available) = (history[next].capacity, history[next].available)
                next += 1
            }
            return GardenReplay.SoilPoint(time: moment, capacity: capacity, available: available)
        }
    }

    private static func start(
        of range: Range, first: Timestamp, now: Timestamp, _ calendar: GardenCalendar
    ) -> Timestamp {
        let today = calendar.civilDay(of: now)
        let date = CivilDate(daysSince1970: today)
        /// The same day of an earlier month. If that month has no such day, as many days into the next one.
        func back(_ months: Int) -> Timestamp {
            let month = date.year * 12 + date.month - 1 - months
            let first = CivilDate(year: month / 12, month: month % 12 + 1, day: 1)
            return calendar.moment(0, on: first.daysSince1970 + Int64(date.day - 1))
        }
        return switch range {
        case .day: Timestamp(milliseconds: now.milliseconds - 24 * hour)
        case .week: Timestamp(milliseconds: now.milliseconds - 7 * 24 * hour)
        case .month: back(1)
        case .threeMonths: back(3)
        case .sixMonths: back(6)
        case .thisYear: calendar.moment(0, on: CivilDate(year: date.year, month: 1, day: 1).daysSince1970)
        case .all: first
        }
    }

    private static func moments(
        _ range: Range, from start: Timestamp, now: Timestamp, _ calendar: GardenCalendar
    ) -> [Timestamp] {
        // At least an hour, so `.all` has about 49 points at most.
        let span = Double(now.milliseconds - start.milliseconds)
        let interval = range.interval.map { $0 * 1000 } ?? max(span / nodes, Double(hour))
        var moments: [Timestamp] = []
        var moment = start.milliseconds
        if range.interval.map({ $0 <= 21_600 }) ?? true {
            let local = moment + calendar.offset(at: moment)
            moment -= local - GardenCalendar.floor(local, by: hour) * hour
        }
        while moment <= now.milliseconds {
            moments.append(Timestamp(milliseconds: moment))
            // Cut to whole milliseconds after every step, as in the origin.
            moment = Int64((Double(moment) + interval).rounded(.towardZero))
        }
        if moments.last != now { moments.append(now) }
        return moments
    }
}
