import CueBase
import CueCrypto
import CueEngine
import CueLibrary
import CueRemotes
import CueSystem
import CueVault

/// The places of a vault as a run used them.
struct PlacesOfRun {
    private let places: LibraryPlaces?
    private(set) var reports: [PlaceReport] = []
    /// The error or the signal that ended it; the run itself has its result.
    private(set) var error: (any Error)?

    init(_ session: Session) {
        places = Self.places(of: session)
    }

    /// The places of the library of a session; nil if it has none.
    static func places(of session: Session) -> LibraryPlaces? {
        session.library.map {
            LibraryPlaces(of: $0, using: session.location, open: open)
        }
    }

    /// Opens a further place, for which nobody waits long. What is wrong with an address or its key keeps its words in the
    /// local store, for `cue status`.
    static func open(_ place: VaultLocation, _ writerName: String) throws -> VaultStorage {
        do { return try place.open(writerName: writerName, isPatient: false) } catch let error as S3SetupError {
            let words = error.words(place.description)
            throw FailureCause.told(words.message, hints: words.hints)
        }
    }

    /// Before a sync: brings what other devices stored at the other places. Throws as `LibraryPlaces.fetch`.
    mutating func fetch(_ context: EngineContext) throws { reports.merge(try places?.fetch(context) ?? []) }

    /// After all that a run stores: brings the other places what they lack.
    mutating func bring(_ context: EngineContext) {
        // A place that did not answer a moment ago is not asked again.
        let silent = Set(reports.filter { $0.outcome != .complete }.map(\.place))
        do { reports.merge(try places?.bring(context) { !silent.contains($0) } ?? []) } catch { self.error = error }
        context.reporter.finish()
    }

    /// Tells what came of it. Throws the error that ended it.
    func tell(_ output: Output, _ session: Session) throws {
        for line in PlaceWords.lines(reports) { output.line(line) }
        output.warnings(PlaceWords.lockWarnings(reports))
        // That the vault itself is away was said when the other place was opened.
        let first = session.standsIn ? session.library.map { VaultLocation(stored: $0.marker.vault) } : nil
        output.warnings(PlaceWords.warnings(reports.filter { $0.place != first }))
        if let error { try session.run { _ in throw error } }
    }

    /// Whether every place has everything, or is only away for now.
    var isWhole: Bool {
        reports.allSatisfy { report in
            if case .failed = report.outcome { return false }
            return report.unreadable == 0 && report.lockProblem == nil
        }
    }

    /// For the result in JSON.
    var rows: [PlaceRow] { reports.map { PlaceRow($0) } }
}

extension Session {
    /// Before anything is stored: brings the vault what it lacks, if another place stood in for it or it has lost packs.
    /// Throws `CueError`.
    func catchUp() throws {
        guard isOwnVault, let context = libraryContext(SilentReporter()) else { return }
        _ = try run { try PlacesOfRun.places(of: $0)?.fetchIfBehind(context) }
    }

    /// The vault at the other places that have everything, as far as they can be reached, opened one after the other.
    func atOtherPlaces(_ secret: SecretOptions) throws -> some Sequence<Session> {
        let state = try StateFolder.standard()
        let library = library
        let all = try library.map { [VaultLocation(stored: $0.marker.vault)] + (try LibraryPlaces.whole(of: $0)) } ?? []
        let others = all.filter { $0 != location }
        return others.lazy.compactMap { try? Session.open($0, library: library, secret, state, true) }
    }

    /// Brings the other places what a command stored that is no backup; only what went wrong is told.
    /// `note`: what that means until then.
    func keepPlaces(_ note: String? = nil) throws {
        guard let context = libraryContext(SilentReporter()) else { return }
        var places = PlacesOfRun(self)
        places.bring(context)
        for text in PlaceWords.warnings(places.reports) { Asking.warn(text + (note.map { "; \($0)" } ?? "")) }
        if let error = places.error { try run { _ in throw error } }
    }

    /// Opens another place of the vault that has everything, while the library's own is away; nil if there is none.
    static func openElsewhere(
        _ library: OpenLibrary, insteadOf error: CueError, _ open: (VaultLocation) throws -> Session
    ) throws -> Session? {
        for place in try LibraryPlaces.whole(of: library) {
            do {
                var session = try open(place)
                session.standsIn = true
                try PlacesOfRun.places(of: session)?.standsIn()
                Asking.warn(PlaceWords.instead(place, of: VaultLocation(stored: library.marker.vault), error))
                return session
            } catch let other as CueError where other.outcome == .unreachable { continue }
        }
        return nil
    }

    /// Opens the vault of a library with known keys, for a watcher: at its own place, or at another that has everything
    /// while that is away. Throws the error of its own place.
    static func reopenAnywhere(
        _ ring: KeyRing, _ library: OpenLibrary
    ) throws -> (vault: Vault, place: VaultLocation) {
        let first = try library.vaultLocation()
        do { return (try reopen(first, ring, library), first) } catch {
            guard FailureCause(error).heals else { throw error }
            for place in try LibraryPlaces.whole(of: library) {
                guard let vault = try? reopen(place, ring, library) else { continue }
                try LibraryPlaces(of: library, using: place, open: PlacesOfRun.open).standsIn()
                return (vault, place)
            }
            throw error
        }
    }

    /// Opens a place that is better read from than the library's own (`LibraryPlaces.nearer`). nil if there is none; what
    /// is wrong with it shows when the place itself is opened.
    static func openNearest(_ library: OpenLibrary, _ open: (VaultLocation) throws -> Session) throws -> Session? {
        let first = VaultLocation(stored: library.marker.vault)
        for place in try LibraryPlaces.nearer(than: first, of: library) {
            guard var session = try? open(place) else { continue }
            session.standsIn = true
            return session
        }
        return nil
    }
}

extension CueError {
    /// The error with the other places of the vault: those that were tried too, and those that lack something and may be
    /// read.
    func hinting(atPlacesOf library: OpenLibrary) -> CueError {
        let first = VaultLocation(stored: library.marker.vault)
        let states = ((try? LibraryPlaces.states(of: library)) ?? []).filter { $0.isUsed && $0.place != first }
        return states.reduce(self) { error, state in
            guard state.needsSync else { return error.hinting(PlaceWords.alsoAway(state.place)) }
            return state.complete == nil ? error : error.hinting(PlaceWords.behind(state.place))
        }
    }
}
