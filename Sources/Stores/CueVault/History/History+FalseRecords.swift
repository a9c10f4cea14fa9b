import CueBase
package import CueStorage

/// Records of packs that say what is not so. A place that does not hold what it should is passed over by whoever reads
/// (`ContentReader`); these look for it without reading everything.
extension History {
    /// How many packs are looked into that claim to hold what another holds too.
    private static let samples = 256

    /// The numbers of packs in `index` whose records are false, as far as little reading tells: by the footers of packs of which
    /// records differ, by a chunk where two places differ in its length, and by one chunk of each pack that repeats what another has.
    package func findFalseRecords(in vault: Vault) throws -> Set<Int> {
        guard !index.disputed.isEmpty || !index.repeatedIDs.isEmpty else { return [] }
        let reader = try ContentReader(of: vault, index: index)
        let contradicted = try findContradicted(reader)
        let sizes = try vault.packSizes()
        var sampled: Set<Int> = []
        for id in index.repeatedIDs {
            let places = index.allLocations(of: id).filter { place in
                let number = index.packNumber(of: place)
                return sizes[index.packs[number].id] == index.packs[number].size
                    && !contradicted.contains(number) && !reader.liars.contains(number)
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

    /// Of packs of which records differ: those that say otherwise than the pack, where it bears another out. (Where it bears out none,
    /// the pack itself may be what is damaged.)
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

    /// The commits that say of a pack what its record in `index` says.
    package func commits(naming number: Int) -> [LogPosition] {
        let (pack, record) = (index.packs[number], index.record(number))
        return sources.filter { source in
            guard let chunks = source.chunks else { return source.object.pack(pack.id) == record }
            return chunks.contains(pack.chunks.lowerBound)
        }.compactMap(\.position)
    }
}
