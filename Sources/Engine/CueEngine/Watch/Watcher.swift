import CueBase
import CueLibrary
import CueSodium
import CueStorage
import CueSystem
package import CueVault
import Foundation
import Synchronization

/// Saves a library by itself: some time after the last keystroke in a document, and at once when it is told to stop.
///
/// What the kernel tells is a hint, a look at everything is the truth: lost events, folders that cannot be watched and machines that
/// slept only make it look again (docs/watch.md).
package struct Watcher {
    package struct Options: Sendable {
        /// Seconds that a document must be left alone.
        package var debounce = 30.0
        /// Seconds that it waits at most while somebody goes on writing.
        package var limit = 300.0
        /// Seconds between two looks at what other devices stored.
        package var poll = 60.0
        /// Seconds between two looks at everything.
        package var rescan = 600.0
        /// In how many days all of the vault is read back; 0: never.
        package var verifyDays = 30
        /// Seconds that the last save may take after a signal.
        package var flush = 20.0

        package init() {}
    }

    /// What a watcher tells whoever listens.
    package enum Event: Sendable {
        case started(folders: Int, limitation: String?)
        case saved(Sync.Summary, seconds: Double)
        case offline(String, nextTry: Double)
        case error(String)
        case rescan(String)
        case reminded(Reminder, Notifier.Outcome)
        /// A part of the vault was read back.
        case verified(RollingCheck.Report)
        case stopping
        /// What waited could not be stored any more.
        case unsaved(Int)
    }

    /// Another library stands where the watched one was.
    package struct OtherLibrary: Error {
        package let path: String
    }

    /// How a failure is told, and whether it may go away by itself.
    package struct Failure: Sendable {
        package let message: String
        package let heals: Bool

        package init(message: String, heals: Bool) { (self.message, self.heals) = (message, heals) }
    }

    /// What the watcher leaves to the face that runs it.
    package struct Helpers {
        package var openVault: (OpenLibrary) throws -> Vault
        package var describe: (any Error) -> Failure
        package var tell: (Event) -> Void

        package init(
            openVault: @escaping (OpenLibrary) throws -> Vault, describe: @escaping (any Error) -> Failure,
            tell: @escaping (Event) -> Void
        ) {
            (self.openVault, self.describe, self.tell) = (openVault, describe, tell)
        }
    }

    private let options: Options
    private let helpers: Helpers
    private let waiter = Waiter()
    private let lock: WatchLock
    private let stateFolder: FilePathBytes
    private var library: OpenLibrary
    private var watch: LibraryWatch
    private var schedule: WatchSchedule
    private var backOff = BackOff()
    private var state: WatchState
    private var nextPoll: Double
    private var nextRescan: Double
    /// Set while the last try failed.
    private var nextTry: Double?
    private var asleep: Double
    private var generator = SodiumGenerator()
    private var hasWaiting = false
    /// What was said to wait already: it is not said with every look.
    private var said: Set<String> = []
    private var nextReminder: Double
    /// The folder is not where it was: it may come back at any time.
    private var isRootAway = false

    /// Becomes the watcher of the library; there is one at a time.
    package init(_ library: OpenLibrary, _ options: Options, _ helpers: Helpers) throws {
        stateFolder = library.state.library(library.marker.library)
        guard let lock = try WatchLock(in: stateFolder) else {
            throw EngineError.alreadyWatched(WatchState.of(library)?.process)
        }
        (self.library, self.options, self.helpers, self.lock) = (library, options, helpers, lock)
        watch = LibraryWatch(library)
        schedule = WatchSchedule(debounce: options.debounce, limit: options.limit)
        state = WatchState(process: Environment.processID, now: Date())
        let now = Environment.monotonicSeconds
        (nextPoll, nextRescan, nextReminder) = (now + options.poll, now + options.rescan, now + 1)
        asleep = Environment.secondsSinceStart - now
    }

    // MARK: Run

    /// Until a signal comes; then what waits is saved, and it returns.
    package mutating func run() throws {
        // At once: the file of the watcher before is still there.
        publish()
        watch.add()
        watch.addVault(at: try VaultLocation(stored: library.marker.vault).path)
        state.limitation = watch.limitation
        helpers.tell(.started(folders: watch.count, limitation: watch.limitation))
        sync()
        while !Interruption.isRequested {
            let now = Environment.monotonicSeconds
            let wake = waiter.wait(for: watch.events, seconds: max(0, due(at: now) - now))
            guard !Interruption.isRequested else { break }
            take(watch.read(), wake)
            noticeSleep()
            if isDue() { sync() }
            remind()
        }
        flush()
    }

    /// When something is to be done next.
    private func due(at now: Double) -> Double {
        if let nextTry { return min(nextTry, nextReminder) }
        return [schedule.next, nextPoll, nextRescan, nextReminder].compactMap(\.self).min() ?? now
    }

    private mutating func isDue() -> Bool {
        let now = Environment.monotonicSeconds
        if let nextTry { return nextTry <= now }
        guard [schedule.next, nextPoll, nextRescan].contains(where: { $0.map { $0 <= now } ?? false }) else {
            return false
        }
        if schedule.next.map({ $0 > now }) ?? true, nextRescan > now {
            // Only the vault is to be looked at: its list of commits costs less than a look at every document.
            nextPoll = now + options.poll
            return hasWaiting || ((try? hasNews()) ?? true)
        }
        return true
    }

    private func hasNews() throws -> Bool {
        let vault = try helpers.openVault(library)
        let seen = try library.store.read { try $0.seen() }
        return try vault.log.all().contains { !seen.contains($0.position) }
    }

    // MARK: Hear

    private mutating func take(_ news: LibraryWatch.News, _ wake: FolderEvents.Wake) {
        let now = Environment.monotonicSeconds
        let new = news.documents.count { schedule.note($0, at: now) }
        noticeLimitation(at: now)
        if new > 0 { publish() }
        if news.vaultChanged { nextPoll = min(nextPoll, now + 1) }
        if wake.contains(.mounts), nextTry != nil { nextTry = now + 0.2 }
        if news.rootIsGone { nextRescan = now }
        if news.isIncomplete { nextRescan = min(nextRescan, now + options.debounce) }
        if news.lostEvents {
            state.overflows += 1
            helpers.tell(.rescan("more happened than the system could tell"))
        }
    }

    /// The system may run out of watches at any time; from then on looking finds what nobody tells.
    private mutating func noticeLimitation(at now: Double) {
        guard let limitation = watch.limitation, state.limitation == nil else { return }
        state.limitation = limitation
        nextRescan = min(nextRescan, now + options.poll)
        publish()
        helpers.tell(.started(folders: watch.count, limitation: limitation))
    }

    private mutating func noticeSleep() {
        let now = Environment.monotonicSeconds
        let asleep = Environment.secondsSinceStart - now
        defer { self.asleep = asleep }
        guard asleep > self.asleep + 5 else { return }
        (nextRescan, nextTry) = (now, nextTry.map { _ in now })
        helpers.tell(.rescan("the machine slept"))
    }

    // MARK: Save

    private mutating func sync(everything: Bool = false) {
        let start = Environment.monotonicSeconds
        // A try that may fail again is none that anybody must see, and what is wrong is so since it first failed.
        if nextTry == nil { enter(.syncing) }
        do {
            try reopen()
            let vault = try helpers.openVault(library)
            var options = Sync.Options()
            options.backup.refuseStrangers = true
            if !everything { options.backup.resting = schedule.resting(at: start) }
            let summary = try Sync.run(library, with: vault, options, reporter: SilentReporter())
            saved(summary, since: start, everything: everything)
            if !everything { try verify(vault) }
        } catch is Interrupted {
            // The signal that came is looked at next.
        } catch LibraryError.busy {
            nextTry = start + 1
        } catch {
            failed(error)
        }
    }

    private func verify(_ vault: Vault) throws {
        let check = RollingCheck(library, vault)
        guard options.verifyDays > 0, check.isDue else { return }
        helpers.tell(.verified(try check.run(days: options.verifyDays)))
    }

    /// The folder may have been moved, or replaced by another.
    private mutating func reopen() throws {
        let isSame = try library.path.info().map { info in try library.root.info().inode == info.inode } ?? false
        isRootAway = !isSame
        guard !isSame || watch.isRootLost else { return }
        let there = try OpenLibrary(at: library.path, state: library.state)
        // Its documents belong in another vault, and the deletion of ours in none.
        guard there.marker.library == library.marker.library else {
            throw OtherLibrary(path: library.path.description)
        }
        (library, isRootAway) = (there, false)
        watch = LibraryWatch(library)
        watch.add()
        watch.addVault(at: try VaultLocation(stored: library.marker.vault).path)
        state.limitation = watch.limitation
    }

    private mutating func saved(_ summary: Sync.Summary, since start: Double, everything: Bool) {
        let now = Environment.monotonicSeconds
        if everything { schedule.savedAll(at: start) } else { schedule.saved(at: start) }
        (nextPoll, nextRescan) = (now + options.poll, now + (watch.isComplete ? options.rescan : options.poll))
        // What the sync itself did in the folder is no news; what else happened meanwhile is, and may shorten these times.
        take(watch.read(), [])
        schedule.forget(summary.received + summary.renamed + summary.removed, since: start)
        watch.addVault(at: (try? VaultLocation(stored: library.marker.vault).path) ?? library.path)
        nextTry = nil
        backOff.reset()
        hasWaiting = !summary.waiting.isEmpty
        state.lastSync = Date()
        state.conflicts = summary.conflicts.count
        state.message = nil
        state.nextTry = nil
        enter(.idle)
        var told = summary
        let waiting = summary.waiting.map { "\(Display.text($0.path)): \($0.reason)" }
        told.waiting = zip(summary.waiting, waiting).filter { !said.contains($1) }.map(\.0)
        said = Set(waiting)
        helpers.tell(.saved(told, seconds: now - start))
    }

    private mutating func failed(_ error: any Error) {
        let failure = helpers.describe(error)
        let wait = failure.heals || isRootAway ? backOff.next(using: &generator) : max(options.rescan, 60)
        let isNew = state.message != failure.message
        nextTry = Environment.monotonicSeconds + wait
        state.message = failure.message
        state.nextTry = Date().addingTimeInterval(wait)
        enter(failure.heals ? .offline : .error)
        // Said once, not with every try.
        guard isNew else { return }
        helpers.tell(failure.heals ? .offline(failure.message, nextTry: wait) : .error(failure.message))
    }

    /// After a signal: everything that waits, within a bounded time. Also what nobody told of, or a sync that the signal cut off.
    private mutating func flush() {
        helpers.tell(.stopping)
        let start = Environment.monotonicSeconds
        let isOver = Atomic<Bool>(false)
        let limit = options.flush
        let timer = Thread {
            let end = Environment.monotonicSeconds + limit
            while !isOver.load(ordering: .relaxed) {
                if Environment.monotonicSeconds > end { return Interruption.request() }
                Wait.milliseconds(50)
            }
        }
        // A terminal that is closed tells twice, its shell once and the kernel once; a person who asks again takes longer.
        repeat {
            Interruption.forget()
            take(watch.read(), [])
            sync(everything: true)
        } while Interruption.isRequested && Environment.monotonicSeconds < start + min(1, limit)
        isOver.store(true, ordering: .relaxed)
        timer.join()
        if !schedule.isEmpty || nextTry != nil { helpers.tell(.unsaved(schedule.paths.count)) }
    }

    // MARK: Remind

    /// Shows what is due, and looks again when the next one is, after an hour at the latest: clocks and settings change.
    private mutating func remind() {
        let now = Environment.monotonicSeconds
        guard nextReminder <= now else { return }
        nextReminder = now + 3600
        do {
            let told = try Reminders.deliverDue(in: library, through: Notifier(for: library))
            for (reminder, outcome) in told { helpers.tell(.reminded(reminder, outcome)) }
            // What could not be shown stays due.
            if told.contains(where: { $0.outcome != .delivered }) { return nextReminder = now + 600 }
            guard let next = try Reminders.of(library).first(where: { !$0.isDue }) else { return }
            let seconds = Double(next.time.milliseconds - Environment.now.milliseconds) / 1000
            nextReminder = min(nextReminder, now + max(1, seconds))
        } catch {
            helpers.tell(.error(helpers.describe(error).message))
        }
    }

    // MARK: Tell

    private mutating func enter(_ phase: WatchState.Phase) {
        if phase != state.phase { state.phaseSince = Date() }
        state.phase = phase
        publish()
    }

    private mutating func publish() {
        state.waiting = schedule.paths.prefix(WatchState.namesAtMost).map { Display.text($0) }
        // A full disk keeps nobody from saving to another one.
        try? state.save(in: stateFolder)
    }
}
