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
    /// Whether a pack in which a chunk should be is there.
    private var places: [ChunkID: Bool] = [:]
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
        history.take(packs, broken: broken)
    }

    /// Whether the vault has no place for some of the content that this device last stored of a document.
    ///
    /// A history from a checkpoint lacks the past. If it lacks the version, or a place of its content, all commits are
    /// read, once.
    mutating func isLast(_ entry: ScanEntry) throws -> Bool {
        try entry.kind != .folder && isLost(entry.base)
    }

    /// Whether the vault has no place for some of the content of a version; reads as `isLast` does.
    mutating func isLost(_ version: VersionID) throws -> Bool {
        guard try !isHeld(version) else { return false }
        guard history.isSummary else { return true }
        history = try History.load(vault)
        findPacks()
        (proofs, places) = ([:], [:])
        return try !isHeld(version)
    }

    /// Whether a new version could replace an old one: each chunk has a place in a pack that is there, or comes from
    /// the old one, which is stored again first. Also true if the history is from a checkpoint that lacks the old one.
    ///
    /// A pack that was found damaged may still give other chunks back.
    mutating func mayArrive(_ members: [Member], inPlaceOf base: VersionID) -> Bool {
        let lost = Set(members.lazy.flatMap(\.chunks)).filter { !isThere($0) }
        guard !lost.isEmpty else { return true }
        guard let old = try? history.members(of: base) else { return history.isSummary }
        let own = Set(old.lazy.flatMap(\.chunks))
        return lost.allSatisfy(own.contains)
    }

    /// Whether one of the packs in which the chunk should be is in the vault, damaged or not.
    private mutating func isThere(_ chunk: ChunkID) -> Bool {
        // Records may give a chunk a million places, and each of many documents may name it.
        if let known = places[chunk] { return known }
        let index = history.index
        let isThere = index.allLocations(of: chunk).contains { place in
            packs.holds(index.packs[index.packNumber(of: place)]) && !index.hasLostBase(place)
        }
        places[chunk] = isThere
        return isThere
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
}
