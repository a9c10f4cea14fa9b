import CueBase
package import CueLibrary
import CueSodium
import CueStorage
import CueSystem
import CueVault
import Foundation

/// Saves a library by itself: some time after the last keystroke in a document, and at once when it is told to stop.
///
/// The kernel's reports are only hints, and a look at everything finds what they miss: after lost events, in folders
/// that cannot be watched, and after the machine slept (docs/watch.md).
package struct Watcher {
    /// The options that the marker and the command line give.
    private let settings: (LibraryMarker) -> Options
    private var options: Options
    private let helpers: Helpers
    private let waiter = Waiter()
    private let lock: WatchLock
    /// The folder of the local store.
    private let stateFolder: FilePathBytes
    private var library: OpenLibrary
    private var watch: LibraryWatch
    private var machine: WatchMachine
    private var state: WatchState
    /// The seconds that the machine has slept so far: the difference of two clocks.
    private var asleep: Double
    private var randomness: RandomSource
    private var clock: Clock { library.clock }
    private var cancellation: Cancellation { library.surroundings.cancellation }
    /// Whether the last sync left documents waiting.
    private var hasWaiting = false
    /// What needed the writer, or waited, when it was reported last.
    private var last = ReportedState()
    private var reminders: WatchReminders
    private var sessions = EditSessions()
    /// The library's folder is not at its path; it may come back at any time.
    private var isRootAway = false
    private var reading = ReadingBack()
    private var places = PlaceUpkeep()
    private var locks = WatchedLocks()
    /// The cause of the last sync's failure; nil if it succeeded.
    private var trouble: FailureFact?
    /// The problem of the library's marker at the last look; nil if there was none.
    private var settingsProblem: FailureFact?
    /// A signal cut off the last sync.
    private var isCutOff = false
    /// A signal came: failed syncs are not repeated.
    private var isStopping = false

    /// Becomes the only watcher of the library. Throws `EngineError.alreadyWatched` if there is another.
    ///
    /// `settings`: gives the options for a marker, which may change.
    package init(
        _ library: OpenLibrary, _ settings: @escaping (LibraryMarker) -> Options, _ helpers: Helpers
    ) throws {
        stateFolder = library.state.library(library.marker.library)
        guard let lock = try WatchLock(in: stateFolder) else {
            throw EngineError.alreadyWatched(WatchState.of(library)?.process)
        }
        // The file of a watcher that was killed: other processes would take it for this one's.
        WatchState.remove(from: stateFolder)
        (self.library, self.settings, self.helpers, self.lock) = (library, settings, helpers, lock)
        options = settings(library.marker)
        watch = LibraryWatch(library)
        randomness = library.surroundings.randomness
        let now = library.clock.seconds
        machine = WatchMachine(options, at: now)
        state = WatchState(process: Environment.processID, now: library.clock.now.date)
        reminders = WatchReminders(library, helpers.words)
        asleep = Environment.secondsSinceStart - now
    }

    // MARK: Run

    /// Runs until a signal comes; then saves what waits and returns.
    package mutating func run() throws {
        Interruption.beOneSignal(within: 1)
        publish()
        watch.add()
        hearVault()
        state.limitation = watch.limitation
        helpers.tell(.started(folders: watch.count, limitation: watch.limitation))
        sync()
        while !cancellation.isRequested {
            let now = clock.seconds
            let next = min(reminders.next, places.next(at: now))
            let due = machine.due(at: now, isReading: reading.isUnderWay, reminder: next)
            let wake = waiter.wait(for: watch.events, seconds: max(0, due - now))
            guard !cancellation.isRequested else { break }
            if wake.contains(.mounts) { places.mountsChanged(at: now) }
            if take(watch.read(), wake) { tellChanges() }
            noticeSleep()
            let action = machine.action(at: clock.seconds)
            if action == .sync || action == .lookAtVault && vaultNeedsSync() {
                sync()
            } else if reading.isUnderWay {
                readBack()
                // The history that the reading needed is freed by now.
                if !reading.isUnderWay { ProcessLimits.giveBackFreedMemory() }
            }
            servePlaces()
            remind()
        }
        flush()
    }

    /// Whether a look at the vault shows that a sync is needed: other devices stored something, documents wait, or the
    /// vault cannot be reached.
    private mutating func vaultNeedsSync() -> Bool {
        hearVault()
        return hasWaiting || ((try? hasNews()) ?? true)
    }

    /// Whether another device stored documents. New events alone are exchanged here: they need no look at the folder.
    private mutating func hasNews() throws -> Bool {
        let (vault, place) = try helpers.openVault(library)
        places.want(others(than: place), EngineContext(library, vault))
        let now = clock.now
        let (seen, cursor) = try library.store.read {
            (try $0.seen(), try $0.cursor(.logCursor, listed: .logListed, at: now))
        }
        // Set with `cue project set` since the last sync.
        if try library.store.read({ try $0.hasWaitingSettings() }) { return true }
        if try vault.commits(after: cursor).entries.contains(where: { !seen.contains($0.position) }) { return true }
        try Events.exchangeIfNews(EngineContext(library, vault))
        return false
    }

    // MARK: Hear

    /// Takes news from the folder, and changes status and schedule. Returns whether more documents wait.
    @discardableResult
    private mutating func take(_ news: LibraryWatch.News, _ wake: FolderEvents.Wake) -> Bool {
        let now = clock.seconds
        for path in news.documents { sessions.note(path, at: now) }
        noticeLimitation(at: now)
        let heard = machine.hear(
            news, mountsChanged: wake.contains(.mounts), isInError: state.phase == .error, at: now)
        if let wait = heard.nextTry { state.nextTry = clock.now.date.addingTimeInterval(wait) }
        if news.lostEvents {
            state.overflows += 1
            helpers.tell(.rescan(.lostEvents))
        }
        let isFirst = state.rescan == nil && !heard.rescans.isEmpty
        if isFirst { state.rescan = heard.rescans[0] }
        if isFirst || heard.newDocuments > 0 || heard.nextTry != nil { publish() }
        return heard.newDocuments > 0
    }

    /// The system may run out of watches at any time; from then on everything is looked at more often.
    private mutating func noticeLimitation(at now: Double) {
        guard let limitation = watch.limitation, state.limitation == nil else { return }
        state.limitation = limitation
        machine.losesEvents(at: now)
        publish()
        helpers.tell(.started(folders: watch.count, limitation: limitation))
    }

    /// Notices that the machine slept: one clock goes on meanwhile, the other stands.
    private mutating func noticeSleep() {
        let now = clock.seconds
        let asleep = Environment.secondsSinceStart - now
        defer { self.asleep = asleep }
        guard asleep > self.asleep + 5 else { return }
        machine.woke(at: now)
        if state.rescan == nil {
            state.rescan = .slept
            publish()
        }
        helpers.tell(.rescan(.slept))
    }

    // MARK: Save

    /// Runs one sync. `everything`: also stores documents that are being written in, and all events.
    private mutating func sync(everything: Bool = false) {
        // Return freed memory to the system: the process may run for months.
        defer { ProcessLimits.giveBackFreedMemory() }
        let start = clock.seconds
        // While retrying, keep the phase and its start time; the status must not flicker to `syncing`.
        if !machine.isFailing {
            enter(.syncing)
            helpers.tell(.syncing)
        }
        do {
            try reopen()
            let whole = try LibraryPlaces.whole(of: library)
            let (vault, place) = try helpers.openVault(library)
            do { try save(at: place, vault, everything: everything, since: start) } catch
                where FailureCause(error).takesNothingMore
            {
                var isSaved = false
                for other in whole where !isSaved && other != place {
                    isSaved = try saveElsewhere(
                        other, EngineContext(library, vault), full: place, everything: everything, since: start)
                }
                guard isSaved else { throw error }
            }
        } catch is Interrupted {
            // `run` handles the signal next.
            isCutOff = true
        } catch LibraryError.busy {
            machine.wasBusy(since: start)
        } catch {
            failed(error)
        }
    }

    /// Runs one sync at another place than `full`, where the vault of `context` is and nothing more can be stored.
    /// Returns false if the other cannot be used either.
    private mutating func saveElsewhere(
        _ other: VaultLocation, _ context: EngineContext, full: VaultLocation, everything: Bool, since start: Double
    ) throws -> Bool {
        // Some of the save may have been stored before there was no more room.
        let reports = try others(than: full).bring(context) { $0 == other }
        guard reports.behind.isEmpty, let vault = try? helpers.openAt(library, other) else { return false }
        do {
            try save(at: other, vault, everything: everything, since: start)
            return true
        } catch let error where FailureCause(error).takesNothingMore { return false }
    }

    /// Runs one sync with the vault at a place, as `sync` does.
    private mutating func save(
        at place: VaultLocation, _ vault: Vault, everything: Bool, since start: Double
    ) throws {
        let context = EngineContext(library, vault)
        try others(than: place).prepareToStore(context)
        // Also where the sync fails: another place may have what the vault lacks.
        places.want(others(than: place), context)
        var options = Sync.Options()
        options.backup.refuseStrangers = true
        options.eventsMayWait = !everything
        if !everything { options.backup.resting = machine.schedule.resting(at: start) }
        let summary = try Sync.run(context, options)
        saved(summary, since: start, everything: everything)
        noteWriting(summary.backup.stored, context)
        if let back = places.isUsed(place) { helpers.tell(.place(back)) }
        guard !everything else { return finishPlaces() }
        let (extended, problem) = locks.extend(context, at: place)
        if let extended { helpers.tell(.locked(extended)) }
        if let problem { helpers.tell(.asideFailed(problem)) }
        beginReading(context)
    }

    private mutating func beginReading(_ context: EngineContext) {
        do { try reading.begin(context, days: options.verifyDays) } catch { failed(error) }
    }

    /// Notes progress and lost words of the stored documents. They are in the vault already, so an error here is no
    /// failure of the sync.
    private mutating func noteWriting(_ stored: [StoredDocument], _ context: EngineContext) {
        let lengths = sessions.lengths(at: clock.seconds)
        var writing = WordTracking(context)
        do { try writing.note(stored, lengths: lengths) } catch is Interrupted {} catch {
            helpers.tell(.asideFailed(failure(error)))
        }
        reminders.fell((try? WordTracking.untold(library)) ?? [])
    }

    // MARK: Further places

    private func others(than place: VaultLocation) -> LibraryPlaces {
        LibraryPlaces(of: library, using: place, open: helpers.openPlace)
    }

    /// Takes the reports of the further places, and goes on with them. An error there is no failure of the watcher.
    private mutating func servePlaces() {
        do {
            let (told, hasNews) = try places.serve(at: clock.seconds, using: &randomness)
            for report in told { helpers.tell(.place(report)) }
            if hasNews { machine.lookSoon(at: clock.seconds) }
        } catch is Interrupted {} catch { helpers.tell(.asideFailed(failure(error))) }
    }

    /// Call it after the last save: the time that is left goes to the further places.
    private mutating func finishPlaces() {
        while places.isUnderWay, !cancellation.isRequested {
            servePlaces()
            Wait.milliseconds(20)
        }
    }

    /// Reads one pack, and reports the part when it was the last.
    private mutating func readBack() {
        guard !machine.isFailing else { return }
        do {
            guard let report = try reading.step() else { return }
            helpers.tell(.verified(report))
            reminders.verified(report.problems)
        } catch is Interrupted {} catch { failed(error) }
    }

    /// Opens the folder at the library's path anew, if it is not the same folder any more. Throws as
    /// `OpenLibrary.reopened` does.
    private mutating func reopen() throws {
        isRootAway = try !library.isAtItsPath
        guard isRootAway || watch.isRootLost else { return readSettings() }
        let there = try library.reopened()
        isRootAway = false
        go(on: there)
    }

    /// Reads the marker anew, so that a change counts from this sync on. An invalid marker changes nothing: documents
    /// are still saved.
    private mutating func readSettings() {
        var problem: Failure?
        do {
            if let changed = try library.withChangedMarker() {
                go(on: changed)
                helpers.tell(.settings(problem: nil))
            }
        } catch {
            problem = failure(error)
        }
        if let problem, problem.fact != settingsProblem { helpers.tell(.settings(problem: problem)) }
        settingsProblem = problem?.fact
    }

    /// Continues with a library that was opened anew, or whose marker changed.
    private mutating func go(on library: OpenLibrary) {
        self.library = library
        options = settings(library.marker)
        machine.use(options)
        watch = LibraryWatch(library)
        watch.add()
        hearVault()
        state.limitation = watch.limitation
    }

    /// Watches the vault too, if it is a folder. Called again and again, as a device's folder comes with its first
    /// commit.
    private mutating func hearVault() {
        guard let place = library.vaultPlace.folder else { return }
        watch.addVault(at: place)
    }

    /// A sync succeeded: updates schedule, status and log.
    private mutating func saved(_ summary: Sync.Summary, since start: Double, everything: Bool) {
        let now = clock.seconds
        isCutOff = false
        state.rescan = nil
        machine.saved(since: start, everything: everything, hearsAll: watch.isComplete, at: now)
        // The changes by the sync itself are no news. Other changes that came meanwhile are, and may make the next
        // times earlier.
        let hasChanges = take(watch.read(), [])
        forgetOwn(summary.received + summary.renamed + summary.removed, since: start)
        hearVault()
        hasWaiting = !summary.waiting.isEmpty
        state.lastSync = clock.now.date
        state.conflicts = summary.conflicts.count
        let (wasTroubled, healed) = (trouble != nil, state.failure?.cause.heals == true)
        trouble = nil
        (state.failure, state.nextTry) = (nil, nil)
        enter(.idle)
        if wasTroubled { helpers.tell(.recovered(isVaultBack: healed)) }
        var told = summary
        told.keepNews(since: last)
        last = ReportedState(summary)
        helpers.tell(.saved(told, whole: summary, seconds: now - start))
        if hasChanges { tellChanges() }
        reminders.saved(summary.conflicts)
    }

    /// Forgets the changes that the sync itself made, except in documents that a writer has changed since.
    private mutating func forgetOwn(_ own: [RelativePath], since start: Double) {
        sessions.forget(own)
        guard !own.isEmpty, let scan = try? library.scan() else { return }
        let changed = Set(scan.candidates.map(\.path) + scan.missing.map(\.path))
        machine.forget(own.filter { !changed.contains($0) }, since: start)
    }

    /// A sync or a reading failed: plans the next try, and reports the cause.
    private mutating func failed(_ error: any Error) {
        let failure = failure(error)
        let heals = failure.cause.heals
        let wait = machine.failed(
            mayHeal: heals || isRootAway, at: clock.seconds, using: &randomness)
        let isNew = trouble != failure.fact
        trouble = failure.fact
        state.failure = failure
        state.nextTry = clock.now.date.addingTimeInterval(wait)
        enter(heals ? .offline : .error)
        // A folder that is exchanged for another is away for a moment only.
        if !heals, !isRootAway || machine.failures > 3 { reminders.failed(failure) }
        // The cause belongs in a log once, and not with every try.
        guard isNew else { return helpers.tell(.failedAgain(failure)) }
        helpers.tell(heals ? .offline(failure, nextTry: isStopping ? nil : wait) : .error(failure))
    }

    private func failure(_ error: any Error) -> Failure { Failure(error, vault: library.marker.vault) }

    /// The last save after a signal, within a bounded time. It saves everything that waits, including changes of which
    /// no event came and the rest of a sync that the signal cut off.
    private mutating func flush() {
        helpers.tell(.stopping)
        isStopping = true
        let start = clock.seconds
        let limit = options.flush
        TimeLimit.interrupt(after: limit, clock) {
            // A closed terminal causes two signals, one from its shell and one from the kernel. A person needs longer
            // than a second for another one.
            repeat {
                Interruption.forget()
                take(watch.read(), [])
                sync(everything: true)
            } while cancellation.isRequested && clock.seconds < start + min(1, limit)
        }
        if isRootAway { return helpers.tell(.folderAway) }
        if isCutOff || !machine.schedule.isEmpty || machine.isFailing {
            helpers.tell(.unsaved(machine.schedule.paths.count))
        }
    }

    // MARK: Tell

    /// Reports how many documents wait; none may, if all changes were those of a sync.
    private func tellChanges() {
        let count = machine.schedule.paths.count
        if count > 0 { helpers.tell(.changed(waiting: count)) }
    }

    /// Shows reminders that are due.
    private mutating func remind() {
        do {
            for (reminder, outcome) in try reminders.showDue(in: library) {
                helpers.tell(.reminded(reminder, outcome))
            }
        } catch {
            helpers.tell(.asideFailed(failure(error)))
        }
    }

    /// Changes the phase.
    private mutating func enter(_ phase: WatchState.Phase) {
        if phase != state.phase { state.phaseSince = clock.now.date }
        state.phase = phase
        publish()
    }

    /// Writes the status file, and sets the line for a process that ends at once.
    private mutating func publish() {
        Interruption.setLastWords(helpers.lastWords(machine.schedule.paths.count, state.phase))
        // While a sync runs, only the documents that it leaves out wait.
        let waiting =
            state.phase == .syncing
            ? machine.schedule.resting(at: clock.seconds).sorted() : machine.schedule.paths
        state.waiting = waiting.prefix(WatchState.namesAtMost).map { Display.text($0) }
        // An error is ignored: the disk of the state folder may be full, and the vault on another disk.
        try? state.save(in: stateFolder)
    }
}
