package import CueBase

/// The documents that wait to be saved, and until when. Each has its own times, so that one that is written in all day
/// keeps no other waiting.
///
/// A value without effects: times are seconds of a clock that is never set back.
package struct WatchSchedule: Sendable {
    /// The seconds that a document must be left alone before it is saved.
    package var debounce: Double
    /// The seconds that it waits at most while a person goes on writing.
    package var limit: Double
    private var waiting: [RelativePath: Times] = [:]

    /// The first and the last change of a document that is not saved yet.
    private struct Times {
        let first: Double
        var last: Double
    }

    /// No document waits. The limit is no shorter than `debounce`.
    package init(debounce: Double, limit: Double) {
        (self.debounce, self.limit) = (debounce, max(debounce, limit))
    }

    /// Notes a change of a document; true if it did not wait before.
    @discardableResult
    package mutating func note(_ path: RelativePath, at now: Double) -> Bool {
        let isNew = waiting[path] == nil
        waiting[path, default: Times(first: now, last: now)].last = now
        return isNew
    }

    private func due(_ times: Times) -> Double { min(times.last + debounce, times.first + limit) }

    /// When the next document is to be saved; nil if none waits.
    package var next: Double? { waiting.values.map(due).min() }

    /// The documents that are not due yet, as they are being written in.
    package func resting(at now: Double) -> Set<RelativePath> {
        Set(waiting.filter { due($0.value) > now }.keys)
    }

    /// Whether no document waits.
    package var isEmpty: Bool { waiting.isEmpty }
    /// The documents that wait, in order.
    package var paths: [RelativePath] { waiting.keys.sorted() }

    /// Everything that was due at `now` was saved; the others go on waiting.
    package mutating func saved(at now: Double) { waiting = waiting.filter { due($0.value) > now } }

    /// Everything that was noted until `now` was saved.
    package mutating func savedAll(at now: Double) { waiting = waiting.filter { $0.value.last > now } }

    /// Forgets the changes of these documents, if they began at `start` or later: the sync itself made them.
    package mutating func forget(_ paths: some Sequence<RelativePath>, since start: Double) {
        for path in paths {
            guard let times = waiting[path], times.first >= start else { continue }
            waiting[path] = nil
        }
    }
}

/// The delays after failures. Each is up to twice as long as the one before, and partly random, so that many devices do
/// not try at the same moment.
package struct BackOff: Sendable {
    /// The first delay, in seconds.
    private let first: Double
    /// The longest delay, in seconds.
    private let most: Double
    /// The number of failures since the last reset.
    package private(set) var failures = 0

    /// `first`: the longest first delay; `most`: the longest of all, in seconds.
    package init(first: Double = 1, most: Double = 60) { (self.first, self.most) = (first, most) }

    /// The delays begin anew.
    package mutating func reset() { failures = 0 }

    /// Counts a failure and returns the seconds until the next try: between half and all of 1, 2, 4 … 60.
    package mutating func next(using generator: inout some RandomNumberGenerator) -> Double {
        let ceiling = min(most, first * Double(1 << min(failures, 20)))
        failures += 1
        return ceiling * Double.random(in: 0.5...1, using: &generator)
    }
}
