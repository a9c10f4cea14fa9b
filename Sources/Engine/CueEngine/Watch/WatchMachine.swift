import CueBase

/// Decides what a watcher does next, and when.
///
/// Pure: it takes what was heard and the time, and gives an action; a driver carries the action out and reports how that ended. Times are
/// seconds on a clock that is never set back.
struct WatchMachine {
    enum Action: Equatable {
        case wait
        /// Something waits to be saved, or it is time to look at everything.
        case sync
        /// Only the vault is to be looked at: its list of commits costs less than a look at every document.
        case lookAtVault
    }

    /// What came of news, for a status and a log.
    struct Heard: Equatable {
        /// Documents that did not wait before.
        var newDocuments = 0
        /// Why everything is looked at soon.
        var rescans: [RescanReason] = []
        /// In how many seconds a try that failed is repeated, where that is earlier than planned.
        var nextTry: Double?
    }

    private(set) var schedule: WatchSchedule
    private var options: WatchOptions
    private var backOff = BackOff()
    private var nextPoll: Double
    private var nextRescan: Double
    /// When the sync that failed last is tried again; nil where it did not fail.
    private var nextTry: Double?
    private var lastFailure = 0.0

    init(_ options: WatchOptions, at now: Double) {
        self.options = options
        schedule = WatchSchedule(debounce: options.debounce, limit: options.limit)
        (nextPoll, nextRescan) = (now + options.poll, now + options.rescan)
    }

    var isFailing: Bool { nextTry != nil }
    /// How often it has failed in a row.
    var failures: Int { backOff.failures }

    /// Goes on with other settings; what waits goes on waiting.
    mutating func use(_ options: WatchOptions) {
        self.options = options
        (schedule.debounce, schedule.limit) = (options.debounce, options.limit)
    }

    // MARK: What to do

    /// When something is to be done next. `isReading`: a part of the vault is being read back; `reminder`: when the next one is due.
    func due(at now: Double, isReading: Bool, reminder: Double) -> Double {
        if let nextTry { return min(nextTry, reminder) }
        if isReading { return now }
        return min(schedule.next ?? .infinity, nextPoll, nextRescan, reminder)
    }

    mutating func action(at now: Double) -> Action {
        if let nextTry { return nextTry <= now ? .sync : .wait }
        let hasDocuments = schedule.next.map { $0 <= now } ?? false
        if hasDocuments || nextRescan <= now { return .sync }
        guard nextPoll <= now else { return .wait }
        nextPoll = now + options.poll
        return .lookAtVault
    }

    // MARK: What was heard

    /// `isInError`: the last sync failed with what does not heal by itself.
    mutating func hear(_ news: LibraryWatch.News, mountsChanged: Bool, isInError: Bool, at now: Double) -> Heard {
        var heard = Heard()
        heard.newDocuments = news.documents.count { schedule.note($0, at: now) }
        if news.vaultChanged { nextPoll = min(nextPoll, now + 1) }
        if isInError, !news.documents.isEmpty || news.vaultChanged { heard.nextTry = tryEarlier(at: now) }
        // A disk came or went, and often another one: what fails now says nothing of how long the vault is away.
        if mountsChanged, isFailing {
            nextTry = now + 0.2
            backOff.reset()
        }
        if news.rootIsGone { look(at: now, .folderReplaced, &heard) }
        if news.settingsChanged {
            nextTry = nextTry.map { min($0, now + 0.2) }
            look(at: now + min(1, options.debounce), .settingsChanged, &heard)
        }
        if news.lostEvents {
            look(at: now + options.debounce, .lostEvents, &heard)
        } else if news.isIncomplete {
            look(at: now + options.debounce, .newFolders, &heard)
        }
        return heard
    }

    private mutating func look(at time: Double, _ reason: RescanReason, _ heard: inout Heard) {
        nextRescan = min(nextRescan, time)
        heard.rescans.append(reason)
    }

    /// Who writes, or makes room, may have mended what was wrong. Not with every event: a full disk may be written to all day.
    private mutating func tryEarlier(at now: Double) -> Double? {
        let pause = max(1, min(30, options.debounce))
        guard let planned = nextTry else { return nil }
        let next = max(now + min(1, options.debounce), lastFailure + pause)
        guard next < planned else { return nil }
        nextTry = next
        return next - now
    }

    /// From now on looking finds what the system does not tell.
    mutating func losesEvents(at now: Double) { nextRescan = min(nextRescan, now + options.poll) }

    /// The machine slept, and anything may have happened.
    mutating func woke(at now: Double) {
        nextTry = nextTry.map { _ in now }
        nextRescan = min(nextRescan, now)
    }

    // MARK: How it ended

    /// A sync that began at `start` has saved what was due then, or everything.
    ///
    /// `hearsAll`: the system tells of every change in the folder.
    mutating func saved(since start: Double, everything: Bool, hearsAll: Bool, at now: Double) {
        if everything { schedule.savedAll(at: start) } else { schedule.saved(at: start) }
        (nextPoll, nextRescan) = (now + options.poll, now + (hearsAll ? options.rescan : options.poll))
        nextTry = nil
        backOff.reset()
    }

    /// What a sync itself did to documents is no edit.
    mutating func forget(_ paths: some Sequence<RelativePath>, since start: Double) {
        schedule.forget(paths, since: start)
    }

    /// Another process is at work on the library: it is tried again in a second, and that is no failure.
    mutating func wasBusy(since start: Double) { nextTry = start + 1 }

    /// Returns in how many seconds it is tried again: soon where it may heal by itself, else with the next look at everything.
    mutating func failed(
        mayHeal: Bool, at now: Double, using generator: inout some RandomNumberGenerator
    ) -> Double {
        let wait = mayHeal ? backOff.next(using: &generator) : max(options.rescan, 60)
        (lastFailure, nextTry) = (now, now + wait)
        return wait
    }
}
