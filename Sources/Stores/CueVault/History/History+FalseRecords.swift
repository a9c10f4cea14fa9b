import CueBase
package import CueStorage

/// Pack records that are false. A reader of content skips a place that does not hold its chunk (`ContentReader`); these
/// functions look for such places without reading everything.
extension History {
    /// The most packs from which one repeated chunk is read.
    private static let samples = 256

    /// The numbers in `index` of pack records that are false, as far as little reading shows.
    ///
    /// It reads the footers of packs whose records differ, each chunk whose places differ in length, and one chunk of
    /// each pack that repeats another. Throws `StorageError`.
    package func findFalseRecords(in vault: Vault, _ packs: PresentPacks) throws -> Set<Int> {
        guard !index.disputed.isEmpty || !index.repeatedIDs.isEmpty else { return [] }
        let reader = try ContentReader(of: vault, index, packs)
        let contradicted = try findContradicted(reader)
        var sampled: Set<Int> = []
        for id in index.repeatedIDs {
            let places = index.allLocations(of: id).filter { place in
                let number = index.packNumber(of: place)
                return packs.holds(index.packs[number]) && !contradicted.contains(number)
                    && !reader.liars.contains(number)
            }
            let differ = Set(places.map(\.length)).count > 1
            for place in places {
                let pack = index.packNumber(of: place)
                let isNew = sampled.count < Self.samples && sampled.insert(pack).inserted
                guard differ || isNew else { continue }
                do { try reader.withChunk(id, at: place) { _ in } } catch is VaultError {}
            }
        }
        return reader.liars.union(contradicted)
    }

    /// Of packs whose records differ: the records that the footer contradicts, if it confirms another. If it confirms
    /// none, the pack itself may be damaged.
    private func findContradicted(_ reader: ContentReader) throws -> Set<Int> {
        var contradicted: Set<Int> = []
        for numbers in index.disputed.values {
            let borneOut = try numbers.filter { number in
                do { try reader.verifyEnd(ofPack: number) } catch is VaultError { return false }
                return true
            }
            if !borneOut.isEmpty { contradicted.formUnion(Set(numbers).subtracting(borneOut)) }
        }
        return contradicted
    }

    /// The commits whose pack record is the one of this number.
    package func commits(naming number: Int) -> [LogPosition] {
        let (pack, record) = (index.packs[number], index.record(number))
        return sources.filter { source in
            guard let chunks = source.chunks else { return source.object.pack(pack.id) == record }
            return chunks.contains(pack.chunks.lowerBound)
        }.compactMap(\.position)
    }
}
