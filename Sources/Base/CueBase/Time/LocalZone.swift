/// The local time of a place, given as its distance from UTC at each moment.
package struct LocalZone: Sendable {
    private let offset: @Sendable (Timestamp) -> Int

    /// `offset`: the seconds east of UTC at a moment.
    package init(offset: @escaping @Sendable (Timestamp) -> Int) { self.offset = offset }

    private static let dayLength: Int64 = 86_400_000

    /// The local day, counted from 1970-01-01, and the milliseconds since its midnight.
    func wall(_ time: Timestamp) -> (day: Int64, milliseconds: Int64) {
        let local = time.milliseconds + Int64(offset(time)) * 1000
        let day = local / Self.dayLength - (local % Self.dayLength < 0 ? 1 : 0)
        return (day, local - day * Self.dayLength)
    }

    /// The moments at which a clock shows this time: two where clocks are put back. A time that is left out where they
    /// are put forward counts as so much after the change.
    func moments(_ day: Int64, _ milliseconds: Int64) -> ClosedRange<Timestamp> {
        let wall = day * Self.dayLength + milliseconds
        // Offsets are less than a day, and no zone changes twice within two days.
        let offsets = [wall - Self.dayLength, wall + Self.dayLength].map {
            Int64(offset(Timestamp(milliseconds: $0))) * 1000
        }
        let found = offsets.map { Timestamp(milliseconds: wall - $0) }.filter { self.wall($0) == (day, milliseconds) }
        guard let first = found.min(), let last = found.max() else {
            let moved = Timestamp(milliseconds: wall - offsets[0])
            return moved...moved
        }
        return first...last
    }

    /// All of these days, to the last millisecond.
    package func span(of days: ClosedRange<Int64>) -> ClosedRange<Timestamp> {
        let start = moments(days.lowerBound, 0).lowerBound
        let next = moments(days.upperBound + 1, 0).lowerBound
        return start...max(start, Timestamp(milliseconds: next.milliseconds - 1))
    }
}
