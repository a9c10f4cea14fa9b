import CueBase
import CueLibrary
import CueSystem

/// Shows reminders on the desktop when they are due, and troubles as soon as the watcher has nothing else to do.
struct WatchReminders {
    private var notices: Notices
    private let clock: Clock
    private let words: Notifier.Words
    /// When it looks next for due reminders, in seconds of the monotonic clock.
    private(set) var next: Double

    /// The first look comes after a second.
    init(_ library: OpenLibrary, _ words: @escaping Notifier.Words) {
        (notices, clock, self.words) = (Notices(library.store, library.clock), library.clock, words)
        next = clock.seconds + 1
    }

    /// Shows what is due, if it is time to look. Plans the next look for when the next reminder is due, within an hour,
    /// as clocks and settings change. Returns the reminders that were shown or tried.
    mutating func showDue(in library: OpenLibrary) throws -> [(Reminder, Notifier.Outcome)] {
        let now = clock.seconds
        guard next <= now else { return [] }
        next = now + 3600
        let notifier = try Notifier(for: library, words)
        let wrong = notices.deliver(through: notifier)
        let told = try Reminders.deliverDue(in: library, through: notifier)
        // A reminder that could not be shown stays due, and is tried again after ten minutes.
        if !notices.isEmpty || told.contains(where: { $0.outcome != .delivered }) {
            next = now + 600
        } else if let reminder = try Reminders.of(library).first(where: { !$0.isDue }) {
            next = min(next, now + max(1, Double(reminder.time.milliseconds - clock.now.milliseconds) / 1000))
        }
        return wrong + told
    }

    // MARK: What is wrong

    /// As `Notices.verified`.
    mutating func verified(_ problems: [VaultProblem]) { note { $0.verified(problems) } }
    /// As `Notices.failed`.
    mutating func failed(_ failure: Failure) { note { $0.failed(failure) } }
    /// As `Notices.saved`.
    mutating func saved(_ conflicts: [Conflict]) { note { $0.saved(conflicts) } }
    /// As `Notices.fell`.
    mutating func fell(_ reminders: [Reminder]) { note { $0.fell(reminders) } }

    /// Changes the notices, and looks at once if there is a new one.
    private mutating func note(_ body: (inout Notices) -> Void) {
        body(&notices)
        if notices.hasNew { next = min(next, clock.seconds) }
    }
}
