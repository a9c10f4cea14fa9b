import CueSystem

/// Extends the locks of the vault's objects while it is watched.
struct WatchedLocks {
    /// The reason for which locks could not be extended after the last sync; nil if there was none.
    private var problem: FailureFact?

    /// Extends locks if that is due. Returns what was done, and a problem that is new. An error is no failure of the sync,
    /// and the next one tries again: the locks last for longer.
    mutating func extend(
        _ context: EngineContext, at place: VaultLocation
    ) -> (summary: LockUpkeep.Summary?, problem: Failure?) {
        let known = problem
        problem = nil
        do { return (try LockUpkeep.run(context, at: place), nil) } catch {
            guard !(error is Interrupted) else { return (nil, nil) }
            let failure = Failure(error, vault: place.stored)
            guard !failure.cause.heals else { return (nil, nil) }
            problem = failure.fact
            return (nil, failure.fact == known ? nil : failure)
        }
    }
}
