import CueBase
import CueLibrary
import CueSystem
import CueVault

/// The part that restores into a library.
extension Restore {
    /// Carries out a plan in a library, and remembers it for `undo`. The caller holds the library's lock.
    ///
    /// `mayStore`: whether what is in no version may be replaced, once it is stored. `undo`: what goes as well.
    static func perform(
        _ plan: RestorePlan, _ context: EngineContext, _ history: History, _ packs: PresentPacks, mayStore: Bool,
        undo: Undo? = nil
    ) throws -> Summary {
        let library = context.library
        // Documents that this device counts as stored may be in lost commits: then nothing is replaced.
        let lost = try OlderVault.commitsLost(by: context.vault, since: library)
        guard lost == 0 else { throw VaultError.wentBack(missing: lost) }
        let drafts = try PlacingJournal.recover(library)
        try proveWhole(plan, library)
        let kept = try Safekeeping(plan, context, history, packs, mayStore: mayStore)
        let state = kept.newest.state()
        var record = try LastRestore(kept.checked, kept.target, StoredEntries(library), state)
        record.note(after: undo?.record, now: context.clock.now)
        record.add(undo?.steps ?? [])
        // Before anything is placed: a run that is cut off can be undone too.
        try record.save(library, isOpenUndo: undo != nil)
        var restore = Restore(plan, kept.checked, context.ofVault, history, packs, kept.target, library.path)
        (restore.summary.drafts, restore.summary.stored) = (drafts, kept.stored)
        if let undo {
            restore.removals = undo.removals
            restore.removals.willRemove = { try undo.forget($0, kept.newest) }
        }
        let summary = try restore.run { _ in try PlacingJournal(of: library) }
        try revive(plan, state, library)
        // The documents are restored, even if that cannot be noted.
        try? remember(record, summary, history, library)
        if undo != nil { try record.save(library, isOpenUndo: false) }
        return summary
    }

    /// The part of an undo that is no plan.
    struct Undo {
        /// The restore, or the undo of it, that is undone.
        let record: LastRestore
        /// What goes.
        let removals: RestoreRemovals
        /// The steps of that, and those that an undo which was cut off has done.
        let steps: [RestoreStep]
        /// Makes the local store forget these, before they go. With the newest state of the vault.
        let forget: ([RelativePath], History) throws -> Void
    }

    /// Throws `EngineError.bundleNotHere` for a file of a bundle that is not in the folder: it would look like the
    /// whole bundle.
    private static func proveWhole(_ plan: RestorePlan, _ library: OpenLibrary) throws {
        var folders = FolderPath(library.root)
        for path in plan.partial where (try? folders.openParent(of: path).info(of: path.name))?.kind != .folder {
            throw EngineError.bundleNotHere(Display.text(path))
        }
    }

    /// Notes documents that are again as this device last stored them: they are no change.
    private static func remember(
        _ record: LastRestore, _ summary: Summary, _ history: History, _ library: OpenLibrary
    ) throws {
        guard !summary.placed.isEmpty else { return }
        let entries = try StoredEntries(library)
        var (edits, folders) = (FolderEdits(library.store), FolderPath(library.root))
        var bundles: [ProjectID: [MemberEntry]] = [:]
        for step in record.steps where step.file == nil {
            guard let inode = summary.placed[step.path], var entry = try entries.entry(at: step.path),
                entry.base == step.after, let members = try? history.members(of: entry.base),
                let own = members.first(where: \.path.isRoot),
                let folder = try? folders.openParent(of: step.path), let info = try? folder.info(of: step.path.name),
                info.inode == inode, own.isAsPlaced(info)
            else { continue }
            if entry.kind == .bundle {
                guard let listing = try? BundleListing(folder.folder(step.path.name)),
                    let placed = listing.entries(placedAs: members),
                    zip(placed, listing.items).allSatisfy({ $0.member.isAsPlaced($1.info) })
                else { continue }
                bundles[entry.project] = placed
            }
            entry.stat = StatKey(info)
            try edits.put(entry, at: step.path)
        }
        try library.store.write { [edits, bundles] transaction in
            try edits.save(transaction)
            for (project, members) in bundles { try transaction.setMembers(members, of: project) }
        }
    }

    /// Notes restored documents that were deleted, so that they continue their history on all devices.
    private static func revive(_ plan: RestorePlan, _ state: LibraryState, _ library: OpenLibrary) throws {
        var revived: [RelativePath: RevivedProject] = [:]
        for (path, project) in plan.projects {
            // With several deletions the next version could name only one as its parent; it becomes a new document.
            guard let there = state.projects[project.id], there.isDeleted, there.headIDs.count == 1 else { continue }
            revived[path] = RevivedProject(project: project.id, deletion: there.shown.id, kind: project.kind)
        }
        guard !revived.isEmpty else { return }
        try library.store.write { try $0.addRevived(revived) }
    }
}
