import CueEngine
import CueRemotes
import CueVault

/// The places of a vault during one command: the one that the command works with, and all others.
struct PlacesOfRun {
    private let session: Session
    private let places: LibraryPlaces?
    private var reports: [PlaceReport] = []
    /// The locks of objects at the place that the command works with.
    private var locks = LockReport()
    /// The error or the signal that ended `bring`. The result of the command itself is printed first.
    private var error: (any Error)?

    init(_ session: Session) { (self.session, places) = (session, session.places) }

    /// Call it before a sync: it brings what other devices stored at the other places. Throws as `LibraryPlaces.fetch`.
    mutating func fetch(_ context: EngineContext) throws { reports.merge(try places?.fetch(context) ?? []) }

    /// Call it after everything is stored: it extends locks that end soon, and brings each other place what it lacks.
    mutating func bring(_ context: EngineContext) {
        locks = LockReport(extendingIn: context, at: session.location)
        // A place that failed before the sync is left to the next run.
        let left = reports.behind
        do { reports.merge(try places?.bring(context) { !left.contains($0) } ?? []) } catch { self.error = error }
        context.reporter.finish()
    }

    /// Prints lines and warnings. Throws the error that ended `bring`.
    func report(_ output: Output) throws {
        locks.tell(output)
        for line in PlaceWords.lines(reports) { output.line(line) }
        output.warnings(PlaceWords.lockWarnings(reports))
        // The command printed at its start that the library's own place is away.
        let own = session.standsIn ? session.library?.vaultPlace : nil
        output.warnings(PlaceWords.warnings(reports.filter { $0.place != own }))
        try throwError()
    }

    /// Prints what a person has to know after a command that is no backup. `note`: the consequence for a place that is
    /// behind. Throws the error that ended `bring`.
    func reportTroubles(_ note: String?) throws {
        for text in PlaceWords.warnings(reports) { Asking.warn(text + (note.map { "; \($0)" } ?? "")) }
        try throwError()
    }

    private func throwError() throws {
        guard let error else { return }
        do { try session.run { _ in throw error } } catch var told as CueError {
            told.isAfterResult = true
            throw told
        }
    }

    /// True if no place needs a person: each has everything, or cannot be reached at the moment.
    var isWhole: Bool {
        locks.isWhole
            && reports.allSatisfy { report in
                if case .failed = report.outcome { return false }
                return report.unreadable == 0 && report.lockProblem == nil
            }
    }

    /// The other places, for the result in JSON.
    var rows: [PlaceRow] { reports.map { PlaceRow($0) } }
    /// The locks at the place that the command works with, for the result in JSON; nil if none were due.
    var lockRow: LockRow? { locks.row }
}

extension Session {
    /// The places of the vault of the library; nil without a library.
    var places: LibraryPlaces? {
        library.map { LibraryPlaces(of: $0, using: location, open: Self.openPlace) }
    }

    /// Opens a further place, with short time-outs. A flaw of its address or a missing key becomes an error that keeps its
    /// words in the local store, for `cue status`.
    static func openPlace(_ place: VaultLocation, _ writerName: String) throws -> VaultStorage {
        do { return try place.open(writerName: writerName, isPatient: false) } catch let error as S3SetupError {
            let words = error.words(place.description)
            throw FailureCause.told(words.message, hints: words.hints)
        }
    }
}
