import CueBase
import CueCrypto
import CueEngine
import CueLibrary
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
            LibraryPlaces(of: $0, using: session.location) { try $0.open(writerName: $1, isPatient: false) }
        }
    }

    /// Before a sync: brings what other devices stored at the other places. Throws as `LibraryPlaces.fetch`.
    mutating func fetch(_ context: EngineContext) throws { reports.merge(try places?.fetch(context) ?? []) }

    /// After all that a run stores: brings the other places what they lack.
    mutating func bring(_ context: EngineContext) {
        do { reports.merge(try places?.bring(context) ?? []) } catch { self.error = error }
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
    /// Brings the vault what it lacks, if another place stood in for it. Throws `CueError`.
    func caughtUp() throws -> Session {
        if let context = libraryContext(SilentReporter()), let places = PlacesOfRun.places(of: self) {
            _ = try run { _ in try places.fetchIfBehind(context) }
        }
        return self
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
                if let vault = try? reopen(place, ring, library) { return (vault, place) }
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
    /// The error with the places of the vault that have not everything, but may be read.
    func hinting(atPlacesOf library: OpenLibrary) -> CueError {
        let first = VaultLocation(stored: library.marker.vault)
        let behind = ((try? LibraryPlaces.states(of: library)) ?? []).filter {
            $0.isUsed && $0.needsSync && $0.place != first && $0.complete != nil
        }
        return behind.reduce(self) { $0.hinting(PlaceWords.behind($1.place)) }
    }
}
