import CueBase
import CueLibrary
import CueSodium
import CueStorage
package import CueSystem
import CueVault
import Synchronization

/// Restores documents. A document appears under its name only when all of it is written and proved right.
package struct Restore {
    /// The result of a restore.
    package typealias Summary = RestoreSummary

    /// The places to restore to: a library's own folder, or any other folder.
    package enum Destination: Sendable {
        /// The library's own folder; documents that its device has stored may be replaced.
        case library(OpenLibrary)
        /// Any other folder, which is made if it is missing.
        case folder(FilePathBytes)
    }

    /// The size of a batch, which one worker takes at a time.
    private static let batchBytes: Int64 = 4 << 20
    private static let batchFiles = 128
    private static let batchFilesAtMost = 1024
    /// The size of a round, after which the files get their names. A killed run loses at most this much, and replaced
    /// files take up to this much room twice.
    private static let roundBytes: Int64 = 256 << 20
    private static let roundFiles = 16_384

    private let context: VaultContext
    private let history: History
    private let packs: PresentPacks
    private let root: Folder
    /// Whether the restore made the folder.
    private let madeRoot: Bool
    private let durability: Durability
    /// Whether content that is missing in the vault may still arrive there.
    private let mayArrive: Bool
    private var plan: RestorePlan
    var summary: Summary
    /// What goes once everything else is in its place.
    var removals = RestoreRemovals()

    /// Restores the requested documents. Nothing is written if it throws an `EngineError` for the request, such as
    /// `wouldOverwrite` for work that no version holds. Damage in the vault is a part of the summary.
    package static func run(
        _ request: RestoreRequest, _ context: VaultContext, to destination: Destination
    ) throws -> Summary {
        let (vault, now) = (context.vault, context.surroundings.clock.now)
        // Older states are only in the commits; the newest one is in a checkpoint too.
        let isNow = request.at == nil && request.version == nil
        var history = isNow ? try newest(of: vault, for: destination) : try History.load(vault)
        var packs = try history.findPacks(in: vault)
        guard !history.versions.isEmpty || history.damaged.isEmpty else { throw history.damaged[0] }
        guard !history.versions.isEmpty else { throw EngineError.emptyVault }
        let plan: RestorePlan
        func texts() throws -> Texts? { try request.file == nil ? nil : Texts(vault, history, packs) }
        do { plan = try RestorePlan.make(request, history, at: now, texts()) } catch is RestorePlan.NeedsPast {
            // A version from before a deletion is only in the commits.
            history = try FullHistory.load(vault).history
            packs = try history.findPacks(in: vault)
            plan = try RestorePlan.make(request, history, at: now, texts())
        }
        switch destination {
        case .library(let library):
            let lock = try library.lock()
            return try withExtendedLifetime(lock) {
                let context = EngineContext(
                    library.with(surroundings: context.surroundings), vault, reporter: context.reporter)
                var summary = try perform(plan, context, history, packs, mayStore: request.overwrite)
                summary.source = RestoreSource(plan, history, failed: summary.failed, placed: summary.placed)
                // The documents are restored, even if that cannot be noted.
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
                backedUp: StoredEntries(), request.overwrite ? .aside : .keep)
            var checked = plan
            let found = try target.check(&checked)
            guard found.isEmpty else {
                let names = found.names.sorted().map { Display.text($0) }
                throw request.overwrite
                    ? EngineError.otherKindInTheWay(names) : EngineError.wouldOverwrite(names)
            }
            var restore = Restore(plan, checked, context, history, packs, target, path)
            restore.summary.drafts = drafts
            var summary = try restore.run { names in
                // Continue without a journal if the folder cannot be written: the folders in it may be writable.
                do throws(SystemError) { return try PlacingJournal(in: root, names) } catch {
                    guard !error.isNoSpace else { throw error }
                    return nil
                }
            }
            summary.source = RestoreSource(plan, history, failed: summary.failed, placed: summary.placed)
            return summary
        }
    }

    /// The newest state of the vault. Only a library remembers which checkpoint it has compared.
    private static func newest(of vault: Vault, for destination: Destination) throws -> History {
        switch destination {
        case .library(let library): try library.newest(of: vault)
        case .folder: try ComparedHistory.load(vault, try vault.commits(), compared: nil).history
        }
    }

    init(
        _ plan: RestorePlan, _ checked: RestorePlan, _ context: VaultContext, _ history: History,
        _ packs: PresentPacks, _ target: RestoreTarget, _ path: FilePathBytes
    ) {
        (self.context, self.history, self.packs, self.plan) = (context, history, packs, checked)
        (root, madeRoot, mayArrive) = (target.root, target.madeRoot, false)
        durability = Durability(of: target.root, files: checked.items.count)
        summary = Summary(target: path)
        summary.kept = plan.items.count - checked.items.count
        summary.wasThere =
            checked.items.allSatisfy { target.folders.contains($0.path) }
            && checked.bundles.indices.allSatisfy(checked.skippedBundles.contains)
        (summary.documents, summary.copies) = (plan.documents, plan.copies)
        summary.already = plan.documents - checked.absent(but: target.folders).count(where: \.isDocument)
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

    /// Carries out the plan of a sync. The hooks are called just before a document appears or goes. The caller makes
    /// the result durable.
    static func place(
        _ plan: RestorePlan, _ context: EngineContext, _ history: History, _ packs: PresentPacks,
        _ names: TemporaryNames, _ durability: Durability, _ hooks: RestoreBuilder.Hooks
    ) throws -> Summary {
        var restore = Restore(plan, context, history, packs, durability)
        restore.take(try restore.carryOut(names, hooks))
        return restore.summary
    }

    // MARK: Do

    /// Notes the plan in a journal, carries it out, and returns once all of it is on the disk.
    mutating func run(_ makeJournal: (TemporaryNames) throws -> PlacingJournal?) throws -> Summary {
        let names = TemporaryNames(by: context.surroundings.randomness)
        let journal = plan.items.isEmpty && removals.isEmpty ? nil : try makeJournal(names)
        let places = plan.items.lazy.map { [plan] in $0.bundle.map { plan.bundles[$0].path } ?? $0.path }
        try journal?.begin(names, in: places.map { $0.parent ?? .root } + removals.parents)
        let builder: RestoreBuilder
        do {
            builder = try carryOut(names, journal.map(Self.hooks))
            if let journal, !removals.isEmpty {
                try removals.run(in: root, names, journal, durability, context.surroundings.cancellation)
            }
            try durability.settle()
        } catch {
            // The disk does not keep what is written, so no step can be relied on; the next run tidies up.
            if case EngineError.notDurable = error { throw error }
            try? journal?.recover()
            throw error
        }
        if builder.isTidy, removals.isTidy { try journal?.close() }
        if madeRoot {
            // Only now: the journal was in this folder.
            builder.finishRoot()
            try durability.settle()
        }
        take(builder)
        return summary
    }

    /// Hooks that write to the journal.
    private static func hooks(_ journal: PlacingJournal) -> RestoreBuilder.Hooks {
        RestoreBuilder.Hooks(
            willPlace: { path, info, temporary in
                try journal.note(.put(path, inode: info.inode, temporary: temporary))
            },
            willDiscard: { path, temporary in try journal.note(.discard(path, temporary: temporary)) },
            isKept: { path, temporary in try journal.note(.aside(path, temporary: temporary)) },
            synchronize: { try journal.synchronize() })
    }

    /// Makes folders, files, links and bundles, in this order, and then sets modes and times of folders.
    private mutating func carryOut(_ names: TemporaryNames, _ hooks: RestoreBuilder.Hooks?) throws -> RestoreBuilder {
        let builder = RestoreBuilder(
            root: root, plan: plan, names: names, durability: durability, hooks: hooks, mayArrive: mayArrive,
            cancellation: context.surroundings.cancellation)
        do {
            try builder.makeFolders()
            var work = Work(filesInVaultOrder(), plan.items)
            let chunks = work.order.lazy.flatMap { [items = plan.items] in items[$0].member.chunks }
            let prefetch = BlockPrefetch(of: context.vault, history.index, packs, order: chunks)
            defer { prefetch?.stop() }
            while work.next < work.order.count {
                try writeFiles(&work, prefetch, builder)
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

    /// Takes over the results of the builder.
    private mutating func take(_ builder: RestoreBuilder) {
        let unplaced = builder.unplaced
        (summary.files, summary.bytes) = (summary.files - unplaced.files, summary.bytes - unplaced.bytes)
        summary.documents -= builder.brokenDocuments
        summary.failed += builder.failures
        summary.isDamaged = summary.isDamaged || builder.hasDamage
        summary.isTidy = builder.isTidy
        (summary.aside, summary.placed) = (builder.aside, builder.placed)
        (summary.removed, summary.stayed) = (removals.removed, removals.stayed)
    }

    /// The files to write, and the progress of writing them.
    private struct Work: Sendable {
        let order: [Int]
        var next = 0
        /// Where this round ends.
        var end = 0
        var progress = WorkProgress(.restoring)
        /// The files and bytes that were written without an error.
        var written = (files: 0, bytes: Int64(0))
        var hasFailed = false

        init(_ order: [Int], _ items: [RestorePlan.Item]) {
            self.order = order
            progress.totalFiles = order.count
            progress.totalBytes = order.map { items[$0].member.size }.saturatingSum
        }

        /// Extends `end` by one round.
        mutating func beginRound(_ items: [RestorePlan.Item]) {
            var bytes: Int64 = 0
            repeat {
                bytes = bytes.saturatingAdding(items[order[end]].member.size)
                end += 1
            } while end < order.count && bytes < Restore.roundBytes && end - next < Restore.roundFiles
        }

        /// The next files for one worker; nil if the round is over, or has failed.
        ///
        /// A batch ends with a block where it can: two workers would both have to open the block between them.
        mutating func takeBatch(_ items: [RestorePlan.Item], _ index: ChunkIndex) -> ArraySlice<Int>? {
            guard next < end, !hasFailed else { return nil }
            let start = next
            var bytes: Int64 = 0
            repeat {
                bytes = bytes.saturatingAdding(items[order[next]].member.size)
                next += 1
                let isFull = bytes >= Restore.batchBytes || next - start >= Restore.batchFiles
                if isFull, next - start >= Restore.batchFilesAtMost || !isNextInSameBlock(items, index) { break }
            } while next < end
            return order[start..<next]
        }

        /// Whether the next file begins in the block in which the last one ends.
        private func isNextInSameBlock(_ items: [RestorePlan.Item], _ index: ChunkIndex) -> Bool {
            guard next < end, let last = items[order[next - 1]].member.chunks.last,
                let first = items[order[next]].member.chunks.first
            else { return false }
            return index.location(of: last).map { $0.block == index.location(of: first)?.block } ?? false
        }
    }

    /// Writes the files of one round.
    private func writeFiles(_ work: inout Work, _ prefetch: BlockPrefetch?, _ builder: RestoreBuilder) throws {
        let (context, index, packs, items) = (context, history.index, packs, plan.items)
        work.beginRound(items)
        let isLittle = work.order.count < 16 && work.progress.totalBytes < 4 << 20
        let shared = Mutex(work)
        @Sendable func report(_ change: (inout WorkProgress) -> Void) {
            context.reporter.progress(
                shared.withLock { work in
                    change(&work.progress)
                    return work.progress
                })
        }
        try Workers.run(isLittle ? 1 : Workers.coreCount) { _ in
            let reader = try ContentReader(of: context.vault, index, packs, prefetch: prefetch)
            var folders = FolderPath(builder.root)
            while let batch = shared.withLock({ $0.takeBatch(items, index) }) {
                for number in batch {
                    let isWritten: Bool
                    var (piece, noted) = (Int64(0), Int64(0))
                    report { $0.path = items[number].path }
                    do {
                        try context.surroundings.cancellation.throwIfRequested()
                        isWritten = try builder.write(number, reader, &folders) { bytes in
                            piece += bytes
                            guard piece >= Restore.batchBytes else { return }
                            noted += piece
                            report { $0.bytes = $0.bytes.saturatingAdding(piece) }
                            piece = 0
                        }
                    } catch {
                        shared.withLock { $0.hasFailed = true }
                        throw error
                    }
                    let size = items[number].member.size
                    if isWritten {
                        shared.withLock { $0.written = ($0.written.files + 1, $0.written.bytes + size) }
                    }
                    report { progress in
                        progress.files += 1
                        progress.bytes = progress.bytes.saturatingAdding(size - noted)
                    }
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
