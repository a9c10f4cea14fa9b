import CueBase
import CueLibrary
import CueSystem
import CueVault

/// Which new names are old projects that were moved or renamed, and perhaps edited too.
///
/// Told by the inode. One may be given to another document after a deletion: it is the same one if times and size agree, or if the document
/// was made before the old one was last stored, as two are never there at once with one inode.
struct RenameDetection {
    /// By the number of the candidate.
    private(set) var entries: [Int: (path: RelativePath, entry: ScanEntry)] = [:]

    private struct Key: Hashable {
        let inode: UInt64
        let kind: UInt8
    }

    /// `birth`: when what stands at a path was made, where that is known.
    static func match(
        _ candidates: [Scan.Candidate], _ missing: inout [(path: RelativePath, entry: ScanEntry)],
        birth: (RelativePath) -> FileTime?
    ) -> RenameDetection {
        var moves = RenameDetection()
        guard !missing.isEmpty else { return moves }
        var gone: [Key: Int] = [:]
        for (i, lost) in missing.enumerated() {
            gone[Key(inode: lost.entry.stat.inode, kind: lost.entry.kind.rawValue)] = i
        }
        let keepsInodes = !candidates.contains(where: hasOnlyNewInode)
        var taken: Set<Int> = []
        for (i, candidate) in candidates.enumerated() where candidate.old == nil {
            guard let found = gone[Key(inode: candidate.stat.inode, kind: candidate.kind.rawValue)] else { continue }
            let entry = missing[found].entry
            let isOne = isSame(candidate, entry) || keepsInodes && wasThere(birth(candidate.path), with: entry)
            guard isOne, taken.insert(found).inserted else { continue }
            moves.entries[i] = missing[found]
        }
        missing = missing.enumerated().filter { !taken.contains($0.offset) }.map(\.element)
        return moves
    }

    private static func wasThere(_ birth: FileTime?, with entry: ScanEntry) -> Bool {
        birth.map { $0 <= entry.stat.changed } ?? false
    }

    /// FAT and some network file systems number their files anew with each mount.
    private static func hasOnlyNewInode(_ candidate: Scan.Candidate) -> Bool {
        candidate.old.map { candidate.stat.inode != $0.stat.inode && isSame(candidate, $0) } ?? false
    }

    private static func isSame(_ candidate: Scan.Candidate, _ entry: ScanEntry) -> Bool {
        let isSized = candidate.kind == .file || candidate.kind == .symlink
        return candidate.stat.modified == entry.stat.modified && (!isSized || candidate.stat.size == entry.stat.size)
    }
}
