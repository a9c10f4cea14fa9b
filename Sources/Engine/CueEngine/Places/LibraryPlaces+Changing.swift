import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueVault

extension LibraryPlaces {
    /// Takes a further place for the vault: copies it there, or brings a copy that is there already together with it.
    /// The place is noted only once it has everything; what was copied stays if that fails, and counts the next time.
    ///
    /// Throws `EngineError.placeTaken` if the library uses the place already, `VaultCopy.OfTarget` for what is wrong
    /// there, `Interrupted`, and the errors of the place that the run works with.
    package func add(_ place: VaultLocation, _ context: EngineContext) throws -> PlaceReport {
        guard try !Self.all(of: library).contains(place) else {
            throw EngineError.placeTaken(place.description)
        }
        if let folder = place.folder { try VaultCopy.prepare(folder) }
        let mark = try library.store.read { try $0.vaultMark() }
        let (report, now) = (try seed(place, context), context.clock.now)
        try changing { marker, store in
            if !marker.places.contains(place.stored) { marker.places.append(place.stored) }
            var known = KnownPlace(place.stored)
            (known.mark, known.complete, known.tried) = (mark, now, now)
            try store.set(known)
        }
        return report
    }

    private func seed(_ place: VaultLocation, _ context: EngineContext) throws -> PlaceReport {
        var exchange = try atTarget {
            let storage = try open(place, try library.device().id.description)
            let isCopy: Bool
            do {
                guard try Vault.id(in: storage.objects) == context.vault.id else {
                    throw EngineError.otherVault(place.description)
                }
                isCopy = true
            } catch VaultError.notAVault { isCopy = false }
            var exchange = PlaceExchange(
                context, with: Vault(storage, ring: context.vault.keyRing), at: place)
            // A copy may have what other devices stored there.
            if isCopy { try exchange.fetch() }
            return exchange
        }
        try exchange.bring(exchange.plan())
        return exchange.report
    }

    /// Stops using a place. What is there stays. Returns false if the library does not use it.
    package static func remove(_ place: VaultLocation, from library: OpenLibrary) throws -> Bool {
        let named = Set(library.marker.places.map { VaultLocation(stored: $0) })
        let known = Set(try library.store.read { try $0.places() }.map { VaultLocation(stored: $0.place) })
        guard named.union(known).contains(place) else { return false }
        try LibraryPlaces(of: library, using: place) { _, _ in throw EngineError.noPlace("") }.changing {
            marker, store in
            marker.places.removeAll { VaultLocation(stored: $0) == place }
            for other in try store.places() where VaultLocation(stored: other.place) == place {
                try store.removePlace(other.place)
            }
        }
        return true
    }

    /// Changes the marker and the local store, the marker first: a place that only the marker names is reported, and one
    /// that only the local store knows would be used without a word.
    private func changing(_ change: (inout LibraryMarker, LocalStore.Transaction) throws -> Void) throws {
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

    private func atTarget<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as VaultCopy.OfTarget { throw error } catch let error as Interrupted {
            throw error
        } catch { throw VaultCopy.OfTarget(cause: error) }
    }
}

extension LibraryMarker {
    /// A place that becomes that of the vault is no further one any more.
    mutating func takeFirst(_ place: VaultLocation, _ store: LocalStore.Transaction) throws {
        places.removeAll { VaultLocation(stored: $0) == place }
        for other in try store.places() where VaultLocation(stored: other.place) == place {
            try store.removePlace(other.place)
        }
    }
}
