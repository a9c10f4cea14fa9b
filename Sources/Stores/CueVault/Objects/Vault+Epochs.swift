package import CueCrypto
import CueStorage
import Synchronization

extension Vault {
    /// Lists the epochs, learns the keys of those that count, and goes on with the newest of those that came after the
    /// current one. Throws `StorageError`.
    @discardableResult
    package func readEpochs() throws -> Epochs {
        let (entries, ring) = (try objects.list("epochs"), keyRing)
        // Each command asks more than once, and hardly ever anything changed.
        if let last = lastEpochs.withLock({ $0 }), last.entries == entries, last.key === ring.key { return last.epochs }
        let epochs = try Epochs(entries, in: objects, ring)
        learn { ring in
            let keys = epochs.newest.flatMap { $0.earlier + [$0.key] }
            ring.key = ring.key.adding(keys, current: epochs.next(after: ring.key.current.id)?.key.id)
            lastEpochs.withLock { $0 = (entries, ring.key, epochs) }
        }
        return epochs
    }

    /// Adds keys that this device remembers: what they sealed stays readable.
    package func adopt(_ known: KeyRing) { learn { $0.key = $0.key.adding(known.key.all) } }

    /// Lists the epochs anew for an object whose epoch this vault does not know yet: another device may have changed the
    /// keys. Returns nil if the epoch is not there. Each epoch is looked for once, so foreign objects cost little.
    func lookedUp(_ id: EpochID) throws -> EpochKey? {
        try lookUps.withLock { known in
            // Another thread may have found it meanwhile.
            if let key = key[id] { return key }
            guard known.count < KeyRing.epochs, known.insert(id).inserted else { return nil }
            do { try readEpochs() } catch {
                known.remove(id)
                throw error
            }
            return key[id]
        }
    }

    /// Makes these epochs ones that are named and no longer asked about.
    package func passOver(_ epochs: Set<EpochID>) { learn { $0.passedOver.formUnion(epochs) } }
}
