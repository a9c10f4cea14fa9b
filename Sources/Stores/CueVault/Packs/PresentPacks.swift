package import CueBase
package import CueStorage

/// The packs of a vault as its store listed them at one moment, and the commits, which may hold blocks themselves. A
/// reader of content needs them, and asks for no size of its own.
package struct PresentPacks: Sendable {
    /// The packs that are objects, in bytes, by id.
    package let sizes: [PackID: Int]
    /// The commits, by the ids that their inline blocks have: a stranger may put a file with a known commit's id.
    private let commits: [PackID: [LogEntry]]

    /// What a store lists.
    package init(sizes: [PackID: Int], commits: [LogEntry] = []) {
        self.sizes = sizes
        // A run has the records of a commit alone, and not its blocks.
        self.commits = Dictionary(grouping: commits.lazy.filter { $0.run == nil }) {
            PackID(inlineIn: $0.position.commit)
        }
    }

    /// The commit at a position, as the log lists it; nil if it is not there.
    private func entry(_ position: LogPosition) -> LogEntry? {
        commits[PackID(inlineIn: position.commit)]?.first { $0.position == position }
    }

    /// True if an object of this size in bytes holds a pack of this id.
    package func holds(_ id: PackID, size: Int) -> Bool {
        id.isInline ? commits[id]?.contains { $0.size == size } ?? false : sizes[id] == size
    }

    /// The bytes of the object that holds a pack; 0 if it is not there.
    package func bytes(of pack: ChunkIndex.PackSummary) -> Int {
        (pack.commit.map { entry($0)?.size } ?? sizes[pack.id]) ?? 0
    }

    /// True if the pack is there and has the size that its record names.
    package func holds(_ pack: ChunkIndex.PackSummary) -> Bool {
        pack.commit.map { entry($0) != nil } ?? (sizes[pack.id] == pack.size)
    }

    /// The error for a pack that is not there, or has another size than its record names; nil if all is well. What is
    /// missing or cut may still be on its way.
    package func damage(to pack: ChunkIndex.PackSummary) -> VaultError? {
        guard !holds(pack) else { return nil }
        let part = VaultPart.object(pack.name.text)
        guard pack.commit == nil, let size = sizes[pack.id] else { return .missing(part) }
        return size < pack.size
            ? .cut(part, size: size, wanted: pack.size) : .damaged(part, .size(size, wanted: pack.size))
    }

    /// The place of the sealed bytes of a pack that is there. Throws `StorageError`.
    func source(
        of pack: ChunkIndex.PackSummary, in objects: any ObjectStore, _ log: any RecordLog
    ) throws -> RecordSource {
        guard let entry = pack.commit.flatMap(entry) else { return .object(objects, pack.name, size: pack.size) }
        return try log.source(of: entry)
    }

    /// True if every chunk of a pack, by its number in the index, also has a place in another pack that is there and
    /// not cut, with its bases.
    package func hasReplaced(_ number: Int, of index: ChunkIndex) -> Bool {
        // Very many chunks may have one id, and very many deltas one base: each is looked at once.
        var known: [ChunkID: Bool] = [:], bases: [ChunkID: Bool] = [:]
        func isHeld(_ place: ChunkLocation) -> Bool {
            let other = index.packNumber(of: place)
            return other != number && holds(index.packs[other])
        }
        func isHeld(base id: ChunkID) -> Bool {
            if let isHeld = bases[id] { return isHeld }
            let found = index.wholeLocations(of: id).contains(where: isHeld)
            bases[id] = found
            return found
        }
        return index.packs[number].chunks.allSatisfy { chunk in
            let id = index.ids[chunk]
            if let isHeld = known[id] { return isHeld }
            let found = index.allLocations(of: id).contains { place in
                isHeld(place) && index.bases(of: place.block).allSatisfy(isHeld(base:))
            }
            known[id] = found
            return found
        }
    }
}
