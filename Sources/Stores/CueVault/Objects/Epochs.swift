import CueBase
package import CueCrypto
import CueStorage

/// The epochs of a vault, as far as they are there and can be believed (docs/format.md §4).
package struct Epochs: Sendable {
    /// The epochs that none comes after: the highest number first, then the least id.
    package private(set) var newest: [EpochRecord] = []
    /// The objects that do not count.
    package private(set) var troubles: [(name: String, flaw: EpochFlaw)] = []
    /// Epochs of higher numbers than the current one that are not for the slot of this device: it was removed, or they
    /// are not what their names say.
    package private(set) var later: Set<EpochID> = []
    /// The known epochs whose objects are not there, and whose keys no newer epoch holds.
    package private(set) var missing: Set<EpochID> = []
    /// Whether the epoch that this vault was written with is not there any more, and none that came after it.
    package private(set) var isBehind = false

    /// The slots of the vault: what the newest list, without what any of them removed.
    package var slots: [ListedSlot] {
        var known: Set<SlotID> = Set(removed)
        return newest.flatMap(\.slots).filter { known.insert($0.id).inserted }
    }

    /// The slots that were ever removed, each once.
    package var removed: [SlotID] {
        var known: Set<SlotID> = []
        return newest.flatMap(\.removed).filter { known.insert($0).inserted }
    }

    /// Reads them with the keys that are known. `entries`: all of `epochs/`. Throws `StorageError` for an error that
    /// heals by itself.
    init(_ entries: [ObjectEntry], in store: any ObjectStore, _ ring: KeyRing) throws {
        var read: [EpochRecord] = []
        var covered: Set<EpochID> = []
        let places = entries.compactMap { entry in EpochRecord.place(of: entry.name.text).map { ($0, entry) } }
        // The newest holds the keys of all before it, so that of a thousand epochs one is read.
        for ((_, id), entry) in places.sorted(by: { ($1.0.number, $0.0.id) < ($0.0.number, $1.0.id) })
        where !covered.contains(id) {
            let bytes = try Self.bytes(of: entry, in: store)
            do throws(EpochFlaw) {
                let record = try Self.read(bytes, entry.name.text, ring)
                read.append(record)
                covered.formUnion(record.earlier.map(\.id))
            } catch {
                troubles.append((entry.name.text, error))
            }
        }
        newest = read.filter { record in !read.contains { $0.isAfter(record.key.id) } }
        let there = Set(places.map(\.0.id))
        // Keys that came without a slot may be of a vault that never had an epoch's object, as tests make them.
        let held = Set(newest.flatMap { $0.earlier.map(\.id) })
        missing = ring.slot == nil ? [] : ring.key.ids.subtracting(there).subtracting(held)
        isBehind = ring.slot != nil && !newest.contains { $0.isSame(as: ring.key.current.id) }
        let current = places.first { $0.0.id == ring.key.current.id }?.0.number ?? 0
        let closed = Set(troubles.filter { $0.flaw == .notForThisSlot }.map(\.name))
        later = Set(places.filter { $0.0.number > current && closed.contains($0.1.name.text) }.map(\.0.id))
    }

    /// The bytes of an object; nil if the store never gives them, and none for one that is too large to be an epoch.
    private static func bytes(of entry: ObjectEntry, in store: any ObjectStore) throws -> [UInt8]? {
        guard entry.size <= EpochRecord.size else { return [] }
        do { return try store.get(entry.name, upTo: EpochRecord.size) } catch {
            guard error.heals == .never else { throw error }
            return nil
        }
    }

    private static func read(_ bytes: [UInt8]?, _ name: String, _ ring: KeyRing) throws(EpochFlaw) -> EpochRecord {
        guard let bytes else { throw .unreadable }
        let sealed = try SealedEpoch(bytes, name: name, vault: ring.key.vault)
        let key: EpochKey
        if let known = ring.key[sealed.id] { key = known } else { key = try sealed.key(for: ring.slot) }
        let record = try sealed.open(with: key)
        guard record.counts(with: ring.key) else { throw .foreign }
        return record
    }

    /// The epoch to write with from now on: of those that come after the current one, or are it, the first. nil if
    /// there is none.
    func next(after current: EpochID) -> EpochRecord? { newest.first { $0.isSame(as: current) } }
}

extension EpochRecord {
    /// Whether it is this epoch or came after it.
    fileprivate func isSame(as epoch: EpochID) -> Bool { key.id == epoch || isAfter(epoch) }
}
