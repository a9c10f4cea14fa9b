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

    /// Runs the work of a command that stores something. Where the place of the vault takes nothing more, as its disk is
    /// full for example, the work is done again with another place, which first gets what the full one has.
    static func storing(
        library folder: String?, _ secret: SecretOptions, _ reporter: any Reporter, _ work: (Session) throws -> Void
    ) throws {
        let session = try open(vault: nil, library: folder, secret)
        do { try work(session) } catch let error as CueError where error.isOfFullVault && !error.isAfterResult {
            guard let library = session.library, let places = session.places else { throw error }
            let context = EngineContext(library, session.vault, reporter: reporter)
            let state = try StateFolder.standard()
            for place in try LibraryPlaces.all(of: library) where place != session.location {
                let reports = try session.run { _ in try places.bring(context) { $0 == place } }
                reporter.finish()
                guard reports.behind.isEmpty,
                    var other = try? open(place, library: library, secret, state, for: .store)
                else { continue }
                other.standsIn = true
                Asking.warn(PlaceWords.insteadOfFull(session.location, place, error))
                do { return try work(other) } catch let next as CueError
                    where next.isOfFullVault && !next.isAfterResult
                { Asking.warn(next.problem) }
            }
            throw error
        }
    }

    /// Opens another place that has everything, while the library's own is away; nil if there is none.
    static func openElsewhere(
        _ library: OpenLibrary, insteadOf error: CueError, for purpose: Purpose,
        _ open: (VaultLocation) throws -> Session
    ) throws -> Session? {
        let places = purpose == .store ? LibraryPlaces.standIns : LibraryPlaces.whole
        for place in try places(library) {
            do {
                var session = try open(place)
                session.standsIn = true
                Asking.warn(PlaceWords.instead(place, error))
                return session
            } catch let other as CueError where other.outcome == .unreachable || other.isOfFullVault { continue }
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
            let cause = FailureCause(error)
            guard cause.heals || cause.takesNothingMore else { throw error }
            for place in try LibraryPlaces.standIns(for: library) {
                if let vault = try? reopen(place, ring, library) { return (vault, place) }
            }
            throw error
        }
    }
}

extension CueError {
    /// Adds a hint for each further place: one that has everything and is not used all the same, or one that lacks
    /// something and can be read.
    func hinting(atPlacesOf library: OpenLibrary, for purpose: Session.Purpose) -> CueError {
        let mayHaveMore = (try? LibraryPlaces.mayHaveStoredMore(library)) ?? false
        let states = ((try? LibraryPlaces.states(of: library)) ?? []).filter {
            $0.isUsed && $0.place != library.vaultPlace
        }
        return states.reduce(self) { error, state in
            guard state.needsSync else {
                let hint =
                    purpose == .check
                    ? PlaceWords.checked(state.place)
                    : mayHaveMore && purpose == .store
                        ? PlaceWords.mayLack(state.place) : PlaceWords.alsoAway(state.place)
                return error.hinting(hint)
            }
            return state.complete == nil ? error : error.hinting(PlaceWords.behind(state.place))
        }
    }
}
