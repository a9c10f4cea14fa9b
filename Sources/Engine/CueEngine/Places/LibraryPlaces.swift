import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// The places at which the vault of a library is kept: the one of its marker, and further ones (`cue vault add`).
///
/// A run works with one of them. `fetch` brings what the others have to it before a sync, and `bring` brings what it
/// has to the others after everything is stored. A place that cannot be reached is left to a later run.
package struct LibraryPlaces: Sendable {
    /// The seconds that a folder has to show itself: a disk may have to start, and a dead network mount never answers.
    private static let patience = 10.0

    let library: OpenLibrary
    /// The place that the run works with.
    private let used: VaultLocation
    let open: VaultLocation.Opening

    /// `used`: the place at which the vault of the run is open.
    package init(of library: OpenLibrary, using used: VaultLocation, open: @escaping VaultLocation.Opening) {
        (self.library, self.used, self.open) = (library, used, open)
    }

    // MARK: Which

    /// All places that this device uses for the vault of the library, that of the marker first.
    package static func all(of library: OpenLibrary) throws -> [VaultLocation] {
        let further = try library.store.read { try $0.places() }.map { VaultLocation(stored: $0.place) }
        let first = library.vaultPlace
        return [first] + further.filter { $0 != first }
    }

    /// The states of the further places, and of those that only the marker names; the place of the marker's `vault` is
    /// among them if it lacks something that another place has.
    package static func states(of library: OpenLibrary) throws -> [PlaceState] {
        let first = library.vaultPlace
        let (known, mark) = try library.store.read { (try $0.places(), try $0.vaultMark()) }
        let states = known.map { place in
            PlaceState(
                place: VaultLocation(stored: place.place), complete: place.complete, needsSync: place.mark != mark,
                tried: place.tried, trouble: place.trouble?.value(), isUsed: true)
        }
        let used = Set(states.map(\.place))
        let named = library.marker.places.map { VaultLocation(stored: $0) }.filter { !used.contains($0) && $0 != first }
        let unused = named.map {
            PlaceState(place: $0, complete: nil, needsSync: true, tried: nil, trouble: nil, isUsed: false)
        }
        return states.filter { $0.place != first || $0.needsSync } + unused
    }

    /// The further places that have all that this device knows, those in folders first.
    package static func whole(of library: OpenLibrary) throws -> [VaultLocation] {
        let first = library.vaultPlace
        let states = try states(of: library).filter { $0.isUsed && !$0.needsSync && $0.place != first }.map(\.place)
        return states.filter { $0.folder != nil } + states.filter { $0.folder == nil }
    }

    /// The further places that may stand in for the vault while that is away: those that have everything, if this device
    /// knows all that it stored. A commit may be at the vault although its answer was lost, or the run was killed; what is
    /// stored elsewhere would stand beside it, as if by another device.
    package static func standIns(for library: OpenLibrary) throws -> [VaultLocation] {
        try mayHaveStoredMore(library) ? [] : whole(of: library)
    }

    /// Whether this device began to store a commit and does not know how that ended.
    package static func mayHaveStoredMore(_ library: OpenLibrary) throws -> Bool {
        let intent = try library.store.read { try $0.value(.intent) }
        return try intent != nil && intent != library.device().commit
    }

    /// The further places that are better read from than the vault itself: those that have everything while that is
    /// behind, and folders while it is on a service.
    package static func nearer(of library: OpenLibrary) throws -> [VaultLocation] {
        let first = library.vaultPlace
        let isBehind = try states(of: library).contains { $0.place == first && $0.needsSync }
        return try whole(of: library).filter { isBehind || first.folder == nil && $0.folder != nil }
    }

    /// Whether the library's own place lacks something, as another one stood in for it.
    package static func isVaultBehind(_ library: OpenLibrary) throws -> Bool {
        let first = library.vaultPlace
        return try library.store.read { store in
            let mark = try store.vaultMark()
            return try store.place(first).map { $0.mark != mark } ?? false
        }
    }

    private var others: [VaultLocation] {
        get throws { try Self.all(of: library).filter { $0 != used } }
    }

    // MARK: Bring together

    /// Brings what other devices stored at the other places. A place that fails is in its report. Throws `Interrupted`,
    /// and the errors of the place that the run works with. `isMeant`: the places for which it returns false are left
    /// alone.
    package func fetch(
        _ context: EngineContext, _ isMeant: (VaultLocation) -> Bool = { _ in true }
    ) throws -> [PlaceReport] {
        try others.filter(isMeant).compactMap { place in
            var report = PlaceReport(place)
            let complete = try library.store.read { try $0.place(place)?.complete }
            do {
                var exchange = try exchange(with: place, context)
                defer { report = exchange.report }
                try exchange.fetch()
            } catch let error as PlaceExchange.OfUsed { throw error.cause } catch {
                report.outcome = try Self.outcome(of: error)
                try note(report, nil, at: context.clock.now)
            }
            report.complete = complete
            return report.outcome == .complete && report.fetched == 0 && report.unreadable == 0 ? nil : report
        }
    }

    /// Call it before anything is stored. If the run works with the library's own place, that place first gets what
    /// another one has and it lacks: after another place stood in for it, or after it lost packs. Otherwise the own
    /// place counts as behind from now on. Without this, a later run would find that the vault went back in time.
    ///
    /// Throws as `fetch`.
    package func prepareToStore(_ context: EngineContext) throws {
        guard try !others.isEmpty else { return }
        let first = library.vaultPlace
        guard used == first else { return try library.store.write { try $0.setBehind(first) } }
        let isBehind = try Self.isVaultBehind(library)
        guard try isBehind || !PlaceExchange.lostPacks(of: context).isEmpty else { return }
        _ = try fetch(context)
        // The vault lacks commits that another place got in its stead. It is not an older vault in its place.
        guard isBehind, try OlderVault.commitsLost(by: context.vault, since: library) > 0 else { return }
        throw EngineError.vaultBehind(
            first.description, others: try Self.whole(of: library).map(\.description))
    }

    /// Brings what the other places lack, and notes for each whether it has everything, and so for the place that the run
    /// works with. Throws as `fetch`.
    package func bring(
        _ context: EngineContext, _ isMeant: (VaultLocation) -> Bool = { _ in true }
    ) throws -> [PlaceReport] {
        let (usedPlace, now) = try library.store.read { (try $0.place(used), try $0.vaultMark()) }
        // A run that did not read its history first may work with a place that is behind.
        if let usedPlace, try usedPlace.mark == now || OlderVault.commitsLost(by: context.vault, since: library) == 0 {
            try note(PlaceReport(used), now, at: context.clock.now)
        }
        return try others.filter(isMeant).map { place in
            let (mark, complete) = try library.store.read { (try $0.vaultMark(), try $0.place(place)?.complete) }
            var report = try bring(place, context)
            try note(report, mark, at: context.clock.now)
            report.complete = complete
            return report
        }
    }

    private func bring(_ place: VaultLocation, _ context: EngineContext) throws -> PlaceReport {
        var exchange: PlaceExchange
        do { exchange = try self.exchange(with: place, context) } catch {
            return PlaceReport(place, try Self.outcome(of: error))
        }
        do { try exchange.bring() } catch let error as VaultCopy.OfTarget {
            var report = exchange.report
            report.outcome = try Self.outcome(of: error.cause)
            return report
        }
        return exchange.report
    }

    /// The outcome of a place that threw an error. Throws `Interrupted` for a stop.
    private static func outcome(of error: any Error) throws -> PlaceReport.Outcome {
        if error is Interrupted || error as? StorageError == .stopped { throw Interrupted() }
        let cause = FailureCause(error)
        return cause.heals ? .away(cause) : .failed(cause)
    }

    /// Notes how it ended. `mark`: what this device knew when it began.
    private func note(_ report: PlaceReport, _ mark: String?, at now: Timestamp) throws {
        try library.store.write { store in
            var known = try store.place(report.place) ?? KnownPlace(report.place.stored)
            known.tried = now
            switch report.outcome {
            case .complete: (known.mark, known.complete, known.trouble) = (mark, now, nil)
            case .away(let cause): known.trouble = try FactCode(cause)
            case .failed(let cause): (known.mark, known.trouble) = (nil, try FactCode(cause))
            }
            try store.set(known)
        }
    }

    private func exchange(with place: VaultLocation, _ context: EngineContext) throws -> PlaceExchange {
        PlaceExchange(context, with: try vault(at: place, context.vault), at: place)
    }

    /// The vault at another place. Throws `EngineError.placeOfOtherVault`, `.vaultNotInFolder`, and `StorageError`.
    private func vault(at place: VaultLocation, _ vault: Vault) throws -> Vault {
        let writer = try library.device().id.description
        let (open, id) = (open, vault.id)
        let opened = try Interruptible.run(within: place.folder == nil ? .infinity : Self.patience) {
            Result {
                let storage = try open(place, writer)
                do {
                    guard try Vault.id(in: storage.objects) == id else {
                        throw EngineError.placeOfOtherVault(place.description)
                    }
                } catch VaultError.notAVault { throw EngineError.vaultNotInFolder(place.description) }
                return storage
            }
        }
        guard let opened else { throw StorageError.unreachable(place.description) }
        return Vault(try opened.get(), ring: vault.keyRing)
    }
}
