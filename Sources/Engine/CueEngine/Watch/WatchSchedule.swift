package import CueBase

/// Which documents wait to be saved, and until when: each for itself, so that one that is written in all day keeps no other waiting.
///
/// Pure: times are seconds on a clock that is never set back.
package struct WatchSchedule: Sendable {
    /// How long a document must be left alone.
    package var debounce: Double
    /// How long it waits at most while somebody goes on writing.
    package var limit: Double
    private var waiting: [RelativePath: Times] = [:]

    private struct Times {
        let first: Double
        var last: Double
    }

    package init(debounce: Double = 30, limit: Double = 300) {
        (self.debounce, self.limit) = (debounce, max(debounce, limit))
    }

    /// Something happened to a document; true if it did not wait before.
    @discardableResult
    package mutating func note(_ path: RelativePath, at now: Double) -> Bool {
        let isNew = waiting[path] == nil
        waiting[path, default: Times(first: now, last: now)].last = now
        return isNew
    }

    private func due(_ times: Times) -> Double { min(times.last + debounce, times.first + limit) }

    /// When the next one is to be saved.
    package var next: Double? { waiting.values.map(due).min() }

    /// Those that are still written in.
    package func resting(at now: Double) -> Set<RelativePath> {
        Set(waiting.filter { due($0.value) > now }.keys)
    }

    package var isEmpty: Bool { waiting.isEmpty }
    package var paths: [RelativePath] { waiting.keys.sorted() }

    /// All that was due at `now` was saved, and what came after it waits on.
    package mutating func saved(at now: Double) { waiting = waiting.filter { due($0.value) > now } }

    /// Everything was saved that was noted until `now`.
    package mutating func savedAll(at now: Double) { waiting = waiting.filter { $0.value.last > now } }

    /// What a sync itself did to documents is no edit.
    package mutating func forget(_ paths: some Sequence<RelativePath>, since start: Double) {
        for path in paths {
            guard let times = waiting[path], times.first >= start else { continue }
            waiting[path] = nil
        }
    }
}

/// When to try again after a failure: soon, then ever later, and never all at one moment (full jitter).
package struct BackOff: Sendable {
    private let first: Double
    private let most: Double
    package private(set) var failures = 0

    package init(first: Double = 1, most: Double = 60) { (self.first, self.most) = (first, most) }

    package mutating func reset() { failures = 0 }

    /// Seconds until the next try: between half and all of 1, 2, 4 … 60.
    package mutating func next(using generator: inout some RandomNumberGenerator) -> Double {
        let ceiling = min(most, first * Double(1 << min(failures, 20)))
        failures += 1
        return ceiling * Double.random(in: 0.5...1, using: &generator)
    }
}
