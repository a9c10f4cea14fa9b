import CueBase
import CueLibrary
import CueSystem
import CueVault

/// A place of the vault to which a run brings what it lacks. How it ended is noted in the local store.
struct PlaceBringing {
    private let context: EngineContext
    private let place: VaultLocation
    /// What this device knew of the vault when it began.
    private let mark: String
    private var work: (exchange: PlaceExchange, plan: VaultCopy.Plan)?
    /// What came of it; nil while there is something left to do.
    private(set) var report: PlaceReport?

    /// Opens the place and finds out what it lacks. A place that fails has its report at once. Throws `Interrupted`, and
    /// errors of the local store.
    init(_ place: VaultLocation, _ context: EngineContext, open: () throws -> PlaceExchange) throws {
        (self.place, self.context) = (place, context)
        mark = try context.library.store.read { try $0.vaultMark() }
        do {
            let exchange = try open()
            work = (exchange, try exchange.plan())
        } catch let error as Interrupted { throw error } catch {
            try end(PlaceReport(place, .of(error)))
        }
    }

    /// Brings a few objects, or all that are left. Throws as `init`, and the errors of the place that the run works with.
    mutating func step(all: Bool = false) throws {
        guard var (exchange, plan) = work else { return }
        do {
            if all { try exchange.bring(plan) } else { try exchange.step(&plan) }
        } catch let error as VaultCopy.OfTarget {
            var report = exchange.report
            report.outcome = .of(error)
            return try end(report)
        }
        work = (exchange, plan)
        guard all || plan.count == 0 else { return }
        exchange.keepLocks(context.library)
        try end(exchange.report)
    }

    private mutating func end(_ report: PlaceReport) throws {
        (self.report, work) = (report, nil)
        let (place, mark, now) = (place.stored, mark, context.clock.now)
        try context.library.store.write { transaction in
            var known = try transaction.places().first { $0.place == place } ?? KnownPlace(place)
            known.tried = now
            switch report.outcome {
            case .complete: (known.mark, known.complete, known.trouble) = (mark, now, nil)
            case .away(let cause), .failed(let cause): known.trouble = try FactCode(cause)
            }
            try transaction.set(known)
        }
    }
}

extension PlaceReport.Outcome {
    /// What an error of the place means.
    static func of(_ error: any Error) -> PlaceReport.Outcome {
        let cause = FailureCause((error as? VaultCopy.OfTarget)?.cause ?? error)
        return cause.heals ? .away(cause) : .failed(cause)
    }
}
