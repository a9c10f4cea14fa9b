import CueBase
import CueLibrary
import CueSodium
import CueStorage
package import CueSystem
import CueVault
import Synchronization

/// Brings documents back. Nothing appears under its name before all of it is there and proved right.
package struct Restore {
    package typealias Summary = RestoreSummary

    package enum Destination: Sendable {
        case library(OpenLibrary)
        case folder(FilePathBytes)
    }

    private static let batchBytes: Int64 = 4 << 20
    private static let batchFiles = 128
    /// So much is written before it gets its names: what a kill costs, and room that what is replaced takes twice.
    private static let roundBytes: Int64 = 256 << 20
    private static let roundFiles = 16_384

    private let context: VaultContext
    private let history: History
    private let packs: PresentPacks
    private let root: Folder
    private let madeRoot: Bool
    private let durability: Durability
    private let mayArrive: Bool
    private var plan: RestorePlan
    private var summary: Summary

    /// Brings what is asked for. Throws before anything is written if that would replace work that no snapshot holds.
    package static func run(
        _ request: RestoreRequest, _ context: VaultContext, to destination: Destination
    ) throws -> Summary {
        let (vault, now) = (context.vault, context.surroundings.clock.now)
        // Old states are only in the commits; the newest one is in the checkpoint too.
        let isNow = request.at == nil && request.version == nil
        var history = isNow ? try newest(of: vault, for: destination) : try History.load(vault)
        var packs = try history.findPacks(in: vault)
        guard !history.versions.isEmpty || history.damaged.isEmpty else { throw history.damaged[0] }
        guard !history.versions.isEmpty else { throw EngineError.emptyVault }
        let plan: RestorePlan
        do { plan = try RestorePlan.make(request, history, at: now) } catch is RestorePlan.NeedsPast {
            // What it was before its deletion is in the commits alone.
            history = try FullHistory.load(vault).history
            packs = try history.findPacks(in: vault)
            plan = try RestorePlan.make(request, history, at: now)
        }
        switch destination {
        case .library(let library):
            let lock = try library.lock()
            return try withExtendedLifetime(lock) {
                // What this device calls backed up may be in the commits that are gone: then nothing is replaced.
                let lost = try Check.commitsLost(by: vault, since: library)
                guard lost == 0 || request.overwrite else { throw VaultError.wentBack(missing: lost) }
                let drafts = try PlacingJournal.recover(library)
                let broken = try library.store.read { try $0.brokenPacks() }
                var target = RestoreTarget(
                    root: library.root, madeRoot: false, context, history, backedUp: try StoredEntries(library),
                    lastCopies: LastCopies(vault, history, packs, broken: broken), overwrite: request.overwrite)
                try proveWhole(plan, library)
                var checked = plan
                do { try target.check(&checked) } catch {
                    // The backup that the message asks for stores them again.
                    try library.store.write { try $0.addBroken(Array(target.brokenPacks)) }
                    try LastCopies.readAgain(target.endangered, in: library)
                    throw error
                }
                var restore = Restore(plan, checked, context, history, packs, target, library.path)
                restore.summary.drafts = drafts
                let summary = try restore.run { _ in try PlacingJournal(of: library) }
                try revive(plan, history, library)
                // What came back is there, whether it can be noted or not.
                try? Events.note(summary, of: request, library)
                return summary
            }
        case .folder(let path):
            let made = try path.info() == nil
            try path.makeFoldersDurably(mode: 0o755)
            let root = try Folder.open(path)
            let drafts = made ? [] : try PlacingJournal.recover(in: root)
            var target = RestoreTarget(
                root: root, madeRoot: made, context, history,
                backedUp: StoredEntries(), overwrite: request.overwrite)
            var checked = plan
            try target.check(&checked)
            var restore = Restore(plan, checked, context, history, packs, target, path)
            restore.summary.drafts = drafts
            return try restore.run { names in
                // What cannot hold the journal may hold folders that can hold documents.
                do throws(SystemError) { return try PlacingJournal(in: root, names) } catch {
                    guard !error.isNoSpace else { throw error }
                    return nil
                }
            }
        }
    }

    private static func newest(of vault: Vault, for destination: Destination) throws -> History {
        switch destination {
        case .library(let library): try library.newest(of: vault)
        case .folder: try ComparedHistory.load(vault, try vault.log.all(), compared: nil).history
        }
    }

    /// One file of a bundle that is not in the folder would stand there as all of it.
    private static func proveWhole(_ plan: RestorePlan, _ library: OpenLibrary) throws {
        var folders = FolderPath(library.root)
        for path in plan.partial where (try? folders.openParent(of: path).info(of: path.name))?.kind != .folder {
            throw EngineError.bundleNotHere(Display.text(path))
        }
    }

    /// What was deleted goes on with its history, on this device and on the others.
    private static func revive(_ plan: RestorePlan, _ history: History, _ library: OpenLibrary) throws {
        let state = history.state()
        var revived: [RelativePath: RevivedProject] = [:]
        for (path, project) in plan.projects {
            // Where several say that it was deleted, going on from one would leave the others; it is a new document then.
            guard let there = state.projects[project.id], there.isDeleted, there.headIDs.count == 1 else { continue }
            revived[path] = RevivedProject(project: project.id, deletion: there.shown.id, kind: project.kind)
        }
        guard !revived.isEmpty else { return }
        try library.store.write { try $0.addRevived(revived) }
    }

    private init(
        _ plan: RestorePlan, _ checked: RestorePlan, _ context: VaultContext, _ history: History,
        _ packs: PresentPacks, _ target: RestoreTarget, _ path: FilePathBytes
    ) {
        (self.context, self.history, self.packs, self.plan) = (context, history, packs, checked)
        (root, madeRoot, mayArrive) = (target.root, target.madeRoot, false)
        durability = Durability(of: target.root, files: checked.items.count)
        summary = Summary(target: path)
        summary.kept = plan.items.count - checked.items.count
        (summary.documents, summary.copies) = (plan.documents, plan.copies)
        summary.leftDeleted = plan.leftDeleted
        summary.undeleted = plan.undeleted.values.filter(\.header.kind.isDocument).map(\.header.path).sorted()
        summary.failed = plan.failed + history.gaps.map { SkippedPath(path: nil, reason: .gap($0)) }
        summary.isDamaged = !summary.failed.isEmpty
    }

    private init(
        _ plan: RestorePlan, _ context: EngineContext, _ history: History, _ packs: PresentPacks,
        _ durability: Durability
    ) {
        (self.context, self.history, self.packs, self.plan) = (context.ofVault, history, packs, plan)
        (root, madeRoot, mayArrive) = (context.library.root, false, true)
        self.durability = durability
        summary = Summary(target: context.library.path)
        summary.documents = plan.documents
    }

    /// Carries out what a sync has planned. The hooks hear of everything just before it appears or goes; that it lasts is up to the sync.
    static func place(
        _ plan: RestorePlan, _ context: EngineContext, _ history: History, _ packs: PresentPacks,
        _ names: TemporaryNames, _ durability: Durability, _ hooks: RestoreBuilder.Hooks
    ) throws -> Summary {
        var restore = Restore(plan, context, history, packs, durability)
        restore.take(try restore.carryOut(names, hooks))
        return restore.summary
    }

    // MARK: Do

    /// Writes down what it is about to do, does it, and ends once all of it is on the disk.
    private mutating func run(_ makeJournal: (TemporaryNames) throws -> PlacingJournal?) throws -> Summary {
        let names = TemporaryNames(by: context.surroundings.randomness)
        let journal = plan.items.isEmpty ? nil : try makeJournal(names)
        let places = plan.items.lazy.map { [plan] in $0.bundle.map { plan.bundles[$0].path } ?? $0.path }
        try journal?.begin(names, in: places.map { $0.parent ?? .root })
        let builder: RestoreBuilder
        do {
            builder = try carryOut(names, journal.map(Self.hooks))
            try durability.settle()
        } catch {
            // Of a disk that does not keep what is written nothing is believed now; the next run tidies up.
            if case EngineError.notDurable = error { throw error }
            try? journal?.recover()
            throw error
        }
        if builder.isTidy { try journal?.close() }
        if madeRoot {
            // The journal was in it until now.
            builder.finishRoot()
            try durability.settle()
        }
        take(builder)
        return summary
    }

    private static func hooks(_ journal: PlacingJournal) -> RestoreBuilder.Hooks {
        RestoreBuilder.Hooks(
            willPlace: { path, info, temporary in
                try journal.note(.put(path, inode: info.inode, temporary: temporary))
            },
            willDiscard: { path, temporary in try journal.note(.discard(path, temporary: temporary)) },
            isKept: { path, temporary in try journal.note(.aside(path, temporary: temporary)) },
            synchronize: { try journal.synchronize() })
    }

    private mutating func carryOut(_ names: TemporaryNames, _ hooks: RestoreBuilder.Hooks?) throws -> RestoreBuilder {
        let builder = RestoreBuilder(
            root: root, plan: plan, names: names, durability: durability, hooks: hooks, mayArrive: mayArrive,
            cancellation: context.surroundings.cancellation)
        do {
            try builder.makeFolders()
            var work = Work(filesInVaultOrder(), plan.items)
            while work.next < work.order.count {
                try writeFiles(&work, builder)
                try builder.placeDrafts()
            }
            (summary.files, summary.bytes) = work.written
            try builder.makeLinks()
            try builder.finishBundles()
            try builder.placeDrafts()
            builder.finishFolders()
        } catch {
            builder.removeDrafts()
            throw error
        }
        return builder
    }

    /// What the builder says became of it.
    private mutating func take(_ builder: RestoreBuilder) {
        let unplaced = builder.unplaced
        (summary.files, summary.bytes) = (summary.files - unplaced.files, summary.bytes - unplaced.bytes)
        summary.documents -= builder.brokenDocuments
        summary.failed += builder.failures
        summary.isDamaged = summary.isDamaged || builder.hasDamage
        summary.isTidy = builder.isTidy
    }

    /// The files to write, and what of them is written.
    private struct Work: Sendable {
        let order: [Int]
        var next = 0
        /// Where this round ends.
        var end = 0
        var progress = WorkProgress(.restoring)
        /// What of the progress is really there.
        var written = (files: 0, bytes: Int64(0))
        var hasFailed = false

        init(_ order: [Int], _ items: [RestorePlan.Item]) {
            self.order = order
            progress.totalFiles = order.count
            progress.totalBytes = order.map { items[$0].member.size }.saturatingSum
        }

        mutating func beginRound(_ items: [RestorePlan.Item]) {
            var bytes: Int64 = 0
            repeat {
                bytes = bytes.saturatingAdding(items[order[end]].member.size)
                end += 1
            } while end < order.count && bytes < Restore.roundBytes && end - next < Restore.roundFiles
        }

        mutating func takeBatch(_ items: [RestorePlan.Item]) -> ArraySlice<Int>? {
            guard next < end, !hasFailed else { return nil }
            let start = next
            var bytes: Int64 = 0
            repeat {
                bytes = bytes.saturatingAdding(items[order[next]].member.size)
                next += 1
            } while next < end && bytes < Restore.batchBytes && next - start < Restore.batchFiles
            return order[start..<next]
        }
    }

    /// Writes the files of one round.
    private func writeFiles(_ work: inout Work, _ builder: RestoreBuilder) throws {
        let (context, index, packs, items) = (context, history.index, packs, plan.items)
        work.beginRound(items)
        let isLittle = work.order.count < 16 && work.progress.totalBytes < 4 << 20
        let shared = Mutex(work)
        try Workers.run(isLittle ? 1 : Workers.coreCount) { _ in
            let reader = try ContentReader(of: context.vault, index, packs)
            var folders = FolderPath(builder.root)
            while let batch = shared.withLock({ $0.takeBatch(items) }) {
                for number in batch {
                    let isWritten: Bool
                    do {
                        try context.surroundings.cancellation.throwIfRequested()
                        isWritten = try builder.write(number, reader, &folders)
                    } catch {
                        shared.withLock { $0.hasFailed = true }
                        throw error
                    }
                    let size = items[number].member.size
                    context.reporter.progress(
                        shared.withLock { work in
                            work.progress.files += 1
                            work.progress.bytes = work.progress.bytes.saturatingAdding(size)
                            if isWritten { work.written = (work.written.files + 1, work.written.bytes + size) }
                            return work.progress
                        })
                }
            }
        }
        work = shared.withLock { $0 }
    }

    /// The files in the order in which their content lies in the vault: each block is read about once.
    private func filesInVaultOrder() -> [Int] {
        let keyed = plan.items.enumerated().compactMap { number, item -> (key: UInt64, number: Int)? in
            guard case .file(_, let chunks) = item.member.content else { return nil }
            guard let first = chunks.first, let location = history.index.location(of: first) else { return (0, number) }
            return (UInt64(location.block) << 32 | UInt64(location.offset), number)
        }
        return keyed.sorted { ($0.key, $0.number) < ($1.key, $1.number) }.map(\.number)
    }
}
