import CueBase
import CueLibrary
import CueSystem
import CueVault
import Synchronization

/// The workers of one round: each takes units, reads, names and packs, on its own until the queue is empty.
///
/// Memory: a worker's read buffer (at most 8 MiB), its pack writer (5 MiB) and the results of the round.
final class PackingWorkers: Sendable {
    struct Output {
        var results: [UnitResult] = []
        var packs: [PackRecord] = []
        var skipped: [SkippedPath] = []
        /// The candidates in which something is damaged (`StatKey.isDamaged`).
        var damaged: [Int] = []
        var readBytes: Int64 = 0
        var storedBytes = 0
    }

    private let context: EngineContext
    private let chunks: NewChunks
    private let candidates: [Scan.Candidate]
    private let moves: RenameDetection
    private let shared: Mutex<Shared>

    private struct Shared {
        var next = 0
        var output = Output()
        var progress: WorkProgress
        var hasFailed = false
    }

    /// `stock`: what need not be packed. `progress`: how far the rounds before have come.
    init(
        _ context: EngineContext, stock: Stock, candidates: [Scan.Candidate], moves: RenameDetection,
        progress: WorkProgress
    ) {
        (self.context, self.candidates, self.moves) = (context, candidates, moves)
        chunks = NewChunks(beyond: stock)
        shared = Mutex(Shared(progress: progress))
    }

    var progress: WorkProgress { shared.withLock { $0.progress } }

    /// Units are handed out in runs of this many bytes or files, so that neighbours land in one block.
    private static let runBytes: Int64 = 1 << 20
    private static let runUnits = 64
    /// A pack of this size is noted when it is durable: should this run be killed, the next need not store it again. Smaller ones are
    /// soon in a commit, and cost less than the note.
    private static let notedBytes = 4 << 20

    func run(_ units: ArraySlice<WorkUnit>) throws -> Output {
        guard !units.isEmpty else { return Output() }
        shared.withLock { $0.next = units.startIndex }
        let bytes = units.reduce(0) { $0 + $1.bytes }
        // A thread costs little, an extra pack a little more: small work stays with one worker.
        let count = units.count < 32 && bytes < 8 << 20 ? 1 : Workers.coreCount
        let uploads = PackUploads { [store = context.library.store] pack in
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
            // The vault's threads end before anybody goes on.
            _ = try? uploads.finish()
            throw error
        }
        let packs = try uploads.finish()
        return shared.withLock { state in
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
        var reader = DocumentReader(root: context.library.root, sink: try ChunkSink(vault, writer, chunks))
        var results: [UnitResult] = []
        // Bundles that were touched a moment ago come last: by then they have rested, and nobody has waited for them.
        var fresh: [WorkUnit] = []
        var damaged: [Int] = []
        func take(_ unit: WorkUnit) throws {
            // A person who asks to stop gets a valid vault: what was read is packed and committed.
            if cancellation.isRequested { return }
            reader.hasDamage = false
            results.append(UnitResult(unit: unit, outcome: try outcome(of: unit, &reader)))
            if reader.hasDamage { damaged.append(unit.candidate) }
            note(unit)
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
        }
    }

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

    private func note(_ unit: WorkUnit) {
        let progress = shared.withLock { state in
            state.progress.files += unit.segment ?? 0 == 0 ? 1 : 0
            state.progress.bytes += candidates[unit.candidate].kind == .file ? unit.bytes : 0
            return state.progress
        }
        context.reporter.progress(progress)
    }

    private func outcome(of unit: WorkUnit, _ reader: inout DocumentReader) throws -> UnitResult.Outcome {
        let candidate = candidates[unit.candidate]
        let move = moves.entries[unit.candidate]
        // Everything as it was, but under another name: nothing to read. (What a bundle holds is looked at all the same.)
        if let move, move.entry.stat == candidate.stat, candidate.kind != .bundle, move.entry.depth < DeltaRules.depth {
            return .moved
        }
        do {
            switch candidate.kind {
            case .bundle:
                let project = (candidate.old ?? move?.entry)?.project
                let old = try project.flatMap { project in
                    try context.library.store.read { try $0.members(of: project) }
                }
                return try reader.bundle(candidate, old: old ?? [])
            case .file: return try reader.file(candidate, unit)
            case .folder: return try reader.folder(candidate)
            case .symlink: return try reader.symlink(candidate)
            }
        } catch let error as SystemError {
            return error.isNotFound ? .vanished : .unreadable(error)
        }
    }
}
