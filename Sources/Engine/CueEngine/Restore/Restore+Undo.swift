import CueBase
import CueLibrary
import CueSystem
import CueVault

/// The part that takes a restore back.
extension Restore {
    /// Takes the last restore into the library back: what it replaced returns, and what it brought goes if it is
    /// unchanged since. Undone itself, it restores again.
    ///
    /// What is in the way is stored first. Throws `EngineError.noRestoreToUndo`, and as `run`.
    package static func undo(_ context: EngineContext) throws -> Summary {
        let lock = try context.library.lock()
        return try withExtendedLifetime(lock) {
            guard let record = try LastRestore(context.library) else { throw EngineError.noRestoreToUndo }
            var history = try FullHistory.load(context.vault).history
            let packs = try history.findPacks(in: context.vault)
            let (steps, begun) = record.toUndo
            let plan = try RestorePlan.make(undoing: steps, history)
            let drafts = try PlacingJournal.recover(context.library)
            let brought = try Brought(steps, context, history)
            let undo = Undo(record: record, removals: brought.removals, steps: brought.steps + begun) {
                going, history in
                try brought.forget(going, context, history)
            }
            var summary = try perform(plan, context, history, packs, mayStore: true, undo: undo)
            summary.drafts += drafts
            summary.removed = brought.documents(of: summary.removed)
            summary.stayed = (summary.stayed + brought.stayed).sorted()
            let failed = Set(summary.failed.compactMap(\.path))
            summary.undone = RestoreUndone(
                direction: record.direction, restored: record.time,
                documents: plan.placed.filter { $0.isDocument && !failed.contains($0.place) }.map(\.place).sorted())
            try? Events.note(summary, of: RestoreRequest(), context.library)
            return summary
        }
    }

    /// The documents and folders that a restore brought to a place where nothing stood.
    private struct Brought {
        var removals = RestoreRemovals()
        /// The steps that take them away.
        private(set) var steps: [RestoreStep] = []
        /// Those that were changed since.
        private(set) var stayed: [RelativePath] = []

        init(_ all: [RestoreStep], _ context: EngineContext, _ history: History) throws {
            var target = RestoreTarget(
                root: context.library.root, madeRoot: false, context.ofVault, history, backedUp: StoredEntries(), .keep)
            var folders = FolderPath(context.library.root)
            for step in all where step.before == nil {
                guard let after = step.after, try Self.isThere(step.place, &folders) else { continue }
                var away = step
                (away.before, away.after) = (after, nil)
                if step.kind == .folder {
                    removals.folders.append(step.path)
                } else if let standing = try target.occupant(step.place, as: after, file: step.file, in: history) {
                    removals.leaving.append(RestoreRemovals.Leaving(path: step.place, standing: standing))
                } else {
                    stayed.append(step.place)
                    continue
                }
                steps.append(away)
            }
        }

        private static func isThere(_ path: RelativePath, _ folders: inout FolderPath) throws -> Bool {
            do throws(SystemError) { return try folders.openParent(of: path).info(of: path.name) != nil } catch {
                guard error.isNotFound else { throw error }
                return false
            }
        }

        /// The documents among these paths.
        func documents(of removed: [RelativePath]) -> [RelativePath] {
            let folders = Set(removals.folders)
            return removed.filter { !folders.contains($0) }.sorted()
        }

        /// Makes the local store forget that these came, before they go. A document that this device did not have, and
        /// that is in the vault, is one of other devices again: it is not deleted, even if the run is cut off next. One
        /// that still stands after that is linked to its version by the next backup.
        func forget(_ going: [RelativePath], _ context: EngineContext, _ history: History) throws {
            let (library, vault) = (context.library, context.vault)
            let entries = try StoredEntries(library)
            let state = history.state()
            let going = Set(going)
            var edits = FolderEdits(library.store)
            var forgotten: [ProjectID] = []
            var unlinked: [RelativePath: UnlinkedProject] = [:]
            for step in steps where going.contains(step.path) && step.file == nil {
                guard !step.wasKnown, !step.wasDeleted, let entry = try entries.entry(at: step.path),
                    entry.project == step.project, let project = state.projects[entry.project], !project.isDeleted
                else { continue }
                try edits.forget(entry.project, at: step.path)
                if entry.kind == .bundle { forgotten.append(entry.project) }
                guard let members = try? history.members(of: project.shown.id) else { continue }
                unlinked[project.shown.header.path] = UnlinkedProject(
                    project: project.id, version: project.shown.id, kind: project.shown.header.kind,
                    fingerprint: vault.fingerprint(of: members), content: vault.contentFingerprint(of: members))
            }
            let (changed, bundles, others) = (edits, forgotten, unlinked)
            try library.store.write { transaction in
                for path in going { try transaction.removeRevived(path) }
                try changed.save(transaction)
                for project in bundles { try transaction.removeMembers(of: project) }
                guard !others.isEmpty else { return }
                try transaction.setUnlinked(try transaction.unlinked().merging(others) { $1 })
                try transaction.set(.hasNews, to: true)
            }
        }
    }
}
