package import CueBase
package import CueStorage

/// The packs of a vault as its store listed them at one moment, and the commits, which may hold blocks themselves. A
/// reader of content needs them, and asks for no size of its own.
package struct PresentPacks: Sendable {
    /// The packs that are objects, in bytes, by id.
    package let sizes: [PackID: Int]
    /// The commits, by the ids that their inline blocks have.
    private let commits: [PackID: LogEntry]

    /// What a store lists.
    package init(sizes: [PackID: Int], commits: [LogEntry] = []) {
        self.sizes = sizes
        self.commits = Dictionary(
            commits.map { (PackID(inlineIn: $0.position.commit), $0) }, uniquingKeysWith: { entry, _ in entry })
    }

    /// The commit with the inline blocks of this id, as the log lists it; nil if it is not there.
    package func commit(of id: PackID) -> LogEntry? { commits[id] }

    /// The size in bytes of the object that holds a pack of this id; nil if it is not there.
    package func size(of id: PackID) -> Int? { id.isInline ? commits[id]?.size : sizes[id] }

    /// The bytes of the object that holds a pack; 0 if it is not there.
    package func bytes(of pack: ChunkIndex.PackSummary) -> Int { size(of: pack.id) ?? 0 }

    /// True if the pack is there and has the size that its record names.
    package func holds(_ pack: ChunkIndex.PackSummary) -> Bool {
        pack.commit == nil ? sizes[pack.id] == pack.size : commits[pack.id]?.position == pack.commit
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
        guard let entry = commits[pack.id] else { return .object(objects, pack.name, size: pack.size) }
        return try log.source(of: entry)
    }

    /// True if every chunk of a pack, by its number in the index, also has a place in another pack that is there and
    /// not cut, with its bases.
    package func hasReplaced(_ number: Int, of index: ChunkIndex) -> Bool {
        func isHeld(_ place: ChunkLocation) -> Bool {
            let other = index.packNumber(of: place)
            return other != number && holds(index.packs[other])
        }
        return index.packs[number].chunks.allSatisfy { chunk in
            index.allLocations(of: index.ids[chunk]).contains { place in
                isHeld(place)
                    && index.bases(of: place.block).allSatisfy { index.wholeLocations(of: $0).contains(where: isHeld) }
            }
        }
    }
}
