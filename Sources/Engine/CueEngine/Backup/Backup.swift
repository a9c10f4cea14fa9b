package import CueBase
import CueEventLog
import CueEvents
import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// Stores the changes of a library: scan, read, pack, commit.
///
/// Order of a commit (docs/format.md §9): packs durable, then the commit, then the local store. If the run is killed at
/// any moment, everything that was committed stands, and the next run continues from there.
package struct Backup {
    /// The result of a backup.
    package typealias Summary = BackupSummary

    private let context: EngineContext
    private var library: OpenLibrary { context.library }
    private var vault: Vault { context.vault }
    private let options: Options
    /// This device, with its newest commit so far.
    var device: OpenLibrary.Device
    /// The result so far.
    var summary = Summary()
    /// The changes that this round makes in the local store.
    var edits: FolderEdits

    /// The projects of `summary.heldBack`, and those of the folders in which they stood.
    private(set) var heldBack: Set<ProjectID> = []
    /// The projects of `summary.damaged`.
    private(set) var damaged: Set<ProjectID> = []
    private var past = RoundWriter.Past()
    /// The commits of the vault as they were listed at the start; nil if they were not all listed.
    private var commits: [LogEntry]?
    /// Whether the vault has versions that this device has not taken over.
    private(set) var hasNews = false

    /// The settings of one backup.
    package struct Options: Sendable {
        /// Records deletions, however many they are.
        package var allowDeletions = false
        /// Stops before anything is stored, if the folder was never backed up and shares no name with the vault.
        package var refuseStrangers = false
        /// Documents that are being written in. They are left for a later backup.
        package var resting: Set<RelativePath> = []
        /// Stores these documents and nothing else: no other change, and no deletion of another document. What is
        /// stored belongs to the snapshot of the next backup.
        var only: Set<RelativePath>?

        /// A person runs the backup and waits for it. New text counts as progress, and words are counted where that is
        /// little work.
        package var isByHand = false

        /// The settings of a backup that asks before many deletions.
        package init() {}
    }

    /// Stores the changes and pushes the waiting events, under the library's lock.
    ///
    /// Throws `Interrupted` if it was stopped; everything that was committed until then stays. Throws
    /// `EngineError.otherLibrary` for `refuseStrangers`.
    package static func run(_ context: EngineContext, _ options: Options = Options()) throws -> Summary {
        let lock = try context.library.lock()
        let summary = try withExtendedLifetime(lock) {
            var summary = try perform(context, options).summary
            summary.events = try Events.push(context)
            return summary
        }
        if options.isByHand { WordTracking.noteByHand(summary.stored, context) }
        SearchUpkeep.note(summary, context)
        return summary
    }

    /// Recovers from runs that were cut off, then backs up. Stores again what the vault has lost and the folder still
    /// has, and the documents in `again`. The caller holds the library's lock.
    static func perform(
        _ context: EngineContext, _ options: Options, again: Set<ProjectID> = []
    ) throws -> Backup {
        let drafts = try PlacingJournal.recover(context.library)
        let isContentLost = try context.library.store.read { try $0.value(.isContentLost) } ?? false || !again.isEmpty
        let lost = isContentLost ? try LostContent.find(context, and: again) ?? LostContent() : LostContent()
        var backup = Backup(context, options, try context.library.device())
        backup.summary.drafts = drafts
        try backup.run(again: lost)
        if isContentLost || backup.summary.lostPacks > 0 { try backup.storeAgain(lost) }
        return backup
    }

    /// Ends what `run` began of the `lost` documents, and stores again those of packs that it found gone itself. Does
    /// nothing if the history is too damaged to tell what is lost.
    private mutating func storeAgain(_ lost: LostContent) throws {
        guard var outcome = try lost.outcome(context) else { return }
        if summary.lostPacks > 0, !outcome.left.isEmpty {
            var all = lost
            all.merge(outcome.left)
            var next = Backup(context, options, device)
            try next.run(again: outcome.left)
            outcome = try all.outcome(context) ?? outcome
            summary.merge(next.summary)
            next.summary = summary
            self = next
        }
        summary.storedAgain = outcome.storedAgain
        // What could not be read now is tried again by the next backup.
        let areLeft = !outcome.left.isEmpty
        try library.store.write { try $0.set(.isContentLost, to: areLeft) }
    }

    private init(_ context: EngineContext, _ options: Options, _ device: OpenLibrary.Device) {
        (self.context, self.options) = (context, options)
        (self.device, edits) = (device, FolderEdits(context.library.store))
    }

    private mutating func run(again: LostContent) throws {
        var pull = try Pull.run(context, device)
        device = pull.device
        summary.newDevice = pull.isNewDevice
        hasNews = pull.hasNews
        commits = pull.commits
        summary.notArrived = pull.notArrived
        summary.settingsReceived = pull.settings
        let scan = try library.scan(again: again.projects)
        if options.refuseStrangers && device.generation == 0 { try refuseStranger(scan, pull.unlinked) }
        summary.skipped = scan.skipped
        for (path, entry) in scan.damaged { noteDamaged(path, entry.project) }
        var missing = scan.missing
        try takeUpLeft(scan, &missing)
        var folders = FolderPath(library.root)
        let moves = RenameDetection.match(scan.candidates, &missing) { path in
            try? folders.openParent(of: path).birth(of: path.name)
        }
        if options.only == nil, !options.allowDeletions { try holdBack(scan, moves, &missing) }
        let later = later(scan, moves, &missing)
        try store(scan, moves, missing: missing, later: later, again: again, unlinked: &pull.unlinked)
        summary.documents += scan.unchangedDocuments
        summary.keys = try KeyWatch(context).tend()
    }

    /// Handles folders that other devices deleted or renamed, and that stayed here because something was in them. One
    /// that is gone now is forgotten without a deletion; one in which something new stands is in use again.
    private mutating func takeUpLeft(_ scan: Scan, _ missing: inout [(path: RelativePath, entry: ScanEntry)]) throws {
        for gone in missing where gone.entry.isLeft { try edits.forget(gone.entry.project, at: gone.path) }
        missing.removeAll { $0.entry.isLeft }
        guard scan.candidates.contains(where: { $0.old?.isLeft ?? false }) else { return }
        for candidate in scan.candidates where candidate.old == nil {
            var up = candidate.path.parent
            while let folder = up, past.usedAgain.insert(folder).inserted { up = folder.parent }
        }
    }

    /// Notes a document that is cut short on this disk.
    private mutating func noteDamaged(_ path: RelativePath, _ project: ProjectID) {
        summary.damaged.append(path)
        damaged.insert(project)
    }

    /// Notes a file that the disk has damaged though it has its size, so that later scans know it by that.
    private mutating func noteRot(_ document: FinishedDocument) throws {
        guard var entry = document.known else { return }
        noteDamaged(document.candidate.path, entry.project)
        entry.stat = entry.stat.asDamaged
        try edits.put(entry, at: document.candidate.path)
    }

    /// Takes deletions out of `missing`: all of them if they are so many that they may be a mistake, else those that
    /// were held back before. They wait for a person's consent.
    private mutating func holdBack(
        _ scan: Scan, _ moves: RenameDetection, _ missing: inout [(path: RelativePath, entry: ScanEntry)]
    ) throws {
        let gone = scan.lost(missing).map(\.path)
        guard !gone.isEmpty else { return }
        let before = try library.store.read { try $0.leftUndone() }.heldBack
        let waiting = gone.filter { before.contains(ShownPath(Display.text($0))) }
        let new = gone.count - waiting.count
        if DeletionBrake.holds(gone: new, of: new + scan.oldDocuments(moves), left: scan.documents) {
            summary.heldBack = gone
            heldBack = Set(missing.map(\.entry.project))
            return missing = []
        }
        summary.heldBack = waiting
        // The folders in which they stood are held back with them.
        var held = Set(waiting)
        for path in waiting {
            var next = path.parent
            while let folder = next, held.insert(folder).inserted { next = folder.parent }
        }
        heldBack = Set(missing.filter { held.contains($0.path) }.map(\.entry.project))
        missing = missing.filter { !held.contains($0.path) }
    }

    /// The content that need not be stored again. A chunk counts only while its pack is there and whole, as what is
    /// stored now relies on it.
    private mutating func stock() throws -> Stock {
        let present = try vault.presentPacks(commits)
        let (packs, broken) = try library.store.read { (try $0.packs(), try $0.brokenPacks()) }
        summary.lostPacks = packs.count { !present.holds($0.key, size: $0.value) || broken.contains($0.key) }
        let lost = summary.lostPacks
        if lost > 0 || packs.isEmpty {
            // The history names the chunks of each pack, but not which of them this device wrote itself: all become
            // claims.
            let history = try History.loadLatest(vault)
            let (index, retired) = (history.index, history.retiredPacks)
            try library.store.write { transaction in
                try transaction.removeChunks()
                try transaction.take(index, present, but: broken.union(retired))
                guard lost > 0 else { return }
                try transaction.set(.packsGone(lost), as: .vaultProblem)
                try transaction.set(.isContentLost, to: true)
            }
        }
        let (left, stock) = try library.store.read { transaction in
            let left = LeftPacks(try transaction.leftPacks(), present)
            let claims = Claims(try transaction.claims(), of: vault, present)
            return (left, Stock(known: try transaction.knownChunks(), left: left, claims: claims))
        }
        if !left.gone.isEmpty { try library.store.write { try $0.removeLeftPacks(left.gone) } }
        return stock
    }

    /// Drops claims that did not hold, so that nothing relies on them from now on.
    private mutating func dropFalse(_ claims: Claims) throws {
        let found = try claims.findFalse()
        guard let first = found.first else { return }
        summary.falseClaims = found
        try library.store.write { transaction in
            try transaction.removeClaims(found.map(\.pack))
            try transaction.set(.falseClaim(first.problem), as: .vaultProblem)
        }
    }

    /// Throws `EngineError.otherLibrary` if folder and vault both have documents and share no name: it is probably the
    /// wrong folder, or the wrong vault.
    private func refuseStranger(_ scan: Scan, _ unlinked: [RelativePath: UnlinkedProject]) throws {
        // A folder of which something is remembered is no other folder: only its device is new.
        guard scan.unchangedDocuments == 0, !scan.candidates.contains(where: { $0.old != nil }) else { return }
        let here = scan.candidates.filter(\.kind.isDocument)
        let there = unlinked.values.count(where: \.kind.isDocument)
        guard !here.isEmpty, there > 0, !here.contains(where: { unlinked[$0.path] != nil }) else { return }
        throw EngineError.otherLibrary(here: here.count, there: there)
    }

    /// The numbers of the candidates that are left for a later backup. While one of them is new, nothing counts as
    /// gone: a missing document may be that one, under another name.
    private func later(
        _ scan: Scan, _ moves: RenameDetection, _ missing: inout [(path: RelativePath, entry: ScanEntry)]
    ) -> Set<Int> {
        if let only = options.only {
            // What stands in the place of another kind of document is stored, and that other one is gone.
            missing = missing.filter { only.contains($0.path) }
            // A new document needs the folders above it.
            var above: Set<RelativePath> = []
            for path in only {
                var next = path.parent
                while let folder = next, above.insert(folder).inserted { next = folder.parent }
            }
            return Set(
                scan.candidates.indices.filter { number in
                    let candidate = scan.candidates[number]
                    return !only.contains(candidate.path)
                        && !(candidate.kind == .folder && above.contains(candidate.path))
                })
        }
        guard !options.resting.isEmpty else { return [] }
        let later = scan.candidates.indices.filter {
            scan.candidates[$0].kind.isDocument && options.resting.contains(scan.candidates[$0].path)
        }
        let hasNew = later.contains { scan.candidates[$0].old == nil && moves.entries[$0] == nil }
        missing = hasNew ? [] : missing.filter { !options.resting.contains($0.path) }
        return Set(later)
    }

    // MARK: Rounds

    /// Stores the candidates in rounds, and records the deletions with the last one.
    private mutating func store(
        _ scan: Scan, _ moves: RenameDetection, missing: [(path: RelativePath, entry: ScanEntry)],
        later: Set<Int>, again: LostContent, unlinked: inout [RelativePath: UnlinkedProject]
    ) throws {
        var queue = WorkQueue(scan.candidates, moves, later: later)
        var progress = WorkProgress(.storing)
        progress.totalFiles = scan.candidates.count { $0.kind != .folder }
        progress.totalBytes = queue.totalBytes
        if !queue.isEmpty { try becomeWriter() }
        var round = Round(number: 0)
        let hasEdits = !moves.entries.isEmpty || scan.candidates.contains { $0.old != nil && $0.kind.isDocument }
        // Without work the stock is not read: it may be megabytes of ids.
        var stock = queue.isEmpty ? Stock() : try stock()
        (past.revived, past.wasCutOff) = try library.store.read {
            (try $0.revived(), try $0.value(.wasCutOff) ?? false)
        }
        repeat {
            let output: PackingWorkers.Output
            let bases = hasEdits ? try library.store.read { try $0.fileBases() } : [:]
            do {
                // The workers are freed before the known chunks grow; a second reference would copy the set.
                let work = PackingWorkers(
                    context, stock: stock, bases: bases, candidates: scan.candidates, moves: moves,
                    again: again.projects, progress: progress)
                output = try work.run(queue.nextRound())
                progress = work.progress
            }
            summary.skipped += output.skipped
            for number in output.damaged {
                let candidate = scan.candidates[number]
                guard let project = (candidate.old ?? moves.entries[number]?.entry)?.project else { continue }
                noteDamaged(candidate.path, project)
            }
            summary.readBytes += output.readBytes
            summary.addedBytes += output.storedBytes
            round = Round(number: round.number + 1)
            let finished = queue.finish(output.results)
            round.isInterrupted = context.cancellation.isRequested
            let isEnd = queue.isEmpty && !round.isInterrupted
            round.isLast = isEnd && options.only == nil
            let proof = stock.claims?.take(&stock.known) ?? Claims.Proof()
            var documents: [FinishedDocument] = []
            for result in finished {
                let document = try document(result, scan, moves)
                switch document.content(in: again, vault) {
                case .new: documents.append(document)
                case .same: if document.candidate.kind.isDocument { summary.documents += 1 }
                case .damaged: try noteRot(document)
                }
            }
            var writer = RoundWriter(
                context, as: device, summary, edits, past, content: output, proof: proof)
            for result in documents { try writer.take(result, unlinked: &unlinked) }
            if isEnd { for lost in missing { try writer.addTombstone(lost) } }
            try writer.commit(round)
            (summary, device, edits) = (writer.summary, writer.device, FolderEdits(library.store))
            for block in output.packs.flatMap(\.blocks) + output.inline.blocks {
                for chunk in block.chunks { stock.known.insert(chunk.id) }
            }
            if round.isInterrupted { throw Interrupted() }
        } while !queue.isEmpty
        if let claims = stock.claims { try dropFalse(claims) }
        if summary.snapshot != nil { try writeCheckpoint() }
        if summary.snapshot == nil {
            summary.snapshot = try library.store.read { try $0.value(.snapshot) }
        }
    }

    /// Removes the temporary files of this device's last run, if it was killed. The files carry that run's own name,
    /// which no clone of the device has, and under the library's lock that run is over.
    private func becomeWriter() throws {
        let writer = vault.objects.writer
        guard !writer.isEmpty else { return }
        if let last = try library.store.read({ try $0.value(.writer) }) { vault.objects.removeLeftovers(of: last) }
        try library.store.write { try $0.set(.writer, to: writer) }
    }

    /// Writes a checkpoint if one is due, so that new devices need not read every commit. Errors are ignored, as the
    /// commits have all of it too.
    private func writeCheckpoint() throws {
        do {
            guard try Checkpoint.isDue(in: vault, commits) else { return }
            let history = try History.loadForCheckpoint(vault, from: library.comparedCheckpoint())
            if let name = try Checkpoint.write(history, to: vault, by: device.key) {
                try library.remember(compared: name)
            }
        } catch let error as Interrupted {
            throw error
        } catch {}
    }

    /// The result of a candidate, with what is known of its project.
    private func document(_ result: UnitResult, _ scan: Scan, _ moves: RenameDetection) throws -> FinishedDocument {
        let candidate = scan.candidates[result.unit.candidate]
        let move = moves.entries[result.unit.candidate]
        var old: [MemberEntry]?
        if candidate.kind == .bundle, let project = (candidate.old ?? move?.entry)?.project {
            old = try library.store.read { try $0.members(of: project) }
        }
        return FinishedDocument(candidate: candidate, move: move, outcome: result.outcome, oldMembers: old)
    }
}
