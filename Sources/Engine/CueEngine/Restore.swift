package import CueBase
package import CueLibrary
import CueSodium
package import CueSystem
package import CueVault
import Synchronization

/// Brings documents back. Nothing appears under its name before all of it is there and proved right.
package struct Restore {
    package struct Summary: Sendable {
        package var documents = 0
        package var files = 0
        package var bytes: Int64 = 0
        /// Files and links that were there already.
        package var kept = 0
        /// What could not be read from the vault or written, and why.
        package var failed: [Scan.Skipped] = []
        package var isDamaged = false
        /// What came back under another name than its own.
        package var copies: [Copy] = []
        /// Documents that had been deleted.
        package var undeleted: [RelativePath] = []
        /// Documents in folders that were asked for, which were deleted before and do not come back with them.
        package var leftDeleted: [RelativePath] = []
        package var target: FilePathBytes
    }

    /// A document or folder that comes back under another name than its own.
    package struct Copy: Sendable {
        package enum Reason: Sendable {
            /// The other version of a document in conflict, beside the one that has the name.
            case conflict
            /// Something else has its name, or that of a folder that it is in.
            case nameTaken
        }

        package let path: RelativePath
        package let original: RelativePath
        package let reason: Reason
    }

    package enum Destination: Sendable {
        case library(OpenLibrary)
        case folder(FilePathBytes)
    }

    private static let batchBytes: Int64 = 4 << 20
    private static let batchFiles = 128

    private let vault: Vault
    private let history: History
    private let root: Folder
    private let madeRoot: Bool
    private let hooks: RestoreBuilder.Hooks?
    private let reporter: any Reporter
    private var plan: RestorePlan
    private var summary: Summary

    package static func run(
        _ request: RestoreRequest, from vault: Vault, to destination: Destination, reporter: any Reporter
    ) throws -> Summary {
        // Old states are only in the commits; the newest one is in the checkpoint too.
        let isNow = request.at == nil && request.version == nil
        var history = isNow ? try newest(of: vault, for: destination) : try History.load(vault)
        try history.findPacks(in: vault)
        guard !history.versions.isEmpty || history.damaged.isEmpty else { throw history.damaged[0] }
        guard !history.versions.isEmpty else { throw EngineError.emptyVault }
        let plan: RestorePlan
        do { plan = try RestorePlan.make(request, history, vault) } catch is RestorePlan.NeedsPast {
            // What it was before its deletion is in the commits alone.
            history = try History.load(vault)
            try history.findPacks(in: vault)
            plan = try RestorePlan.make(request, history, vault)
        }
        switch destination {
        case .library(let library):
            let lock = try library.lock()
            return try withExtendedLifetime(lock) {
                // What this device calls backed up may be in the commits that are gone: then nothing is replaced.
                let lost = try Check.commitsLost(by: vault, since: library)
                guard lost == 0 || request.overwrite else { throw VaultError.wentBack(missing: lost) }
                let target = RestoreTarget(
                    root: library.root, madeRoot: false, proof: ContentProof(vault, history.index),
                    backedUp: try BackedUp(library), overwrite: request.overwrite)
                try proveWhole(plan, library)
                let summary = try run(plan, vault, history, target, library.path, reporter)
                try revive(plan, history, library)
                // What came back is there, whether it can be noted or not.
                try? Events.note(summary, of: request, library)
                return summary
            }
        case .folder(let path):
            let made = try path.info() == nil
            try path.makeFolders(mode: 0o755)
            let target = RestoreTarget(
                root: try Folder.open(path), madeRoot: made, proof: ContentProof(vault, history.index),
                backedUp: BackedUp(), overwrite: request.overwrite)
            return try run(plan, vault, history, target, path, reporter)
        }
    }

    private static func newest(of vault: Vault, for destination: Destination) throws -> History {
        switch destination {
        case .library(let library): try library.newest(of: vault)
        case .folder: try ComparedHistory.load(vault, compared: nil).history
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

    private static func run(
        _ plan: RestorePlan, _ vault: Vault, _ history: History, _ target: RestoreTarget, _ path: FilePathBytes,
        _ reporter: any Reporter
    ) throws -> Summary {
        var checked = plan
        try target.check(&checked)
        var restore = Restore(
            vault: vault, history: history, root: target.root, madeRoot: target.madeRoot, hooks: nil,
            reporter: reporter, plan: checked, summary: Summary(target: path))
        restore.summary.kept = plan.items.count - checked.items.count
        (restore.summary.documents, restore.summary.copies) = (plan.documents, plan.copies)
        restore.summary.leftDeleted = plan.leftDeleted
        restore.summary.undeleted = plan.undeleted.values.filter(\.header.kind.isDocument).map(\.header.path).sorted()
        restore.summary.failed = plan.failed + history.gaps.map { Scan.Skipped(path: .root, reason: $0) }
        restore.summary.isDamaged = !restore.summary.failed.isEmpty
        try restore.run()
        return restore.summary
    }

    /// Carries out what a sync has planned. The hooks hear of everything just before it appears or goes.
    static func place(
        _ plan: RestorePlan, _ vault: Vault, _ history: History, in library: OpenLibrary, _ names: TemporaryNames,
        _ hooks: RestoreBuilder.Hooks, _ reporter: any Reporter
    ) throws -> Summary {
        var restore = Restore(
            vault: vault, history: history, root: library.root, madeRoot: false, hooks: hooks,
            reporter: reporter, plan: plan, summary: Summary(target: library.path))
        restore.summary.documents = plan.documents
        try restore.run(names)
        return restore.summary
    }

    // MARK: Do

    private mutating func run(_ names: TemporaryNames = .random()) throws {
        let builder = RestoreBuilder(root: root, plan: plan, names: names, hooks: hooks)
        do {
            try builder.makeFolders()
            try writeFiles(builder)
            try builder.makeLinks()
            try builder.placeBundles()
            try builder.finishFolders(madeRoot: madeRoot)
        } catch {
            builder.removeBundles()
            throw error
        }
        summary.documents -= builder.brokenDocuments
        summary.failed += builder.failures
        summary.isDamaged = summary.isDamaged || builder.hasDamage
    }

    private struct Work {
        var next = 0
        var progress: WorkProgress
        /// What of the progress is really there.
        var written = (files: 0, bytes: Int64(0))
        var hasFailed = false
    }

    private mutating func writeFiles(_ builder: RestoreBuilder) throws {
        let order = filesInVaultOrder()
        var progress = WorkProgress(.restoring)
        progress.totalFiles = order.count
        progress.totalBytes = order.map { plan.items[$0].member.size }.saturatingSum
        let work = Mutex(Work(progress: progress))
        let (vault, index, reporter, items) = (vault, history.index, reporter, plan.items)
        try Workers.run(order.count < 16 && progress.totalBytes < 4 << 20 ? 1 : Workers.coreCount) { _ in
            let reader = try ContentReader(of: vault, index: index)
            var folders = FolderPath(builder.root)
            while let batch = work.withLock({ Self.takeBatch(&$0, order, items) }) {
                for number in batch {
                    let isWritten: Bool
                    do {
                        try Interruption.throwIfRequested()
                        isWritten = try builder.write(number, reader, &folders)
                    } catch {
                        work.withLock { $0.hasFailed = true }
                        throw error
                    }
                    let size = items[number].member.size
                    reporter.progress(
                        work.withLock { work in
                            work.progress.files += 1
                            work.progress.bytes = work.progress.bytes.saturatingAdding(size)
                            if isWritten { work.written = (work.written.files + 1, work.written.bytes + size) }
                            return work.progress
                        })
                }
            }
        }
        (summary.files, summary.bytes) = work.withLock { $0.written }
    }

    private static func takeBatch(_ work: inout Work, _ order: [Int], _ items: [RestorePlan.Item]) -> ArraySlice<Int>? {
        guard work.next < order.count, !work.hasFailed else { return nil }
        let start = work.next
        var bytes: Int64 = 0
        repeat {
            bytes = bytes.saturatingAdding(items[order[work.next]].member.size)
            work.next += 1
        } while work.next < order.count && bytes < batchBytes && work.next - start < batchFiles
        return order[start..<work.next]
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

/// Names for what is not whole yet. The scan ignores them (`*.tmp`).
struct TemporaryNames: Sendable {
    private static let start = Array(".cue-restore-".utf8)
    let run: UInt64

    init(_ run: UInt64) { self.run = run }

    static func random() -> TemporaryNames {
        var generator = SodiumGenerator()
        return TemporaryNames(generator.next())
    }

    /// How all names of this run begin.
    var prefix: [UInt8] { Self.start + Array("\(run.hexadecimal)-".utf8) }

    func name(_ number: Int) -> [UInt8] { prefix + Array("\(number).tmp".utf8) }
}
