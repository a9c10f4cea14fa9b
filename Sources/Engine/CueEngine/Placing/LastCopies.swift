import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// Finds documents in the folder that the vault cannot give back, because a pack with their content is gone, cut or
/// known to be broken.
struct LastCopies {
    private let vault: Vault
    private let packs: PresentPacks
    private let broken: Set<PackID>
    private var history: History
    /// Whether a chunk was found where a commit places it.
    private var proofs: [ChunkID: Bool] = [:]
    private var reader: ContentReader?
    /// The number of bytes that may be read to check that packs hold their content: about the changes of a day, and not
    /// a whole library.
    private var allowance = 64 << 20
    /// Packs that were found damaged.
    private(set) var foundBroken: Set<PackID> = []

    /// `history` knows these packs. `broken`: those of them that a reading found damaged.
    init(_ vault: Vault, _ history: History, _ packs: PresentPacks, broken: Set<PackID>) {
        (self.vault, self.history, self.packs, self.broken) = (vault, history, packs, broken)
        if !broken.isEmpty { findPacks() }
    }

    private mutating func findPacks() {
        reader = nil
        let all = history.index.packs
        history.take(packs, liars: Set(all.indices.filter { broken.contains(all[$0].id) }))
    }

    /// Whether the vault has no place for some of the content that this device last stored of a document.
    ///
    /// A history from a checkpoint lacks the past. If it lacks the version, or a place of its content, all commits are
    /// read, once.
    mutating func isLast(_ entry: ScanEntry) throws -> Bool {
        guard entry.kind != .folder, try !isHeld(entry.base) else { return false }
        guard history.isSummary else { return true }
        history = try History.load(vault)
        findPacks()
        proofs = [:]
        return try !isHeld(entry.base)
    }

    /// Whether a new version could replace an old one: each chunk has a place in a pack that is there, or comes from the
    /// old one, which is stored again first. Also true if the history is from a checkpoint that lacks the old one.
    ///
    /// A pack that was found damaged may still give other chunks back.
    func mayArrive(_ members: [Member], inPlaceOf base: VersionID) -> Bool {
        let index = history.index
        let lost = Set(members.lazy.flatMap(\.chunks)).filter { chunk in
            !index.allLocations(of: chunk).contains { packs.holds(index.packs[index.packNumber(of: $0)]) }
        }
        guard !lost.isEmpty else { return true }
        guard let old = try? history.members(of: base) else { return history.isSummary }
        let own = Set(old.lazy.flatMap(\.chunks))
        return lost.allSatisfy(own.contains)
    }

    private mutating func isHeld(_ version: VersionID) throws -> Bool {
        guard let members = try? history.members(of: version) else { return false }
        for member in members {
            for chunk in member.chunks where try !isHeld(chunk) { return false }
        }
        return true
    }

    private mutating func isHeld(_ chunk: ChunkID) throws -> Bool {
        // A list may name a chunk again and again, and records may give it as many places: they are looked at once.
        if let known = proofs[chunk] { return known }
        let isHeld = try prove(chunk)
        proofs[chunk] = isHeld
        return isHeld
    }

    /// Looks for the chunk in a pack that is there, and reads it while the allowance lasts.
    ///
    /// A pack of the right size can hold other bytes: a disk may have damaged it, and a device may have written a false
    /// record. A chunk that also has a place in a pack that is gone is suspicious, and always read.
    private mutating func prove(_ chunk: ChunkID) throws -> Bool {
        let places = history.index.allLocations(of: chunk)
        let there = places.filter { place in
            !history.index.isLost(place) && !(reader?.liars.contains(history.index.packNumber(of: place)) ?? false)
        }
        guard let first = there.first else { return false }
        if there.count == places.count {
            guard !vault.objects.readsAreDownloads, Int(first.length) <= allowance else { return true }
            allowance -= Int(first.length)
        }
        do { try read(chunk) } catch let error as VaultError {
            if case .damaged = error {
                foundBroken.formUnion(there.map { history.index.packs[history.index.packNumber(of: $0)].id })
            }
            return false
        }
        return true
    }

    private mutating func read(_ chunk: ChunkID) throws {
        // One reader for all: it keeps the last blocks.
        let reader = try reader ?? ContentReader(of: vault, history.index, packs)
        self.reader = reader
        try reader.withChunk(chunk) { _ in }
    }

    /// Makes the next backup store again what a pack held that is gone, cut or damaged, as far as the folder still has it.
    ///
    /// The caller holds the library's lock. A version of this device that the newest state does not have is left out: a
    /// sync looks at it before another takes its place.
    static func storeLostAgain(_ context: EngineContext) throws {
        let (library, vault) = (context.library, context.vault)
        var history = try library.newest(of: vault)
        let packs = try vault.presentPacks()
        let broken = try library.store.read { try $0.brokenPacks() }
        let all = history.index.packs
        history.take(packs, liars: Set(all.indices.filter { broken.contains(all[$0].id) }))
        let lost = try StoredEntries(library).everything().values.filter { known in
            guard known.entry.kind != .folder, let members = try? history.members(of: known.entry.base) else {
                return false
            }
            return members.contains { $0.chunks.contains(where: history.index.lacks) }
        }
        if !lost.isEmpty { try readAgain(lost, in: library) }
    }

    /// Makes the next backup read these documents again, and store the content that the vault lacks. A file that a
    /// power cut has damaged is left out: read again, it would count as an edit.
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
