import CueBase
package import CueLibrary
import CueSodium
import CueStorage
import CueSystem
import CueVault
import Foundation
import Synchronization

/// Saves a library by itself: some time after the last keystroke in a document, and at once when it is told to stop.
///
/// What the kernel tells is a hint, a look at everything is the truth: lost events, folders that cannot be watched and machines that
/// slept only make it look again (docs/watch.md).
package struct Watcher {
    private let settings: (LibraryMarker) -> Options
    private var options: Options
    private let helpers: Helpers
    private let waiter = Waiter()
    private let lock: WatchLock
    private let stateFolder: FilePathBytes
    private var library: OpenLibrary
    private var watch: LibraryWatch
    private var machine: WatchMachine
    private var state: WatchState
    private var asleep: Double
    private var randomness: RandomSource
    private var clock: Clock { library.clock }
    private var cancellation: Cancellation { library.surroundings.cancellation }
    private var hasWaiting = false
    /// What was said to wait already: it is not said with every look.
    private var said: Set<SkippedPath> = []
    private var last = ReportedState()
    private var reminders: WatchReminders
    private var sessions = EditSessions()
    /// The folder is not where it was: it may come back at any time.
    private var isRootAway = false
    /// A part of the vault is being read back.
    private var reading: (check: RollingCheck, slice: RollingCheck.Slice)?
    /// What is wrong with the library's marker since the last look.
    private var settingsProblem: String?
    /// The last sync was cut off by a signal.
    private var isCutOff = false
    /// After a signal: nothing is tried again.
    private var isStopping = false

    /// Becomes the watcher of the library; there is one at a time.
    ///
    /// `settings`: what the library's marker, which may change, and the command line say.
    package init(
        _ library: OpenLibrary, _ settings: @escaping (LibraryMarker) -> Options, _ helpers: Helpers
    ) throws {
        stateFolder = library.state.library(library.marker.library)
        guard let lock = try WatchLock(in: stateFolder) else {
            throw EngineError.alreadyWatched(WatchState.of(library)?.process)
        }
        // The file of a watcher that was killed; whoever asks now would take it for this one's.
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

    /// Until a signal comes; then what waits is saved, and it returns.
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
            let due = machine.due(at: now, isReading: reading != nil, reminder: reminders.next)
            let wake = waiter.wait(for: watch.events, seconds: max(0, due - now))
            guard !cancellation.isRequested else { break }
            take(watch.read(), wake)
            noticeSleep()
            let action = machine.action(at: clock.seconds)
            if action == .sync || action == .lookAtVault && vaultNeedsSync() {
                sync()
            } else if reading != nil {
                readBack()
                // Here the history that it read is gone.
                if reading == nil { ProcessLimits.giveBackFreedMemory() }
            }
            remind()
        }
        flush()
    }

    private mutating func vaultNeedsSync() -> Bool {
        hearVault()
        return hasWaiting || ((try? hasNews()) ?? true)
    }

    /// Whether another device stored documents. Events alone are brought at once: they need no look at the folder.
    private func hasNews() throws -> Bool {
        let vault = try helpers.openVault(library)
        let now = clock.now
        let (seen, cursor) = try library.store.read {
            (try $0.seen(), try $0.cursor(.logCursor, listed: .logListed, at: now))
        }
        if try vault.log.news(after: cursor).entries.contains(where: { !seen.contains($0.position) }) { return true }
        try Events.exchangeIfNews(EngineContext(library, vault))
        return false
    }

    // MARK: Hear

    private mutating func take(_ news: LibraryWatch.News, _ wake: FolderEvents.Wake) {
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
    }

    /// The system may run out of watches at any time; from then on looking finds what nobody tells.
    private mutating func noticeLimitation(at now: Double) {
        guard let limitation = watch.limitation, state.limitation == nil else { return }
        state.limitation = limitation
        machine.losesEvents(at: now)
        publish()
        helpers.tell(.started(folders: watch.count, limitation: limitation))
    }

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

    private mutating func sync(everything: Bool = false) {
        // A process that runs for months keeps no room for what it once needed.
        defer { ProcessLimits.giveBackFreedMemory() }
        let start = clock.seconds
        // While it retries, the watcher keeps its phase and since when: the status must not flicker to `syncing` at each try.
        if !machine.isFailing { enter(.syncing) }
        do {
            try reopen()
            let context = EngineContext(library, try helpers.openVault(library))
            var options = Sync.Options()
            options.backup.refuseStrangers = true
            options.eventsMayWait = !everything
            if !everything { options.backup.resting = machine.schedule.resting(at: start) }
            let summary = try Sync.run(context, options)
            saved(summary, since: start, everything: everything)
            noteWriting(summary.backup.stored, context)
            if !everything { beginReading(context) }
        } catch is Interrupted {
            // The signal that came is looked at next.
            isCutOff = true
        } catch LibraryError.busy {
            machine.wasBusy(since: start)
        } catch {
            failed(error)
        }
    }

    /// Who wrote, and what lost its words. It is in the vault already: what goes wrong here is no failure of a sync.
    private mutating func noteWriting(_ stored: [StoredDocument], _ context: EngineContext) {
        let lengths = sessions.lengths(at: clock.seconds)
        var writing = WordTracking(context)
        do { try writing.note(stored, lengths: lengths) } catch is Interrupted {} catch {
            helpers.tell(.error(helpers.describe(error, library).message))
        }
        reminders.fell((try? WordTracking.untold(library)) ?? [])
    }

    /// Once a day; a part that is being read already goes on.
    private mutating func beginReading(_ context: EngineContext) {
        let check = RollingCheck(context)
        guard reading == nil, options.verifyDays > 0, check.isDue else { return }
        do { reading = (check, try check.begin(days: options.verifyDays)) } catch { failed(error) }
    }

    /// One pack; what is due comes before the next one.
    private mutating func readBack() {
        guard !machine.isFailing, let (check, begun) = reading else { return }
        var slice = begun
        reading = nil
        do {
            try check.step(&slice)
            guard slice.isDone else { return reading = (check, slice) }
            let report = try check.finish(slice)
            helpers.tell(.verified(report))
            reminders.verified(report.problems)
        } catch is Interrupted {} catch {
            // The next sync begins anew.
            failed(error)
        }
    }

    /// The folder may have been moved, or replaced by another.
    private mutating func reopen() throws {
        let isSame = try library.path.info().map { info in try library.root.info().inode == info.inode } ?? false
        isRootAway = !isSame
        guard !isSame || watch.isRootLost else { return readSettings() }
        let there = try OpenLibrary(
            at: library.path, state: library.state, surroundings: library.surroundings)
        // Its documents belong in another vault, and the deletion of ours in none.
        guard there.marker.library == library.marker.library else {
            throw OtherLibrary(path: library.path.description)
        }
        isRootAway = false
        go(on: there)
    }

    /// What somebody changes in `.cue/library.toml` counts from the next sync on. A mistake in it keeps nothing from being saved.
    private mutating func readSettings() {
        var problem: String?
        do {
            guard let marker = try LibraryMarker(in: library.root), marker.library == library.marker.library else {
                throw LibraryError.markerInvalid(.replaced)
            }
            if marker != library.marker {
                go(on: library.with(marker: marker))
                helpers.tell(.settings(problem: nil))
            }
        } catch {
            problem = helpers.describe(error, library).message
        }
        if let problem, problem != settingsProblem { helpers.tell(.settings(problem: problem)) }
        settingsProblem = problem
    }

    private mutating func go(on library: OpenLibrary) {
        self.library = library
        options = settings(library.marker)
        machine.use(options)
        watch = LibraryWatch(library)
        watch.add()
        hearVault()
        state.limitation = watch.limitation
    }

    /// Also of what arrives in the vault; a device's folder comes with its first commit.
    private mutating func hearVault() {
        guard let place = VaultLocation(stored: library.marker.vault).folder else { return }
        watch.addVault(at: place)
    }

    private mutating func saved(_ summary: Sync.Summary, since start: Double, everything: Bool) {
        let now = clock.seconds
        isCutOff = false
        state.rescan = nil
        machine.saved(since: start, everything: everything, hearsAll: watch.isComplete, at: now)
        // What the sync itself did in the folder is no news; what else happened meanwhile is, and may shorten these times.
        take(watch.read(), [])
        forgetOwn(summary.received + summary.renamed + summary.removed, since: start)
        hearVault()
        hasWaiting = !summary.waiting.isEmpty
        state.lastSync = clock.now.date
        state.conflicts = summary.conflicts.count
        let wasTroubled = state.message != nil
        (state.message, state.hints, state.nextTry) = (nil, nil, nil)
        enter(.idle)
        if wasTroubled { helpers.tell(.recovered) }
        var told = summary
        told.keepNews(since: last)
        last = ReportedState(summary)
        told.waiting = summary.waiting.filter { !said.contains($0) }
        said = Set(summary.waiting)
        helpers.tell(.saved(told, seconds: now - start))
        reminders.saved(summary.conflicts)
    }

    /// What a sync itself did is no edit; but somebody may have written in a document in the moment in which it came.
    private mutating func forgetOwn(_ own: [RelativePath], since start: Double) {
        sessions.forget(own)
        guard !own.isEmpty, let scan = try? library.scan() else { return }
        let changed = Set(scan.candidates.map(\.path) + scan.missing.map(\.path))
        machine.forget(own.filter { !changed.contains($0) }, since: start)
    }

    private mutating func failed(_ error: any Error) {
        let failure = helpers.describe(error, library)
        let wait = machine.failed(
            mayHeal: failure.heals || isRootAway, at: clock.seconds, using: &randomness)
        let isNew = state.message != failure.message
        (state.message, state.hints) = (failure.message, failure.hints)
        state.nextTry = clock.now.date.addingTimeInterval(wait)
        enter(failure.heals ? .offline : .error)
        // A folder that is exchanged for another is away for a moment.
        if !failure.heals, !isRootAway || machine.failures > 3 {
            reminders.failed(failure.message, failure.hints)
        }
        // Said once, not with every try.
        guard isNew else { return }
        helpers.tell(
            failure.heals
                ? .offline(failure.message, nextTry: isStopping ? nil : wait)
                : .error(failure.message, hints: failure.hints))
    }

    /// After a signal: everything that waits, within a bounded time. Also what nobody told of, or a sync that the signal cut off.
    private mutating func flush() {
        helpers.tell(.stopping)
        isStopping = true
        let start = clock.seconds
        let isOver = Atomic<Bool>(false)
        let (limit, clock) = (options.flush, clock)
        let timer = Thread {
            let end = clock.seconds + limit
            while !isOver.load(ordering: .relaxed) {
                if clock.seconds > end { return Interruption.request() }
                Wait.milliseconds(50)
            }
        }
        // A terminal that is closed tells twice, its shell once and the kernel once; a person who asks again takes longer.
        repeat {
            Interruption.forget()
            take(watch.read(), [])
            sync(everything: true)
        } while cancellation.isRequested && clock.seconds < start + min(1, limit)
        isOver.store(true, ordering: .relaxed)
        timer.join()
        if isRootAway { return helpers.tell(.folderAway) }
        if isCutOff || !machine.schedule.isEmpty || machine.isFailing {
            helpers.tell(.unsaved(machine.schedule.paths.count))
        }
    }

    // MARK: Tell

    private mutating func remind() {
        do {
            for (reminder, outcome) in try reminders.showDue(in: library) {
                helpers.tell(.reminded(reminder, outcome))
            }
        } catch {
            helpers.tell(.error(helpers.describe(error, library).message))
        }
    }

    private mutating func enter(_ phase: WatchState.Phase) {
        if phase != state.phase { state.phaseSince = clock.now.date }
        state.phase = phase
        publish()
    }

    private mutating func publish() {
        Interruption.setLastWords(helpers.lastWords(machine.schedule.paths.count, state.phase))
        // While a sync runs, those wait that it leaves out.
        let waiting =
            state.phase == .syncing
            ? machine.schedule.resting(at: clock.seconds).sorted() : machine.schedule.paths
        state.waiting = waiting.prefix(WatchState.namesAtMost).map { Display.text($0) }
        // A full disk keeps nobody from saving to another one.
        try? state.save(in: stateFolder)
    }
}
