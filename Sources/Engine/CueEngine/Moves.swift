import CueBase
import CueLibrary
import CueSystem
import CueVault

/// Which new names are old projects that were moved or renamed: told by the inode, for documents whose times and size agree.
struct Moves {
    /// By the number of the candidate.
    private(set) var entries: [Int: (path: RelativePath, entry: Entry)] = [:]

    private struct Key: Hashable {
        let inode: UInt64
        let kind: UInt8
    }

    static func match(_ candidates: [Scan.Candidate], _ missing: inout [(path: RelativePath, entry: Entry)]) -> Moves {
        var moves = Moves()
        guard !missing.isEmpty else { return moves }
        var gone: [Key: Int] = [:]
        for (i, lost) in missing.enumerated() {
            gone[Key(inode: lost.entry.stat.inode, kind: lost.entry.kind.rawValue)] = i
        }
        var taken: Set<Int> = []
        for (i, candidate) in candidates.enumerated() where candidate.old == nil {
            guard let found = gone[Key(inode: candidate.stat.inode, kind: candidate.kind.rawValue)],
                isSame(candidate, missing[found].entry), taken.insert(found).inserted
            else { continue }
            moves.entries[i] = missing[found]
        }
        missing = missing.enumerated().filter { !taken.contains($0.offset) }.map(\.element)
        return moves
    }

    /// An inode may be given to another file after a deletion; size and time tell that apart.
    private static func isSame(_ candidate: Scan.Candidate, _ entry: Entry) -> Bool {
        let isSized = candidate.kind == .file || candidate.kind == .symlink
        return candidate.stat.modified == entry.stat.modified && (!isSized || candidate.stat.size == entry.stat.size)
    }
}
