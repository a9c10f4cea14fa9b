import CueEngine
import CueLibrary
import CueStorage
import CueSystem

/// The locks of the vault's objects that a run extended.
struct LockReport {
    /// nil if nothing was due, or if it is tried again by itself.
    private(set) var summary: LockUpkeep.Summary?
    /// Why they cannot be extended, until a person changes something.
    private(set) var problem: CueError?

    /// Nothing was done.
    init() {}

    /// Extends them as far as that is due. The documents are stored by now, so no error ends the command.
    init(extendingIn context: EngineContext, at place: VaultLocation) {
        do { summary = try LockUpkeep.run(context, at: place) } catch StorageError.stopped {} catch {
            let told = CueError.describing(error, vault: place.description)
            // The locks last for months, and the next run tries again.
            problem = told.heals ? nil : told
        }
    }

    /// True if nothing needs a person.
    var isWhole: Bool { problem == nil }

    /// Prints the problem as a warning, and the result.
    func tell(_ output: Output) {
        if let problem {
            output.warning(RemoteWords.notLocked(problem.problem))
            for hint in problem.hints { output.hint(hint) }
        }
        if let summary { output.line(RemoteWords.locked(summary)) }
    }

    /// For JSON (docs/json.md); nil if there is nothing to say.
    var row: LockRow? {
        guard summary != nil || problem != nil else { return nil }
        return LockRow(
            extended: summary?.extended ?? 0, left: summary?.left ?? 0, until: summary?.until.date,
            problem: problem?.printable.problem)
    }
}
