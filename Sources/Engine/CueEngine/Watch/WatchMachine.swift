import CueBase

/// Decides what a watcher does next, and when.
///
/// A value without effects: it takes news and the time, and returns an action. The `Watcher` carries the action out and
/// reports the result. Times are seconds of a clock that is never set back.
struct WatchMachine {
    /// The next thing to do.
    enum Action: Equatable {
        case wait
        /// A document is due, or it is time to look at everything.
        case sync
        /// Only the vault is to be looked at: a list of its commits costs less than a look at every document.
        case lookAtVault
    }

    /// The effects of news, for the status file and the log.
    struct Heard: Equatable {
        /// The number of documents that did not wait before.
        var newDocuments = 0
        /// The reasons for which everything is looked at soon.
        var rescans: [RescanReason] = []
        /// The seconds until a failed sync is repeated; nil unless the news made that earlier.
        var nextTry: Double?
    }

    /// The documents that wait to be saved.
    private(set) var schedule: WatchSchedule
    private var options: WatchOptions
    private var backOff = BackOff()
    /// When the vault is looked at next.
    private var nextPoll: Double
    /// When everything is looked at next.
    private var nextRescan: Double
    /// When the failed sync is repeated; nil if the last one did not fail.
    private var nextTry: Double?
    /// When the last sync failed.
    private var lastFailure = 0.0

    init(_ options: WatchOptions, at now: Double) {
        self.options = options
        schedule = WatchSchedule(debounce: options.debounce, limit: options.limit)
        (nextPoll, nextRescan) = (now + options.poll, now + options.rescan)
    }

    /// Whether a failed sync is to be repeated, or one that found the library locked.
    var isFailing: Bool { nextTry != nil }
    /// The number of failures in a row that may heal by themselves.
    var failures: Int { backOff.failures }

    /// Takes other settings; documents that wait keep their times.
    mutating func use(_ options: WatchOptions) {
        self.options = options
        (schedule.debounce, schedule.limit) = (options.debounce, options.limit)
    }

    // MARK: What to do

    /// When something is to be done next. `isReading`: a part of the vault is being read back. `reminder`: when the
    /// next reminder is due.
    func due(at now: Double, isReading: Bool, reminder: Double) -> Double {
        if let nextTry { return min(nextTry, reminder) }
        if isReading { return now }
        return min(schedule.next ?? .infinity, nextPoll, nextRescan, reminder)
    }

    /// The action that is due now. A look at the vault is returned once, and then planned anew.
    mutating func action(at now: Double) -> Action {
        if let nextTry { return nextTry <= now ? .sync : .wait }
        let hasDocuments = schedule.next.map { $0 <= now } ?? false
        if hasDocuments || nextRescan <= now { return .sync }
        guard nextPoll <= now else { return .wait }
        nextPoll = now + options.poll
        return .lookAtVault
    }

    // MARK: What was heard

    /// Takes news. `mountsChanged`: a file system was mounted or unmounted. `isInError`: the last sync failed for a
    /// reason that does not heal by itself.
    mutating func hear(_ news: LibraryWatch.News, mountsChanged: Bool, isInError: Bool, at now: Double) -> Heard {
        var heard = Heard()
        heard.newDocuments = news.documents.count { schedule.note($0, at: now) }
        if news.vaultChanged { nextPoll = min(nextPoll, now + 1) }
        if isInError, !news.documents.isEmpty || news.vaultChanged { heard.nextTry = tryEarlier(at: now) }
        // A disk came or went, often another one than the vault's. A failure of this early try does not show how long
        // the vault has been away, so the delays begin anew.
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

    /// Plans a look at everything, no later than at `time`.
    private mutating func look(at time: Double, _ reason: RescanReason, _ heard: inout Heard) {
        nextRescan = min(nextRescan, time)
        heard.rescans.append(reason)
    }

    /// An edit may have mended the cause, for example made room on a disk. The sync is not repeated with every event: a
    /// full disk may be written to all day. Returns the seconds until the next try; nil if it is not earlier than
    /// planned.
    private mutating func tryEarlier(at now: Double) -> Double? {
        let pause = max(1, min(30, options.debounce))
        guard let planned = nextTry else { return nil }
        let next = max(now + min(1, options.debounce), lastFailure + pause)
        guard next < planned else { return nil }
        nextTry = next
        return next - now
    }

    /// From now on the system does not report every change: looks at everything come as often as looks at the vault.
    mutating func losesEvents(at now: Double) { nextRescan = min(nextRescan, now + options.poll) }

    /// The vault has something new.
    mutating func lookSoon(at now: Double) { nextPoll = min(nextPoll, now) }

    /// The machine slept, and anything may have changed.
    mutating func woke(at now: Double) {
        nextTry = nextTry.map { _ in now }
        nextRescan = min(nextRescan, now)
    }

    // MARK: How it ended

    /// A sync that began at `start` has saved the documents that were due then, or everything.
    ///
    /// `hearsAll`: the system reports every change in the folder.
    mutating func saved(since start: Double, everything: Bool, hearsAll: Bool, at now: Double) {
        if everything { schedule.savedAll(at: start) } else { schedule.saved(at: start) }
        (nextPoll, nextRescan) = (now + options.poll, now + (hearsAll ? options.rescan : options.poll))
        nextTry = nil
        backOff.reset()
    }

    /// Forgets the changes that a sync itself made since `start`: they are no edits.
    mutating func forget(_ paths: some Sequence<RelativePath>, since start: Double) {
        schedule.forget(paths, since: start)
    }

    /// Another process works on the library. The sync is repeated a second after `start`; that is no failure.
    mutating func wasBusy(since start: Double) { nextTry = start + 1 }

    /// A sync failed. Returns the seconds until it is repeated: few if the cause may heal by itself, else those until
    /// the next look at everything.
    mutating func failed(
        mayHeal: Bool, at now: Double, using generator: inout some RandomNumberGenerator
    ) -> Double {
        let wait = mayHeal ? backOff.next(using: &generator) : max(options.rescan, 60)
        (lastFailure, nextTry) = (now, now + wait)
        return wait
    }
}
