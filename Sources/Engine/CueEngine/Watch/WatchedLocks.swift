import CueSystem

/// Extends the locks of the vault's objects while it is watched.
struct WatchedLocks {
    /// The reason for which locks could not be extended after the last sync; nil if there was none.
    private var problem: FailureFact?

    /// Extends locks if that is due. Returns an event to report; nil if nothing is new. An error is no failure of the
    /// sync, and the next one tries again: the locks last for longer.
    mutating func extend(_ context: EngineContext, at place: VaultLocation) -> Watcher.Event? {
        do {
            let summary = try LockUpkeep.run(context, at: place)
            problem = nil
            return summary.map { .locked($0) }
        } catch is Interrupted { return nil } catch {
            let failure = Failure(error, vault: place.stored)
            guard !failure.cause.heals else {
                problem = nil
                return nil
            }
            defer { problem = failure.fact }
            return failure.fact == problem ? nil : .asideFailed(failure)
        }
    }
}
