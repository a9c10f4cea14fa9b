import CueBase
import CueLibrary
import CueSystem

/// What a watcher shows on the desktop: reminders when they are due, and what is wrong as soon as nothing else is to be done.
struct WatchReminders {
    private var notices: Notices
    private let clock: Clock
    private let words: Notifier.Words
    /// When it looks next whether something is due, in seconds of the monotonic clock.
    private(set) var next: Double

    /// Looks for the first time after a second.
    init(_ library: OpenLibrary, _ words: @escaping Notifier.Words) {
        (notices, clock, self.words) = (Notices(library.store, library.clock), library.clock, words)
        next = clock.seconds + 1
    }

    /// Looks again when the next one is due, after an hour at the latest: clocks and settings change.
    mutating func showDue(in library: OpenLibrary) throws -> [(Reminder, Notifier.Outcome)] {
        let now = clock.seconds
        guard next <= now else { return [] }
        next = now + 3600
        let notifier = try Notifier(for: library, words)
        let wrong = notices.deliver(through: notifier)
        let told = try Reminders.deliverDue(in: library, through: notifier)
        // What could not be shown stays due.
        if !notices.isEmpty || told.contains(where: { $0.outcome != .delivered }) {
            next = now + 600
        } else if let reminder = try Reminders.of(library).first(where: { !$0.isDue }) {
            next = min(next, now + max(1, Double(reminder.time.milliseconds - clock.now.milliseconds) / 1000))
        }
        return wrong + told
    }

    // MARK: What is wrong

    mutating func verified(_ problems: [VaultProblem]) { note { $0.verified(problems) } }
    mutating func failed(_ message: String, _ hints: [String]) { note { $0.failed(message, hints) } }
    mutating func saved(_ conflicts: [Conflict]) { note { $0.saved(conflicts) } }
    mutating func fell(_ reminders: [Reminder]) { note { $0.fell(reminders) } }

    private mutating func note(_ body: (inout Notices) -> Void) {
        body(&notices)
        if notices.hasNew { next = min(next, clock.seconds) }
    }
}
