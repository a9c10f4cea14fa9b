import CueBase
import CueLibrary
import CueSystem
import CueVault

/// One piece of work: a candidate, or 64 MiB of a large file.
struct WorkUnit: Sendable {
    /// The number of the candidate.
    let candidate: Int
    /// The number of the part of a large file, from 0; nil for a whole candidate.
    var segment: Int?
    /// The number of parts.
    var segments = 1
    /// Its size in bytes, at least 4096 for a whole candidate; for a bundle an average.
    let bytes: Int64
}

/// The result of one unit.
struct UnitResult: Sendable {
    /// The ways in which reading a unit ends.
    enum Outcome: Sendable {
        /// The members as they were stored, with the keys by which a scan recognizes them.
        case stored([MemberEntry], isUnsettled: Bool)
        /// A part of a large file.
        case segment([ChunkID], bytes: Int64, stat: StatKey, attributes: [ExtendedAttribute])
        /// It was gone before it was read.
        case vanished
        /// It cannot be read, with the error.
        case unreadable(SystemError)
        /// An old project under a new name, not touched otherwise.
        case moved
    }

    let unit: WorkUnit
    let outcome: Outcome
}

/// Hands out work in rounds, and joins the parts of large files.
struct WorkQueue {
    /// The content of a round, in bytes: a killed run may have to read this much again.
    private static let roundBytes: Int64 = 512 << 20
    private static let roundUnits = 16_384
    /// The number of times that a large file is read until it holds still.
    private static let attempts = 3

    private var units: [WorkUnit] = []
    private var next = 0
    private var large: [Int: LargeFile] = [:]
    /// The size of all files; bundles do not count.
    let totalBytes: Int64

    /// A large file of which some parts are read.
    private struct LargeFile {
        var parts: [[ChunkID]?]
        var bytes: Int64 = 0
        var stat: StatKey?
        var isUnsettled = false
        var attributes: [ExtendedAttribute] = []
        var attempt = 1
    }

    /// `later`: the numbers of the candidates that are left for a later backup.
    init(_ candidates: [Scan.Candidate], _ moves: RenameDetection, later: Set<Int> = []) {
        var total: Int64 = 0
        for (i, candidate) in candidates.enumerated() where !later.contains(i) {
            let size = candidate.kind == .file ? candidate.stat.size : 0
            // The size of a bundle is unknown before it is walked. An average keeps rounds from growing without bound.
            let weight = candidate.kind == .bundle ? 2 << 20 : max(size, 4096)
            total += size
            guard size > Chunker.segment, moves.entries[i]?.entry.stat != candidate.stat else {
                units.append(WorkUnit(candidate: i, bytes: weight))
                continue
            }
            units += Self.parts(of: i, size)
        }
        totalBytes = total
    }

    /// The units of a large file of this size in bytes.
    private static func parts(of candidate: Int, _ size: Int64) -> [WorkUnit] {
        let count = Int((size + Chunker.segment - 1) / Chunker.segment)
        return (0..<count).map { part in
            WorkUnit(
                candidate: candidate, segment: part, segments: count,
                bytes: min(Chunker.segment, size - Int64(part) * Chunker.segment))
        }
    }

    /// Whether no unit is left.
    var isEmpty: Bool { next == units.count }

    /// The units of the next round.
    mutating func nextRound() -> ArraySlice<WorkUnit> {
        let start = next
        var bytes: Int64 = 0
        while next < units.count && bytes < Self.roundBytes && next - start < Self.roundUnits {
            bytes += units[next].bytes
            next += 1
        }
        return units[start..<next]
    }

    /// Takes the results of a round, and returns those that are complete, with large files joined.
    mutating func finish(_ results: [UnitResult]) -> [UnitResult] {
        results.compactMap { result in
            guard case .segment(let chunks, let bytes, let stat, let attributes) = result.outcome else {
                if result.unit.segment != nil && large[result.unit.candidate] == nil && isRepeated(result) {
                    return nil
                }
                return result
            }
            return join(result.unit, chunks, bytes, stat, attributes)
        }
    }

    /// One report is enough for all parts of a file that cannot be read.
    private mutating func isRepeated(_ result: UnitResult) -> Bool { result.unit.segment != 0 }

    /// Adds a part. Returns the file when it is complete; if it changed meanwhile, its parts are queued again.
    private mutating func join(
        _ unit: WorkUnit, _ chunks: [ChunkID], _ bytes: Int64, _ stat: StatKey, _ attributes: [ExtendedAttribute]
    ) -> UnitResult? {
        var file = large[unit.candidate] ?? LargeFile(parts: Array(repeating: nil, count: unit.segments))
        file.parts[unit.segment ?? 0] = chunks
        file.bytes += bytes
        file.attributes = attributes
        if let first = file.stat, first != stat { file.isUnsettled = true }
        file.stat = stat
        guard !file.parts.contains(where: { $0 == nil }) else {
            large[unit.candidate] = file
            return nil
        }
        large[unit.candidate] = nil
        if file.isUnsettled && file.attempt < Self.attempts {
            var again = LargeFile(parts: Array(repeating: nil, count: unit.segments))
            again.attempt = file.attempt + 1
            large[unit.candidate] = again
            units += Self.parts(of: unit.candidate, Int64(unit.segments) * Chunker.segment)
            return nil
        }
        let member = Member(
            path: .root, mode: stat.mode, modified: stat.modified, attributes: file.attributes,
            content: .file(size: file.bytes, chunks: file.parts.flatMap { $0 ?? [] }))
        let entry = MemberEntry(stat: file.isUnsettled ? stat.doubted : stat, member: member)
        return UnitResult(unit: unit, outcome: .stored([entry], isUnsettled: file.isUnsettled))
    }
}
