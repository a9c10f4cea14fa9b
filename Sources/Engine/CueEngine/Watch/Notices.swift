import CueBase
import CueLibrary
import CueSystem

/// What a watcher found wrong, and has to say on the desktop: each trouble once, until it is over and comes again.
///
/// What was said is in the local store, so that a watcher that starts anew does not say it again.
struct Notices {
    private struct Notice {
        /// What of the store says that it was said.
        let ids: [String]
        let reminder: Reminder
        var wasTried = false
    }

    private let store: LocalStore
    private let clock: Clock
    private var waiting: [Reminder.Kind: Notice] = [:]
    /// For when the store cannot be written: what this process has said.
    private var said: Set<String> = []
    private var isFailing = false
    private var fallen: [Notice] = []

    /// Knows nothing wrong yet.
    init(_ store: LocalStore, _ clock: Clock) { (self.store, self.clock) = (store, clock) }

    private var all: [Notice] { Array(waiting.values) + fallen }
    var isEmpty: Bool { all.isEmpty }
    /// Whether there is one that nobody tried to show yet.
    var hasNew: Bool { all.contains { !$0.wasTried } }

    /// The vault was read back: nothing wrong, or these problems.
    mutating func verified(_ problems: [VaultProblem]) {
        guard let first = problems.first else { return over(.damage) }
        let now = clock.now
        begin(.damage, ["damage"]) { _ in .damage(first, more: problems.count - 1, now: now) }
    }

    /// A sync failed for a reason that does not go away by itself. However often it fails with whatever words, it is one trouble.
    mutating func failed(_ message: String, _ hints: [String] = []) {
        guard !isFailing else { return }
        isFailing = true
        let now = clock.now
        begin(.error, ["error-\(Self.hash(message))"]) { _ in .error(message, hints, now: now) }
    }

    /// A sync went well, but for these conflicts.
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

    /// Documents that lost most of their words; one notice each.
    mutating func fell(_ reminders: [Reminder]) {
        let known = said.union(fallen.flatMap(\.ids))
        fallen += reminders.filter { !known.contains($0.id) }.map { Notice(ids: [$0.id], reminder: $0) }
    }

    private mutating func over(_ kind: Reminder.Kind) { begin(kind, []) { _ in nil } }

    /// The troubles of a kind are these now; others of that kind are over.
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

    /// Says what was not said yet. What could not be shown is tried again with the next call, and given back once only.
    mutating func deliver(through notifier: Notifier) -> [(reminder: Reminder, outcome: Notifier.Outcome)] {
        var told: [(Reminder, Notifier.Outcome)] = []
        for (kind, notice) in waiting.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            waiting[kind] = deliver(notice, through: notifier, &told)
        }
        fallen = fallen.compactMap { deliver($0, through: notifier, &told) }
        return told
    }

    /// What is left to be said.
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

    /// The same in every run, for what is only compared.
    private static func hash(_ text: String) -> String {
        // FNV-1a, 64 bits.
        let value = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(value, radix: 16)
    }
}
