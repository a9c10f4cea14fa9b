package import CueBase

/// The set of ids of all chunks in the vault.
///
/// A hash table in 64 parts that grow one at a time, so that it is never in memory twice: about 48 bytes a chunk.
package struct KnownChunks: Sendable {
    private var parts = [Part](repeating: Part(), count: 64)
    /// The number of ids.
    package private(set) var count = 0

    /// Marks an empty slot. No chunk has this id: it would be the keyed hash of something.
    private static let none = ChunkID(a: 0, b: 0, c: 0, d: 0)

    private struct Part: Sendable {
        var slots: [ChunkID] = []
        var count = 0

        /// The slot that holds the id, or the empty one where it would be.
        func slot(of id: ChunkID) -> Int {
            // The first 6 bits chose the part. Ids are keyed hashes, so the bits after them are spread evenly.
            var slot = Int((id.a << 6).multipliedFullWidth(by: UInt64(slots.count)).high)
            while slots[slot] != KnownChunks.none && slots[slot] != id {
                slot = slot + 1 == slots.count ? 0 : slot + 1
            }
            return slot
        }

        mutating func insert(_ id: ChunkID) -> Bool {
            if 4 * count >= 3 * slots.count { grow() }
            let slot = slot(of: id)
            guard slots[slot] != id else { return false }
            slots[slot] = id
            count += 1
            return true
        }

        private mutating func grow() {
            let old = slots
            slots = [ChunkID](repeating: KnownChunks.none, count: max(16, old.count + old.count / 4))
            for id in old where id != KnownChunks.none { slots[slot(of: id)] = id }
        }
    }

    /// `expected`: a lower bound of the number of ids, so that the table need not grow.
    package init(expecting expected: Int = 0) {
        // Somewhat more than a 64th for each part, as the ids do not spread equally.
        guard expected > 0 else { return }
        let count = expected / 64 * 7 / 5 + 64
        parts = parts.map { _ in Part(slots: [ChunkID](repeating: Self.none, count: count)) }
    }

    /// Whether the vault holds the chunk.
    package func contains(_ id: ChunkID) -> Bool {
        let part = parts[Int(id.a >> 58)]
        return !part.slots.isEmpty && part.slots[part.slot(of: id)] == id
    }

    /// Returns false if the id was there already.
    @discardableResult
    package mutating func insert(_ id: ChunkID) -> Bool {
        guard parts[Int(id.a >> 58)].insert(id) else { return false }
        count += 1
        return true
    }
}
