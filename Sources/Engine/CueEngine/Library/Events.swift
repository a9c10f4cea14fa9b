import CueBase
import CueEventLog
import CueEvents
import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// The log of events, where the engine's work meets it.
enum Events {
    /// Pushes what waits; without anything that does, the vault is not looked at.
    static func push(_ library: OpenLibrary, to vault: Vault) throws -> EventExchange.Summary {
        try WordTracking.tellWords(library)
        return try saying {
            try EventExchange.push(library.store, to: vault, as: try library.device().id, now: Environment.now)
        }
    }

    /// Pulls, then pushes; `mayWait`: what cue notes at each save may wait for company.
    static func exchange(
        _ library: OpenLibrary, with vault: Vault, mayWait: Bool = false
    ) throws -> EventExchange.Summary {
        try WordTracking.tellWords(library)
        return try saying {
            try EventExchange.run(
                library.store, with: vault, as: try library.device().id, now: Environment.now, mayWait: mayWait)
        }
    }

    /// The same alone, where there are events and no documents to bring; under the library's lock, as with a sync.
    static func exchangeIfNews(_ library: OpenLibrary, with vault: Vault) throws {
        guard try EventExchange.hasNews(library.store, in: vault, now: Environment.now) else { return }
        let lock = try library.lock()
        try withExtendedLifetime(lock) { _ = try exchange(library, with: vault, mayWait: true) }
    }

    /// The documents are stored by now: what is wrong with `events/` alone is said, and does not make that untrue.
    private static func saying(
        _ body: () throws -> EventExchange.Summary
    ) throws -> EventExchange.Summary {
        do { return try body() } catch let error as StorageError {
            guard error.heals == .never else { throw error }
            var summary = EventExchange.Summary()
            summary.unreadable.append(.store(error))
            return summary
        }
    }

    // MARK: What cue writes itself

    static func note(_ summary: BackupSummary, _ transaction: LocalStore.Transaction) throws {
        guard let snapshot = summary.snapshot,
            summary.new + summary.changed + summary.renamed + summary.removed > 0
        else { return }
        try transaction.note(
            .saved(
                snapshot: snapshot, new: summary.new, changed: summary.changed, renamed: summary.renamed,
                removed: summary.removed), at: Environment.now)
    }

    static func note(_ summary: RestoreSummary, of request: RestoreRequest, _ library: OpenLibrary) throws {
        guard summary.files > 0 else { return }
        let from = request.version ?? request.at
        try library.store.write {
            try $0.note(.restored(from: from, documents: summary.documents), at: Environment.now)
        }
    }

    /// `conflicts` are those that wait now; what waited before was noted then.
    static func note(
        conflicts: [String], resolved: [ResolvedConflict], _ transaction: LocalStore.Transaction
    ) throws {
        let before = Set(try transaction.value(.conflicts) ?? [])
        for name in conflicts where !before.contains(name) {
            try transaction.note(.conflictFound(name: name), at: Environment.now)
        }
        for answer in resolved {
            let keep = !answer.copies.isEmpty ? "both" : answer.kept.isHere ? "this" : "other"
            try transaction.note(
                .conflictResolved(name: Display.text(answer.conflict.path), keep: keep), at: Environment.now)
        }
    }
}
