import CueBase
import CueLibrary
import CueSystem
import CueVault
import Synchronization

/// The workers of one round. Each takes units until none is left, and reads, names and packs their content on its own.
final class PackingWorkers: Sendable {
    /// The results of all workers.
    struct Output {
        var results: [UnitResult] = []
        /// The packs for the next commit, which are durable.
        var packs: [PackRecord] = []
        /// The blocks that the next commit itself takes.
        var inline = InlineBlocks()
        /// What became of the chunks of files that were edited.
        var deltas: [FileKey: FileDeltas] = [:]
        /// Files in bundles that a vault does not store.
        var skipped: [SkippedPath] = []
        /// The candidates in which something is damaged (`StatKey.isDamaged`).
        var damaged: [Int] = []
        /// The bytes that were read from the disk.
        var readBytes: Int64 = 0
        /// The size of the new packs in bytes.
        var storedBytes = 0
    }

    private let context: EngineContext
    private let chunks: NewChunks
    private let candidates: [Scan.Candidate]
    private let moves: RenameDetection
    private let again: Set<ProjectID>
    private let bases: [FileKey: FileBases]
    private let shared: Mutex<Shared>

    private struct Shared {
        var next = 0
        var output = Output()
        var progress: WorkProgress
        var hasFailed = false
    }

    /// `stock`: the content that need not be packed. `bases`: what edited files may be stored against. `again`: documents that are read whole, even if they are
    /// unchanged. `progress`: the progress of the rounds before.
    init(
        _ context: EngineContext, stock: Stock, bases: [FileKey: FileBases], candidates: [Scan.Candidate],
        moves: RenameDetection, again: Set<ProjectID>, progress: WorkProgress
    ) {
        (self.context, self.bases, self.candidates, self.moves, self.again) = (context, bases, candidates, moves, again)
        chunks = NewChunks(beyond: stock)
        shared = Mutex(Shared(progress: progress))
    }

    /// The progress so far.
    var progress: WorkProgress { shared.withLock { $0.progress } }

    /// Units are handed out in runs of this many bytes or files, so that neighbours land in one block.
    private static let runBytes: Int64 = 1 << 20
    private static let runUnits = 64
    /// Packs of this size, in bytes, are noted when they are durable, so that the next run need not store their content
    /// again if this one is killed. Smaller ones are soon in a commit, and cost less than the note.
    private static let notedBytes = 4 << 20

    /// Processes the units, and returns once all packs are durable.
    func run(_ units: ArraySlice<WorkUnit>) throws -> Output {
        guard !units.isEmpty else { return Output() }
        shared.withLock { $0.next = units.startIndex }
        let bytes = units.reduce(0) { $0 + $1.bytes }
        // A thread costs little, an extra pack a little more: small work stays with one worker.
        let count = units.count < 32 && bytes < 8 << 20 ? 1 : Workers.coreCount
        let uploads = PackUploads(isForCommit: true) { [store = context.library.store] pack in
            if pack.size >= Self.notedBytes { try store.write { try $0.addLeftPack(pack) } }
        }
        do {
            try Workers.run(count) { [self] _ in
                do { try work(units, uploads) } catch {
                    shared.withLock { $0.hasFailed = true }
                    throw error
                }
            }
        } catch {
            // The threads that write to the vault end before the error goes on.
            _ = try? uploads.finish()
            throw error
        }
        let packs = try uploads.finish()
        let inline = uploads.takeInline()
        return shared.withLock { state in
            state.output.inline = inline
            state.output.packs += packs
            state.output.storedBytes += packs.reduce(0) { $0 + $1.size }
            state.output.packs += chunks.takeLeftPacks()
            state.output.results.sort {
                ($0.unit.candidate, $0.unit.segment ?? 0) < ($1.unit.candidate, $1.unit.segment ?? 0)
            }
            return state.output
        }
    }

    private func work(_ units: ArraySlice<WorkUnit>, _ uploads: PackUploads) throws {
        let (vault, cancellation) = (context.vault, context.cancellation)
        let writer = try PackWriter(for: vault, uploads)
        var reader = DocumentReader(root: context.library.root, sink: try ChunkSink(vault, writer, chunks), bases)
        var results: [UnitResult] = []
        // Bundles that were touched a moment ago come last: by then they are at rest, and no worker waits for them.
        var fresh: [WorkUnit] = []
        var damaged: [Int] = []
        func take(_ unit: WorkUnit) throws {
            // After a request to stop, everything that was read is still packed and committed.
            if cancellation.isRequested { return }
            reader.hasDamage = false
            let candidate = candidates[unit.candidate]
            var noted: Int64 = 0
            report { $0.path = candidate.path }
            // The size of a bundle is not among the bytes to be done.
            reader.notePiece =
                candidate.kind != .file
                ? nil
                : { [self] bytes in
                    noted += bytes
                    report { $0.bytes += bytes }
                }
            results.append(UnitResult(unit: unit, outcome: try outcome(of: unit, &reader)))
            if reader.hasDamage { damaged.append(unit.candidate) }
            note(unit, besides: noted)
        }
        while let run = takeRun(units) {
            for unit in run {
                if candidates[unit.candidate].isRested { try take(unit) } else { fresh.append(unit) }
            }
        }
        for unit in fresh { try take(unit) }
        try writer.finish()
        shared.withLock { state in
            state.output.results += results
            state.output.skipped += reader.skipped
            state.output.damaged += damaged
            state.output.readBytes += reader.readBytes
            // A document is read by one worker.
            state.output.deltas.merge(reader.deltas) { $1 }
        }
    }

    /// The next neighbouring units; nil if none is left, or the work is to stop.
    private func takeRun(_ units: ArraySlice<WorkUnit>) -> ArraySlice<WorkUnit>? {
        shared.withLock { state in
            guard state.next < units.endIndex, !state.hasFailed, !context.cancellation.isRequested else { return nil }
            let start = state.next
            var bytes: Int64 = 0
            repeat {
                bytes += units[state.next].bytes
                state.next += 1
            } while state.next < units.endIndex && bytes < Self.runBytes && state.next - start < Self.runUnits
            return units[start..<state.next]
        }
    }

    /// Reports that a unit is done, `besides` those of its bytes that were reported before.
    private func note(_ unit: WorkUnit, besides noted: Int64) {
        let candidate = candidates[unit.candidate]
        report { progress in
            progress.files += candidate.kind != .folder && unit.segment ?? 0 == 0 ? 1 : 0
            guard candidate.kind == .file else { return }
            progress.bytes += (unit.segment == nil ? candidate.stat.size : unit.bytes) - noted
        }
    }

    private func report(_ change: (inout WorkProgress) -> Void) {
        context.reporter.progress(
            shared.withLock { state in
                change(&state.progress)
                return state.progress
            })
    }

    private func outcome(of unit: WorkUnit, _ reader: inout DocumentReader) throws -> UnitResult.Outcome {
        let candidate = candidates[unit.candidate]
        let move = moves.entries[unit.candidate]
        let project = (candidate.old ?? move?.entry)?.project
        let isAgain = project.map(again.contains) ?? false
        reader.project = isAgain ? nil : project
        // Only the name changed, so nothing is read. (A bundle is looked through in any case.)
        if let move, !isAgain, move.entry.stat == candidate.stat, candidate.kind != .bundle,
            move.entry.depth < DeltaRules.depth
        {
            return .moved
        }
        do {
            switch candidate.kind {
            case .bundle:
                let old = try project.flatMap { project in
                    try context.library.store.read { try $0.members(of: project) }
                }
                return try reader.bundle(candidate, old: old ?? [], again: isAgain)
            case .file: return try reader.file(candidate, unit)
            case .folder: return try reader.folder(candidate)
            case .symlink: return try reader.symlink(candidate)
            }
        } catch let error as SystemError {
            return error.isNotFound ? .vanished : .unreadable(error)
        }
    }
}
