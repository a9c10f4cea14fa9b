import CueBase
import CueEngine
import Foundation

/// The result of a run for a further place of the vault, in `cue backup`, `cue sync` and `cue vault add`
/// (docs/json.md).
struct PlaceRow: Encodable {
    let place: String
    /// `complete`, `away` or `failed`.
    let state: String
    let objects, bytes, fetched, unreadable: Int
    /// For people.
    let problem: String?

    init(_ report: PlaceReport) {
        place = report.place.description
        (objects, bytes) = report.brought
        (fetched, unreadable) = (report.fetched, report.unreadable)
        switch report.outcome {
        case .complete: (state, problem) = ("complete", nil)
        case .away(let cause):
            (state, problem) = ("away", CueError.describing(cause.error, vault: report.place.description).problem)
        case .failed(let cause):
            (state, problem) = ("failed", CueError.describing(cause.error, vault: report.place.description).problem)
        }
    }
}

/// A place of the vault in `cue status` and `cue vault list` (docs/json.md).
struct PlaceStateRow: Encodable {
    let place: String
    let needsSync, used: Bool
    let lastComplete, lastTried: Date?
    /// For people.
    let problem: String?

    init(_ state: PlaceState) {
        place = state.place.description
        (needsSync, used) = (state.needsSync, state.isUsed)
        (lastComplete, lastTried) = (state.complete?.date, state.tried?.date)
        problem = state.trouble.map { CueError.describing($0.error, vault: state.place.description).problem }
    }
}

/// The result of `cue vault list` in JSON (docs/json.md).
struct PlaceListResult: Encodable {
    let vault: String
    let places: [PlaceStateRow]

    init(_ vault: String, _ states: [PlaceState]) { (self.vault, places) = (vault, states.map { PlaceStateRow($0) }) }
}
