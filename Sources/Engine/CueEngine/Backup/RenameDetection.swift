import CueBase
import CueLibrary
import CueSystem
import CueVault

/// Finds new names that are old projects, moved or renamed, and perhaps edited too.
///
/// A project is recognized by its inode. After a deletion an inode may be used again, so a second sign is needed: times
/// and size agree, or the document was made before the old one was last stored, as two files never have one inode at a
/// time.
struct RenameDetection {
    /// The old path and entry, by the number of the candidate.
    private(set) var entries: [Int: (path: RelativePath, entry: ScanEntry)] = [:]

    private struct Key: Hashable {
        let inode: UInt64
        let kind: UInt8
    }

    /// Matches new candidates with missing entries, and takes the matched ones out of `missing`. `birth`: when the file
    /// or folder at a path was made; nil if that is unknown.
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

    /// Whether a document of this birth existed when the entry was last stored.
    private static func wasThere(_ birth: FileTime?, with entry: ScanEntry) -> Bool {
        birth.map { $0 <= entry.stat.changed } ?? false
    }

    /// Whether an unchanged file has another inode: FAT and some network file systems number their files anew with each
    /// mount.
    private static func hasOnlyNewInode(_ candidate: Scan.Candidate) -> Bool {
        candidate.old.map { candidate.stat.inode != $0.stat.inode && isSame(candidate, $0) } ?? false
    }

    /// Whether time and size agree.
    private static func isSame(_ candidate: Scan.Candidate, _ entry: ScanEntry) -> Bool {
        let isSized = candidate.kind == .file || candidate.kind == .symlink
        return candidate.stat.modified == entry.stat.modified && (!isSized || candidate.stat.size == entry.stat.size)
    }
}
