import CueBase
import CueLibrary
import CueSodium
import CueStorage
import CueSystem
import CueVault

extension LibraryPlaces {
    /// Takes a further place for the vault: copies it there, or brings a copy that is there already together with it.
    /// The place is noted only once it has everything. Objects that were copied before an error stay, and the next try
    /// goes on from there.
    ///
    /// Throws `EngineError.placeTaken` if the library uses the place already, `VaultCopy.OfTarget` for errors of
    /// the place, `Interrupted`, and the errors of the place that the run works with.
    package func add(_ place: VaultLocation, _ context: EngineContext) throws -> PlaceReport {
        guard try !Self.all(of: library).contains(place) else {
            throw EngineError.placeTaken(place.description)
        }
        if let folder = place.folder { try VaultCopy.prepare(folder) }
        let mark = try library.store.read { try $0.vaultMark() }
        let (report, now) = (try seed(place, context), context.clock.now)
        try Self.changing(library) { marker, store in
            if !marker.places.contains(place.stored) { marker.places.append(place.stored) }
            var known = KnownPlace(place.stored)
            (known.mark, known.complete, known.tried) = (mark, now, now)
            try store.set(known)
        }
        return report
    }

    /// The place of the library that this one is under another address or another mount; nil if there is none, or none
    /// that can be reached.
    private func known(under place: VaultLocation, _ objects: any ObjectStore) throws -> VaultLocation? {
        let all = try Self.all(of: library)
        if let folder = place.folder {
            guard let info = try folder.info() else { return nil }
            return all.first { other in
                guard let there = (try? other.folder?.info()) ?? nil else { return false }
                return there.device == info.device && there.inode == info.inode
            }
        }
        let writer = try library.device().id.description
        let random = library.surroundings.randomness
        let name = ObjectName("tmp/same-\(random.next().hexadecimal)")
        try objects.put(name, [1])
        defer { _ = try? objects.deleteIfAllowed(name) }
        return all.first { other in
            guard other.folder == nil, let there = try? open(other, writer).objects else { return false }
            return ((try? there.size(of: name)) ?? nil) != nil
        }
    }

    private func seed(_ place: VaultLocation, _ context: EngineContext) throws -> PlaceReport {
        var exchange = try atTarget {
            let storage = try open(place, try library.device().id.description)
            let id: VaultID?
            do { id = try Vault.id(in: storage.objects) } catch VaultError.notAVault { id = nil }
            guard id == nil || id == context.vault.id else { throw EngineError.placeOfOtherVault(place.description) }
            if id != nil, let same = try known(under: place, storage.objects) {
                throw EngineError.placeTaken(same.description)
            }
            var exchange = PlaceExchange(
                context, with: Vault(storage, ring: context.vault.keyRing), at: place)
            // A copy may have what other devices stored there.
            if id != nil { try exchange.fetch() }
            return exchange
        }
        try exchange.bring()
        return exchange.report
    }

    /// Stops using a place, and leaves its objects there. Returns false if the library does not use it.
    package static func remove(_ place: VaultLocation, from library: OpenLibrary) throws -> Bool {
        let named = Set(library.marker.places.map { VaultLocation(stored: $0) })
        let known = Set(try library.store.read { try $0.places() }.map { VaultLocation(stored: $0.place) })
        guard named.union(known).contains(place) else { return false }
        try changing(library) { marker, store in
            marker.places.removeAll { VaultLocation(stored: $0) == place }
            try store.remove(place)
        }
        return true
    }

    /// Changes the marker and the local store, the marker first: a place that only the marker names is reported, and
    /// one that only the local store knows would be used without a word.
    private static func changing(
        _ library: OpenLibrary, _ change: (inout LibraryMarker, LocalStore.Transaction) throws -> Void
    ) throws {
        let lock = try library.lock()
        try withExtendedLifetime(lock) {
            // It may have changed since the library was opened.
            var marker = try LibraryMarker(in: library.root) ?? library.marker
            try library.store.write { store in
                try change(&marker, store)
                try marker.writePlaces(in: library.root)
            }
        }
    }

    /// Marks errors of `body` as those of the new place, unless they are of the place that the run works with.
    private func atTarget<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch {
            if let error = error as? PlaceExchange.OfUsed { throw error.cause }
            guard !(error is Interrupted || error is VaultCopy.OfTarget) else { throw error }
            throw VaultCopy.OfTarget(cause: error)
        }
    }
}

extension LibraryMarker {
    /// Forgets the further places: the library gets another vault.
    mutating func forgetPlaces(_ store: LocalStore.Transaction) throws {
        places = []
        for place in try store.places() { try store.removePlace(place.place) }
    }

    /// A place that becomes that of the vault is no further one any more. If it was one, the two change their parts:
    /// the one that was the vault goes on as a further place. `old`: where the vault was.
    mutating func takeFirst(_ place: VaultLocation, before old: String, _ store: LocalStore.Transaction) throws {
        let wasFurther = try store.place(place) != nil
        places.removeAll { VaultLocation(stored: $0) == place }
        try store.remove(place)
        guard wasFurther, VaultLocation(stored: old) != place, !places.contains(old) else { return }
        places.append(old)
        // The next run finds out whether the place has everything.
        try store.setBehind(VaultLocation(stored: old))
    }
}

extension LocalStore.Transaction {
    /// A place, in whatever form it was written; nil if this device does not use it.
    func place(_ place: VaultLocation) throws -> KnownPlace? {
        try places().first { VaultLocation(stored: $0.place) == place }
    }

    /// Notes that a place lacks something.
    func setBehind(_ place: VaultLocation) throws {
        var known = try self.place(place) ?? KnownPlace(place.stored)
        known.mark = nil
        try set(known)
    }

    /// Forgets a place, in whatever form it was written.
    fileprivate func remove(_ place: VaultLocation) throws {
        while let known = try self.place(place) { try removePlace(known.place) }
    }
}
