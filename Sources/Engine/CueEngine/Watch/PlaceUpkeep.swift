import CueBase
import CueSystem

/// Keeps the further places of a watcher's vault up to date, a few objects at a time: a sync that is due comes between.
/// A place that is away is tried again after a minute, then more and more rarely, at least once an hour.
struct PlaceUpkeep {
    private struct Work {
        var places: LibraryPlaces
        var context: EngineContext
        var open: [VaultLocation]
        var begun: PlaceBringing?
    }

    private var work: Work?
    private var retries: [VaultLocation: (backOff: BackOff, next: Double)] = [:]
    /// Whether a place was reported to be behind.
    private var told: [VaultLocation: Bool] = [:]

    /// Whether something is being brought to a place.
    var isUnderWay: Bool { work != nil }
    /// When the first place that was away is tried again, in seconds of the clock.
    var nextTry: Double { isUnderWay ? .infinity : retries.values.map(\.next).min() ?? .infinity }

    /// Begins with the places that are behind and whose time has come. What was under way goes on with the new state.
    mutating func begin(_ places: LibraryPlaces, _ context: EngineContext, at now: Double) {
        let open = ((try? places.behind()) ?? []).filter { isDue($0, now) }
        guard !open.isEmpty else {
            retries = retries.filter { $0.value.next > now }
            return
        }
        work = Work(places: places, context: context, open: open, begun: work?.begun)
    }

    /// A disk came or went: all places are tried again at once.
    mutating func mountsChanged(at now: Double) { for place in retries.keys { retries[place]?.next = now } }

    private func isDue(_ place: VaultLocation, _ now: Double) -> Bool { retries[place].map { $0.next <= now } ?? true }

    /// Brings what other devices stored at the places that are not known to be away. Returns what there is to report.
    mutating func fetch(
        _ places: LibraryPlaces, _ context: EngineContext, at now: Double,
        using generator: inout some RandomNumberGenerator
    ) throws -> [PlaceReport] {
        let reports = try places.fetch(context) { isDue($0, now) }
        return reports.filter { note($0, at: now, using: &generator) }
    }

    /// Does a little. Returns the report of a place that was finished, if there is something to report.
    mutating func step(at now: Double, using generator: inout some RandomNumberGenerator) throws -> PlaceReport? {
        guard var work else { return nil }
        self.work = nil
        var report: PlaceReport?
        if work.begun != nil {
            try work.begun?.step()
        } else if !work.open.isEmpty {
            work.begun = try work.places.begin(work.open.removeFirst(), work.context)
        }
        if let ended = work.begun?.report { (report, work.begun) = (ended, nil) }
        if work.begun != nil || !work.open.isEmpty { self.work = work }
        return report.flatMap { note($0, at: now, using: &generator) ? $0 : nil }
    }

    /// Plans the next try. Returns whether the place was not behind before and is now, or the other way round.
    private mutating func note(
        _ report: PlaceReport, at now: Double, using generator: inout some RandomNumberGenerator
    ) -> Bool {
        let isBehind = report.outcome != .complete
        if isBehind {
            var backOff = retries[report.place]?.backOff ?? BackOff(first: 60, most: 3600)
            let wait = backOff.next(using: &generator)
            retries[report.place] = (backOff, now + wait)
        } else {
            retries[report.place] = nil
        }
        let before = told.updateValue(isBehind, forKey: report.place) ?? false
        return before != isBehind || report.unreadable > 0
    }
}
