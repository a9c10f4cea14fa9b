import CueBase
import CueLibrary
import CueSystem
import CueVault

/// Finds documents in the folder that the vault cannot give back, because a pack that held their content is gone, cut or known to be broken.
///
/// The folder may hold the last copy then. Nothing removes or replaces it before it has been stored again.
struct LastCopies {
    private let vault: Vault
    private let packs: PresentPacks
    private let broken: Set<PackID>
    private var history: History
    /// Whether a chunk was found where a commit places it, for chunks that also have a place in a pack that is gone.
    private var proofs: [ChunkID: Bool] = [:]

    /// `broken`: packs that a reading found damaged.
    init(_ vault: Vault, _ history: History, _ packs: PresentPacks, broken: Set<PackID>) {
        (self.vault, self.history, self.packs, self.broken) = (vault, history, packs, broken)
        findPacks()
    }

    private mutating func findPacks() {
        let all = history.index.packs
        history.take(packs, liars: Set(all.indices.filter { broken.contains(all[$0].id) }))
    }

    /// Whether the vault has no place for some of the content that this device last stored of a document.
    ///
    /// A summary does not know the past. If it does not know the version or a place of its content, all commits are read, once.
    mutating func isLast(_ entry: ScanEntry) throws -> Bool {
        guard entry.kind != .folder, !isHeld(entry.base) else { return false }
        guard history.isSummary else { return true }
        history = try History.load(vault)
        findPacks()
        return !isHeld(entry.base)
    }

    private mutating func isHeld(_ version: VersionID) -> Bool {
        guard let members = try? history.members(of: version) else { return false }
        for member in members {
            for chunk in member.chunks where !isHeld(chunk) { return false }
        }
        return true
    }

    /// Somebody with the key can place a chunk in a pack that never held it, and remove the one that does. So a place beside a pack that is
    /// gone counts once the chunk was read there.
    private mutating func isHeld(_ chunk: ChunkID) -> Bool {
        let places = history.index.allLocations(of: chunk)
        let there = places.filter { !history.index.isLost($0) }
        if there.isEmpty || there.count == places.count { return !there.isEmpty }
        if let known = proofs[chunk] { return known }
        let reader = try? ContentReader(of: vault, history.index, packs)
        let isFound = (try? reader?.withChunk(chunk) { _ in true }) ?? false
        proofs[chunk] = isFound
        return isFound
    }

    /// Makes the next backup read these documents again, and store what the vault lacks of them. A file that a power cut has damaged is left
    /// out: read again, it would count as an edit.
    static func readAgain(_ documents: [KnownProject], in library: OpenLibrary) throws {
        var edits = FolderEdits(library.store)
        var folders = FolderPath(library.root)
        var bundles: [ProjectID: [MemberEntry]] = [:]
        for (path, entry) in documents {
            if entry.kind == .bundle {
                let members = try library.store.read { try $0.members(of: entry.project) }
                bundles[entry.project] = members?.doubted(in: try? BundleListing(folders.open(path)))
            } else if let info = try? folders.openParent(of: path).info(of: path.name),
                entry.stat.isDamaged(StatKey(info))
            {
                continue
            }
            var doubted = entry
            doubted.stat = entry.stat.doubted
            try edits.put(doubted, at: path)
        }
        let changed = bundles
        try library.store.write { transaction in
            try edits.save(transaction)
            for (project, members) in changed { try transaction.setMembers(members, of: project) }
        }
    }
}

extension [MemberEntry] {
    /// The same with keys that no file has, but for files that are damaged.
    fileprivate func doubted(in listing: BundleListing?) -> [MemberEntry] {
        let now = Dictionary(
            listing?.items.map { ($0.path, StatKey($0.info)) } ?? [], uniquingKeysWith: { one, _ in one })
        return map { entry in
            now[entry.member.path].map(entry.stat.isDamaged) ?? false ? entry : entry.doubted
        }
    }
}
