package import CueBase
import CueStorage

/// The packs of a vault as its store listed them at one moment. A reader of content needs them, and asks for no size of
/// its own.
package struct PresentPacks: Sendable {
    /// In bytes, by the pack's id.
    package let sizes: [PackID: Int]

    /// Memberwise.
    package init(sizes: [PackID: Int]) { self.sizes = sizes }

    /// True if the pack is there and has the size that its record names.
    package func holds(_ pack: ChunkIndex.PackSummary) -> Bool { sizes[pack.id] == pack.size }

    /// The error for a pack that is not there, or has another size than its record names; nil if all is well. What is
    /// missing or cut may still be on its way.
    package func damage(to id: PackID, size wanted: Int) -> VaultError? {
        let part = VaultPart.object(PackRecord.name(of: id).text)
        guard let size = sizes[id] else { return .missing(part) }
        guard size != wanted else { return nil }
        return size < wanted ? .cut(part, size: size, wanted: wanted) : .damaged(part, .size(size, wanted: wanted))
    }

    /// True if every chunk of a pack, by its number in the index, also has a place in another pack that is there and
    /// not cut.
    package func hasReplaced(_ number: Int, of index: ChunkIndex) -> Bool {
        index.packs[number].chunks.allSatisfy { chunk in
            index.allLocations(of: index.ids[chunk]).contains { place in
                let other = index.packNumber(of: place)
                return other != number && holds(index.packs[other])
            }
        }
    }
}
