import CueBase
import CueSystem
import Synchronization

/// Keeps the further places of a watcher's vault up to date, on a thread of its own: no save waits for a place that is
/// slow or never answers. A place that is away is tried again after a minute, then more and more rarely, at least once
/// an hour.
struct PlaceUpkeep {
    /// One look at all places whose time has come.
    private final class Run: Sendable {
        let ended = Mutex<Result<[PlaceReport], any Error>?>(nil)
    }

    private var run: (run: Run, thread: Thread)?
    /// The input of the next run; nil if there is no reason for one yet.
    private var wanted: (places: LibraryPlaces, context: EngineContext)?
    private var last: (places: LibraryPlaces, context: EngineContext)?
    private var retries: [VaultLocation: (backOff: BackOff, next: Double)] = [:]
    /// The times, in seconds of the clock, until which nothing is fetched from places with objects that do not open:
    /// each fetch downloads them again.
    private var rests: [VaultLocation: Double] = [:]
    private static let restSeconds = 3600.0
    /// The time until which nothing is fetched, as the place that the watcher works with takes nothing more.
    private var fetchesFrom = -Double.infinity
    /// The places that were reported to be behind.
    private var behind: Set<VaultLocation> = []

    /// Whether something is being brought, or is about to be.
    var isUnderWay: Bool { run != nil || wanted != nil }

    /// When to look again, in seconds of the clock: soon while a run is under way.
    func next(at now: Double) -> Double {
        if run != nil { return now + 0.25 }
        return wanted != nil ? now : retries.values.map(\.next).min() ?? .infinity
    }

    /// Call it after something was stored, and when it is time to look at what others stored.
    mutating func want(_ places: LibraryPlaces, _ context: EngineContext) {
        (wanted, last) = ((places, context), (places, context))
    }

    /// A disk came or went: all places are tried again at once.
    mutating func mountsChanged(at now: Double) { for place in retries.keys { retries[place]?.next = now } }

    /// Notes that the watcher works with this place, so it is not behind. Returns a report if it was reported to be.
    mutating func isUsed(_ place: VaultLocation) -> PlaceReport? {
        retries[place] = nil
        return behind.remove(place).map { PlaceReport($0) }
    }

    /// Takes the reports of a run that ended, and begins the next one if there is a reason. Returns the reports that
    /// are news, and whether the vault has something new.
    mutating func serve(
        at now: Double, using generator: inout some RandomNumberGenerator
    ) throws -> (told: [PlaceReport], hasNews: Bool) {
        var (told, hasNews) = ([PlaceReport](), false)
        if let (run, thread) = run, let ended = run.ended.withLock(\.self) {
            thread.join()
            self.run = nil
            defer { begin(at: now) }
            guard case .success(let reports) = ended else {
                // The vault itself failed, which the next sync reports too.
                retries = retries.mapValues { ($0.backOff, max($0.next, now + 60)) }
                do { _ = try ended.get() } catch let error where FailureCause(error).takesNothingMore {
                    // A sync reports the place as behind. Each fetch would download again what cannot be stored.
                    fetchesFrom = now + Self.restSeconds / 6
                }
                return (told, hasNews)
            }
            for report in reports {
                hasNews = hasNews || report.fetched > 0
                if note(report, at: now, using: &generator) { told.append(report) }
            }
            return (told, hasNews)
        }
        if run == nil { begin(at: now) }
        return (told, hasNews)
    }

    private mutating func begin(at now: Double) {
        let isDue = retries.values.contains { $0.next <= now }
        guard let work = wanted ?? (isDue ? last : nil) else { return }
        wanted = nil
        let later = Set(retries.filter { $0.value.next > now }.keys)
        let (unfetched, fetches) = (later.union(rests.filter { $0.value > now }.keys), now >= fetchesFrom)
        let run = Run()
        let thread = Thread {
            let found = Result { () throws -> [PlaceReport] in
                var reports = try work.places.fetch(work.context) { fetches && !unfetched.contains($0) }
                let left = later.union(reports.behind)
                reports.merge(try work.places.bring(work.context) { !left.contains($0) })
                return reports
            }
            run.ended.withLock { $0 = found }
        }
        // Without a thread the work is done here.
        if !thread.isRunning { thread.join() }
        self.run = (run, thread)
    }

    /// Plans the next try. Returns whether the place was not behind before and is now, or the other way round.
    private mutating func note(
        _ report: PlaceReport, at now: Double, using generator: inout some RandomNumberGenerator
    ) -> Bool {
        guard report.outcome != .complete else {
            retries[report.place] = nil
            if report.unreadable > 0 { rests[report.place] = now + Self.restSeconds }
            return behind.remove(report.place) != nil || report.unreadable > 0
        }
        var backOff = retries[report.place]?.backOff ?? BackOff(first: 60, most: 3600)
        let wait = backOff.next(using: &generator)
        retries[report.place] = (backOff, now + wait)
        return behind.insert(report.place).inserted
    }
}
