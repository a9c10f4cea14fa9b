import CueBase
import CueEventLog
import CueEvents
import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// Exchanges events with the vault, and notes the events that the engine's own work makes.
enum Events {
    /// Pushes the waiting events if one of them is due. If none is, the vault is not read: those that cue notes at each
    /// save wait for company, so that a save is one object.
    static func push(_ context: EngineContext) throws -> EventExchange.Summary {
        let library = context.library
        try WordTracking.tellWords(library)
        return try saying {
            try EventExchange.push(
                library.store, to: context.vault, as: try library.device().key, now: context.clock.now)
        }
    }

    /// Pulls, then pushes. `mayWait`: events that cue notes at each save may wait until there are more.
    static func exchange(_ context: EngineContext, mayWait: Bool = false) throws -> EventExchange.Summary {
        let library = context.library
        try WordTracking.tellWords(library)
        return try saying {
            try EventExchange.run(
                library.store, with: context.vault, as: try library.device().key, now: context.clock.now,
                mayWait: mayWait)
        }
    }

    /// Exchanges events only, if any are new here or in the vault, under the library's lock. For a watcher that has no
    /// documents to sync.
    static func exchangeIfNews(_ context: EngineContext) throws {
        let library = context.library
        guard try EventExchange.hasNews(library.store, in: context.vault, now: context.clock.now) else { return }
        let lock = try library.lock()
        try withExtendedLifetime(lock) { _ = try exchange(context, mayWait: true) }
    }

    /// Runs an exchange of events. An error of `events/` that does not heal by itself becomes a part of the summary:
    /// the documents are stored already, so the run has not failed.
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

    /// Notes that a backup stored a change; does nothing if it did not. Other times alone are none.
    static func note(_ summary: BackupSummary, at now: Timestamp, _ transaction: LocalStore.Transaction) throws {
        guard let snapshot = summary.snapshot,
            summary.new + summary.changed + summary.renamed + summary.removed > 0
        else { return }
        try transaction.note(
            .saved(
                snapshot: snapshot, new: summary.new, changed: summary.changed, renamed: summary.renamed,
                removed: summary.removed), at: now)
    }

    /// Notes a restore that brought back at least one file.
    static func note(_ summary: RestoreSummary, of request: RestoreRequest, _ library: OpenLibrary) throws {
        guard summary.files > 0 else { return }
        let (from, now) = (request.version ?? request.at, library.clock.now)
        try library.store.write { try $0.note(.restored(from: from, documents: summary.documents), at: now) }
    }

    /// Notes conflicts that are new since the last sync, and answers. `conflicts`: the paths of all that are open now,
    /// as they are shown; those that the local store has from the last sync were noted then.
    static func note(
        conflicts: [String], resolved: [ResolvedConflict], at now: Timestamp, _ transaction: LocalStore.Transaction
    ) throws {
        let before = Set(try transaction.value(.conflicts) ?? [])
        for name in conflicts where !before.contains(name) {
            try transaction.note(.conflictFound(name: name), at: now)
        }
        for answer in resolved {
            let keep = !answer.copies.isEmpty ? "both" : answer.kept.isHere ? "this" : "other"
            try transaction.note(
                .conflictResolved(name: Display.text(answer.conflict.path), keep: keep), at: now)
        }
    }
}
