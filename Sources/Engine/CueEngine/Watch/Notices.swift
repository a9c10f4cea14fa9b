import CueBase
import CueLibrary
import CueSystem

/// Shows the troubles that a watcher finds, on the desktop. Each is shown once, until it is over and comes again.
///
/// The local store notes which were shown, so that a watcher that starts anew does not repeat them.
struct Notices {
    /// A notice that is still to be shown.
    private struct Notice {
        /// The ids that the local store notes when it was shown.
        let ids: [String]
        let reminder: Reminder
        /// Whether showing it failed before.
        var wasTried = false
    }

    private let store: LocalStore
    private let clock: Clock
    /// One notice of each kind, about all its troubles that are new.
    private var waiting: [Reminder.Kind: Notice] = [:]
    /// The ids of the notices that this process has shown, in case the store cannot be written.
    private var said: Set<String> = []
    /// Whether the last sync failed.
    private var isFailing = false
    /// Notices of documents that lost most of their words.
    private var fallen: [Notice] = []

    /// There is no trouble yet.
    init(_ store: LocalStore, _ clock: Clock) { (self.store, self.clock) = (store, clock) }

    private var all: [Notice] { Array(waiting.values) + fallen }
    /// Whether no notice is left to be shown.
    var isEmpty: Bool { all.isEmpty }
    /// Whether there is a notice that was not tried yet.
    var hasNew: Bool { all.contains { !$0.wasTried } }

    /// A part of the vault was read back, with these problems or none.
    mutating func verified(_ problems: [VaultProblem]) {
        guard let first = problems.first else { return over(.damage) }
        let now = clock.now
        begin(.damage, ["damage"]) { _ in .damage(first, more: problems.count - 1, now: now) }
    }

    /// A sync failed for a reason that does not go away by itself. Further failures before the next success are the
    /// same trouble, whatever their causes are.
    mutating func failed(_ failure: Failure) {
        guard !isFailing else { return }
        isFailing = true
        let now = clock.now
        begin(.error, ["error-\(failure.fact.name)"]) { _ in .error(failure, now: now) }
    }

    /// A sync succeeded, and these conflicts are open.
    mutating func saved(_ conflicts: [Conflict]) {
        isFailing = false
        over(.error)
        let open = Dictionary(
            conflicts.map { (Reminder.conflictID($0.project), $0) }, uniquingKeysWith: { one, _ in one })
        let now = clock.now
        begin(.conflict, conflicts.map { Reminder.conflictID($0.project) }) { new in
            .conflicts(new.compactMap { open[$0] }, now: now)
        }
    }

    /// Adds notices of documents that lost most of their words, one for each.
    mutating func fell(_ reminders: [Reminder]) {
        let known = said.union(fallen.flatMap(\.ids))
        fallen += reminders.filter { !known.contains($0.id) }.map { Notice(ids: [$0.id], reminder: $0) }
    }

    /// The troubles of a kind are over.
    private mutating func over(_ kind: Reminder.Kind) { begin(kind, []) { _ in nil } }

    /// The troubles of a kind are now those with these ids; others of that kind are over. `make` gives the notice of
    /// the new ones.
    private mutating func begin(_ kind: Reminder.Kind, _ ids: [String], _ make: ([String]) -> Reminder?) {
        let prefix = kind.rawValue
        let delivered = (try? store.read { try $0.delivered() })?.keys.filter { $0.hasPrefix(prefix) } ?? []
        let known = said.filter { $0.hasPrefix(prefix) }.union(delivered)
        let ended = known.subtracting(ids)
        said.subtract(ended)
        if !ended.isEmpty {
            try? store.write { transaction in try ended.forEach { try transaction.removeDelivered($0) } }
        }
        let new = ids.filter { !known.contains($0) }
        guard waiting[kind]?.ids != new else { return }
        waiting[kind] = new.isEmpty ? nil : make(new).map { Notice(ids: new, reminder: $0) }
    }

    /// Shows the notices that were not shown yet. One that could not be shown is tried again with the next call.
    /// Returns the notices that were shown or tried for the first time.
    mutating func deliver(through notifier: Notifier) -> [(reminder: Reminder, outcome: Notifier.Outcome)] {
        var told: [(Reminder, Notifier.Outcome)] = []
        for (kind, notice) in waiting.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            waiting[kind] = deliver(notice, through: notifier, &told)
        }
        fallen = fallen.compactMap { deliver($0, through: notifier, &told) }
        return told
    }

    /// Shows one notice. Returns it if it is to be tried again, else nil.
    private mutating func deliver(
        _ notice: Notice, through notifier: Notifier, _ told: inout [(Reminder, Notifier.Outcome)]
    ) -> Notice? {
        var notice = notice
        let outcome = notifier.deliver(notice.reminder)
        if outcome == .delivered || !notice.wasTried { told.append((notice.reminder, outcome)) }
        guard outcome == .delivered else {
            notice.wasTried = true
            return notice
        }
        said.formUnion(notice.ids)
        try? store.write { transaction in
            for id in notice.ids { try transaction.setDelivered(id, at: clock.now) }
        }
        return nil
    }
}
