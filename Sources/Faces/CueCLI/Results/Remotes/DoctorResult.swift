import CueEngine
import CueStorage

/// The result of `cue doctor` in JSON (docs/json.md).
struct DoctorResult: Encodable {
    struct Row: Encodable {
        let name: String
        /// `yes`, `no` or `not_tried`.
        let works: String
        /// For people.
        let problem: String?
    }

    let place: String
    let enough: Bool
    let checks: [Row]

    init(_ probe: StoreProbe, _ place: VaultLocation) {
        self.place = place.description
        enough = probe.isEnough
        checks = probe.outcomes.map { step, outcome in
            switch outcome {
            case .works: Row(name: step.rawValue, works: "yes", problem: nil)
            case .notTried: Row(name: step.rawValue, works: "not_tried", problem: nil)
            default: Row(name: step.rawValue, works: "no", problem: RemoteWords.outcome(outcome, place))
            }
        }
    }
}
