import CueBase

extension Event {
    /// The parts, apart from the time, in which two copies of one event agree. The time at which a log took it is not
    /// one.
    private var identity: [[UInt8]] {
        [Array(type.utf8), Array(clientTimestamp.utf8), payload.canonical]
    }

    /// Whether two events of one id are copies.
    package func isSame(as other: Event) -> Bool { time == other.time && identity == other.identity }

    /// Which of two events of one id counts: true for this one (docs/format.md §11).
    package func standsBefore(_ other: Event) -> Bool {
        if time != other.time { return time < other.time }
        for (x, y) in zip(identity, other.identity) where x != y { return x.lexicographicallyPrecedes(y) }
        return true
    }
}
