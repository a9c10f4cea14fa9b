package import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// Brings a library and its vault together, both ways (docs/sync.md).
///
/// First everything that is new here is stored, so that nothing that happens afterwards can lose it. Then the vault's
/// heads are read, and the folder follows where no person has to choose.
package struct Sync {
    /// The settings of one sync.
    package struct Options: Sendable {
        /// The settings of the backup that comes first. Its consent to many deletions also counts for those of other
        /// devices.
        package var backup = Backup.Options()
        /// Answers to conflicts that were shown.
        package var answers: [ProjectID: SyncAnswer] = [:]
        /// The answer to every other one.
        package var keep: Keep?
        /// Whether events that cue notes at each save may wait for others.
        package var eventsMayWait = false

        /// No answers, and a backup with its usual settings.
        package init() {}
    }

    /// The result of a sync.
    package typealias Summary = RunSummary

    /// The most plans that one run makes: another device may write as fast as this one, and each of its versions needs
    /// a new plan.
    private static let rounds = 8

    private let context: EngineContext
    private var library: OpenLibrary { context.library }
    private var vault: Vault { context.vault }
    private let options: Options
    private var device: OpenLibrary.Device
    private var summary: Summary
    private var loader: HistoryLoader
    private var forced: [ProjectID: VersionID] = [:]
    private var goneHere: Set<ProjectID>
    private var damagedHere: Set<ProjectID>
    /// The bytes of the lists of members that this run has written.
    private var listed = 0

    /// Stores local changes, brings those of other devices, and exchanges events. Throws `Interrupted` if it was
    /// stopped; what was done until then stays.
    package static func run(_ context: EngineContext, _ options: Options = Options()) throws -> Summary {
        let lock = try context.library.lock()
        let summary = try withExtendedLifetime(lock) {
            var (sync, hasNews) = try start(context, options)
            if hasNews { try sync.run() }
            sync.summary.backup.events = try Events.exchange(context, mayWait: options.eventsMayWait)
            return sync.summary
        }
        if options.backup.isByHand { WordTracking.noteByHand(summary.backup.stored, context) }
        SearchUpkeep.note(summary.backup, context)
        return summary
    }

    private static func start(_ context: EngineContext, _ options: Options) throws -> (Sync, hasNews: Bool) {
        let backup = try Backup.perform(context, options.backup)
        // Damaged documents are brought again from the vault.
        return (Sync(context, options, after: backup), backup.hasNews || !backup.damaged.isEmpty)
    }

    private init(_ context: EngineContext, _ options: Options, after backup: Backup) {
        (self.context, self.options, device) = (context, options, backup.device)
        loader = HistoryLoader(context)
        (summary, goneHere, damagedHere) = (Summary(backup: backup.summary), backup.heldBack, backup.damaged)
    }

    private mutating func run() throws {
        var lastCopies: [KnownProject] = []
        for _ in 0..<Self.rounds {
            var history = try loader.newest()
            if !history.isEnoughForSync { history = try loader.past().history }
            var plan = try self.plan(history)
            if plan.needsPast {
                history = try loader.past().history
                plan = try self.plan(history)
            }
            guard plan.writes.isEmpty else {
                try write(plan.writes)
                continue
            }
            let packs = try history.findPacks(in: vault)
            let broken = try library.store.read { try $0.brokenPacks() }
            var copies = LastCopies(vault, history, packs, broken: broken)
            let endangered = try plan.endangered(&copies, in: library.root)
            if lastCopies.isEmpty, !endangered.isEmpty {
                lastCopies = endangered
                try storeAgain(endangered, broken: copies.foundBroken)
                continue
            }
            plan.leave(endangered)
            summary.storedAgain += lastCopies.map(\.path).filter { path in !endangered.contains { $0.path == path } }
            try carryOut(plan, history, packs)
            if history.checkpointProblem != nil { summary.isDamaged = true }
            return
        }
        // Another device writes as fast as this one: the next run goes on.
        summary.waiting.append(SkippedPath(path: nil, reason: .vaultInUse))
    }

    private func plan(_ history: History) throws -> SyncPlan {
        try history.proveRead(by: device.id, of: library)
        var here = try LocalSide(library, device: device.id)
        (here.gone, here.damaged, here.listed) = (goneHere, damagedHere, listed)
        return try SyncPlan(
            history, vault, here,
            answers: SyncAnswers(answers: options.answers, rest: options.keep, forced: forced), at: context.clock.now)
    }

    /// Stores documents again that the vault has lost, before a version from another device takes their place.
    private mutating func storeAgain(_ documents: [KnownProject], broken: Set<PackID>) throws {
        try library.store.write { try $0.addBroken(Array(broken)) }
        let backup = try Backup.perform(context, options.backup, again: Set(documents.map(\.entry.project)))
        summary.backup.merge(backup.summary)
        (device, goneHere, damagedHere) = (backup.device, backup.heldBack, backup.damaged)
    }

    private mutating func write(_ writes: SyncWrites) throws {
        summary.backup.addedBytes += try writes.commit(context, as: &device)
        listed = writes.listed
        summary.resolved += writes.resolved
        summary.backup.snapshot = device.commit
    }

    private mutating func carryOut(_ plan: SyncPlan, _ history: History, _ packs: PresentPacks) throws {
        var plan = plan
        plan.takeUpLeft(in: library.root)
        plan.leaveOutIgnored(in: library.root)
        let documents = plan.removals.filter(\.entry.kind.isDocument)
        if !options.backup.allowDeletions,
            DeletionBrake.holds(
                gone: documents.count, of: plan.documentsHere,
                left: plan.documentsHere - documents.count + plan.takes.count)
        {
            summary.removalsHeldBack = documents.map(\.path)
            plan.holdRemovals()
        }
        summary.conflicts = plan.conflicts
        var left = Set(plan.left.map(\.path))
        summary.waiting +=
            plan.waiting
            + history.gapsThatMayClose(at: context.clock.now).prefix(10).map {
                SkippedPath(path: nil, reason: .gapAwaited($0))
            }
        if plan.hasWork, PlacingJournal.isLeft(by: library) {
            summary.waiting.append(SkippedPath(path: nil, reason: .leftUntidy))
        } else if plan.hasWork {
            var transfer = try SyncTransfer(context, history, packs, files: plan.filesToTouch)
            try transfer.run(plan)
            (summary.received, summary.renamed, summary.removed) = (
                transfer.received, transfer.renamed, transfer.removed
            )
            summary.news += transfer.news.map { news in
                // Who deleted it stands in the version that says so.
                var news = news
                news.device = news.device ?? news.project.flatMap { deleter(of: $0, history) }
                return news
            }
            summary.folders = transfer.receivedFolders
            summary.waiting += transfer.waiting
            summary.isDamaged = transfer.isDamaged
            left = left.subtracting(transfer.goneFolders).union(transfer.leftFolders)
            left.subtract(plan.takes.map(\.version.header.path))
        }
        var folders = LeftFolders(in: library.root)
        summary.waiting += folders.kept(of: left.sorted())
        let isSettled = summary.conflicts.isEmpty && summary.waiting.isEmpty && summary.removalsHeldBack.isEmpty
        // Device and vault have the same: the snapshot to show is one whose commit has seen the other devices' commits
        // too, if there is one.
        if isSettled, let snapshot = try history.snapshot(after: device.lastCommit, in: vault) {
            summary.backup.snapshot = snapshot
        }
        let isCalm = isSettled && !plan.hasIgnored && left.isEmpty
        let (summary, now) = (summary, context.clock.now)
        let (conflicts, resolved) = (summary.conflicts.map { Display.text($0.path) }, summary.resolved)
        try library.store.write { transaction in
            try Events.note(conflicts: conflicts, resolved: resolved, at: now, transaction)
            // Later an ignored document may not be ignored any more, and a folder that stayed may be empty: look again
            // then.
            try transaction.set(.hasNews, to: !isCalm)
            if summary.waiting.isEmpty { try transaction.set(.wasCutOff, to: false) }
            try transaction.setLeftUndone(
                conflicts: summary.conflicts.map(\.path), waiting: summary.waiting,
                removals: summary.removalsHeldBack.count)
            if let snapshot = summary.backup.snapshot { try transaction.set(.snapshot, to: snapshot) }
        }
    }

    // MARK: Undo

    /// Opens an answered conflict again: the sides that were not kept are written once more, and this device gets its
    /// own side back. Throws `EngineError.nothingToUndo`.
    package static func undo(_ name: String, _ context: EngineContext) throws -> Summary {
        let lock = try context.library.lock()
        return try withExtendedLifetime(lock) {
            var sync = try start(context, Options()).0
            try sync.undo(name)
            try sync.run()
            sync.summary.backup.events = try Events.exchange(context)
            return sync.summary
        }
    }

    /// The name of the device that deleted a document; nil if no version says so.
    private func deleter(of project: ProjectID, _ history: History) -> String? {
        history.versions.values.filter { $0.header.project == project && $0.header.isTombstone }
            .max { ($0.time, $0.id) < ($1.time, $1.id) }.map { history.name(of: $0.device) }
    }

    private mutating func undo(_ name: String) throws {
        let past = try loader.past()
        let history = past.history
        try history.proveRead(by: device.id, of: library)
        let forks = SyncForks(past)
        let project = try ProjectLookup.find(name, in: history.everything)
        guard !project.isConflict, let resolution = resolution(of: project, history),
            // A join was made without a question: it was no conflict, and cannot become one.
            case .conflict = try forks.decision(on: resolution.sides)
        else {
            throw EngineError.nothingToUndo(Display.text(project.shown.header.path))
        }
        // Each side that was not kept becomes another answer to the same conflict; two different answers are a conflict
        // again.
        let contents = try forks.contents.of(resolution.sides + [resolution.version])
        let others = resolution.sides.filter { contents[$0.id] != contents[resolution.version.id] }
        guard !others.isEmpty else { throw EngineError.nothingToUndo(Display.text(project.shown.header.path)) }
        var writes = SyncWrites()
        for version in others {
            // Other sides may have been written already: the id is that of the next version.
            let id = writes.nextID
            let parents = [version.id] + resolution.version.header.parents.filter { $0 != version.id }
            if version.header.isTombstone {
                writes.addTombstone(project.id, version, parents: parents)
            } else {
                do {
                    try writes.write(
                        version, of: project.id, at: version.header.path, parents: parents, history, vault, nil)
                } catch is SyncWrites.NoRoom {
                    throw EngineError.listTooLong(Display.text(version.header.path))
                }
                // If the document was changed since the answer, the disk keeps the change.
                // An earlier undo wrote the sides of all devices anew: what counts is who wrote the content.
                if past.source(of: version).device == device.id, project.shown.id == resolution.version.id {
                    forced[project.id] = id
                }
            }
        }
        try removeCopies(of: resolution, &writes, forks)
        try write(writes)
    }

    /// The last version of a project that several went into, and those.
    private func resolution(
        of project: LibraryState.Project, _ history: History
    ) -> (version: History.Version, sides: [History.Version])? {
        var version = project.shown
        while version.header.parents.count == 1, let parent = history.versions[version.header.parents[0]] {
            version = parent
        }
        guard version.header.parents.count > 1 else { return nil }
        return (version, version.header.parents.compactMap { history.versions[$0] })
    }

    /// Deletes the copies that "keep both" made, unless they were changed since.
    private func removeCopies(
        of resolution: (version: History.Version, sides: [History.Version]), _ writes: inout SyncWrites,
        _ forks: SyncForks
    ) throws {
        let (id, path) = (resolution.version.id, resolution.version.header.path)
        let sides = Set(try forks.contents.of(resolution.sides).values)
        for project in forks.past.history.state().live
        where project.id.commit == id.commit && project.id.number > id.number && project.shown.id == project.id
            && !project.isConflict
        {
            // One commit may answer many conflicts, of texts that are alike.
            guard CopyName.isCopy(project.shown.header.path, of: path),
                let content = try forks.contents.of([project.shown])[project.id], sides.contains(content)
            else { continue }
            writes.addTombstone(project.id, project.shown, parents: [project.id])
        }
    }
}
