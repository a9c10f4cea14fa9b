import CueCrypto
import CueEngine
import CueLibrary
import CueSystem
import CueVault

extension Session {
    /// The use that a command makes of a library's vault. It decides which place is opened.
    enum Purpose {
        /// The command stores something: the library's own place, or one that stands in while that is away.
        case store
        /// The command only reads: the nearest place that has everything.
        case read
        /// The command checks the vault: the library's own place, without the copies on this device.
        case check
    }

    /// Whether this device uses the place for the vault of the library; false for a copy that was only named.
    var isPlaceOfLibrary: Bool {
        get throws { try library.map { try LibraryPlaces.all(of: $0).contains(location) } ?? false }
    }

    /// The hint for a vault that lacks something which another place has; nil if there is no such place.
    var mendHint: String? {
        guard let library, isOwnVault else { return nil }
        let others = (try? LibraryPlaces.whole(of: library)) ?? []
        return others.first { $0 != location }.map { PlaceWords.mends($0, library: library) }
    }

    /// Call it before anything is stored. The library's own place gets what it lacks; if another place stands in, the
    /// own one counts as behind from now on. Throws `CueError`.
    func prepareToStore() throws {
        guard let places, let context = libraryContext(SilentReporter()) else { return }
        try run { _ in try places.prepareToStore(context) }
    }

    /// Brings the other places what a command stored that is no backup. `note`: the consequence for a place that is
    /// behind.
    func keepPlaces(_ note: String? = nil) throws {
        guard let context = libraryContext(SilentReporter()) else { return }
        var places = PlacesOfRun(self)
        places.bring(context)
        try places.reportTroubles(note)
    }

    /// Opens the other places that have everything, one after the other. A place that cannot be opened is left out.
    func atOtherPlaces(_ secret: SecretOptions) throws -> some Sequence<Session> {
        let (state, library) = (try StateFolder.standard(), library)
        let all = try library.map { [$0.vaultPlace] + (try LibraryPlaces.whole(of: $0)) } ?? []
        let others = all.filter { $0 != location }
        return others.lazy.compactMap { try? Session.open($0, library: library, secret, state, for: .read) }
    }

    /// Runs the work of a command that stores something. Where the library's own place takes nothing more, as its disk is
    /// full for example, the work is done again with another place that has everything.
    static func storing(library folder: String?, _ secret: SecretOptions, _ work: (Session) throws -> Void) throws {
        let session = try open(vault: nil, library: folder, secret)
        do { try work(session) } catch let error as CueError where error.isOfFullVault && !session.standsIn {
            let state = try StateFolder.standard()
            // What was stored before there was no more room is in one place only.
            if let context = session.libraryContext(SilentReporter()) { _ = try? session.places?.bring(context) }
            guard
                let library = session.library,
                let other = try openElsewhere(
                    library, insteadOf: error, { try open($0, library: library, secret, state, for: .store) })
            else { throw error }
            try work(other)
        }
    }

    /// Opens another place that has everything, while the library's own is away or full; nil if there is none.
    static func openElsewhere(
        _ library: OpenLibrary, insteadOf error: CueError, _ open: (VaultLocation) throws -> Session
    ) throws -> Session? {
        for place in try LibraryPlaces.whole(of: library) {
            do {
                var session = try open(place)
                session.standsIn = true
                Asking.warn(PlaceWords.instead(place, error))
                return session
            } catch let other as CueError where other.outcome == .unreachable { continue }
        }
        return nil
    }

    /// Opens a place that is better to read from than the library's own (`LibraryPlaces.nearer`); nil if there is none.
    /// An error of such a place is no error of the command, which then opens the own place.
    static func openNearest(_ library: OpenLibrary, _ open: (VaultLocation) throws -> Session) throws -> Session? {
        for place in try LibraryPlaces.nearer(of: library) {
            guard var session = try? open(place) else { continue }
            session.standsIn = true
            return session
        }
        return nil
    }

    /// Opens the vault of a library with known keys, for a watcher: at the library's own place, or, while that is away,
    /// at another that has everything. Throws the error of the own place.
    static func reopenAnywhere(
        _ ring: KeyRing, _ library: OpenLibrary
    ) throws -> (vault: Vault, place: VaultLocation) {
        let first = try library.vaultLocation()
        do { return (try reopen(first, ring, library), first) } catch {
            guard FailureCause(error).heals, let other = try reopen(ring, library, elsewhereThan: first) else {
                throw error
            }
            return other
        }
    }

    /// The same at a place that has everything and is another one; nil if there is none.
    static func reopen(
        _ ring: KeyRing, _ library: OpenLibrary, elsewhereThan place: VaultLocation
    ) throws -> (vault: Vault, place: VaultLocation)? {
        for other in try LibraryPlaces.whole(of: library) where other != place {
            if let vault = try? reopen(other, ring, library) { return (vault, other) }
        }
        return nil
    }
}

extension CueError {
    /// Adds a hint for each further place: one that has everything and cannot be reached either, or one that lacks
    /// something and can be read.
    func hinting(atPlacesOf library: OpenLibrary) -> CueError {
        let states = ((try? LibraryPlaces.states(of: library)) ?? []).filter {
            $0.isUsed && $0.place != library.vaultPlace
        }
        return states.reduce(self) { error, state in
            guard state.needsSync else { return error.hinting(PlaceWords.alsoAway(state.place)) }
            return state.complete == nil ? error : error.hinting(PlaceWords.behind(state.place))
        }
    }
}
