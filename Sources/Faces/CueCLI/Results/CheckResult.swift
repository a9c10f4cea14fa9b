import CueCrypto
import CueEngine

/// The result of `cue check` in JSON (docs/json.md).
struct CheckResult: Encodable {
    let whole, behind: Bool
    let snapshots, documents, versions, commits, checkpoints, packs, events: Int
    let bytes, readBytes: Int64
    let unreferencedPacks: Int
    let unreferencedBytes: Int64
    let problems, hints: [String]
    let damagedDocuments: [String]
    let unprovenKeySlots: [String]
    let readData: Bool
    /// The state word of the vault; nil for one without commits.
    let state: String?
    /// `same`, `earlier` or `never`; nil if no state was given.
    let stateGiven: String?
    let commitsAside, versionsPruned: Int
    let seconds: Double

    init(
        _ report: Check.Report, _ problems: [String], _ damagedDocuments: [String], _ hints: [String], _ seconds: Double
    ) {
        (whole, behind) = (problems.isEmpty && report.damagedDocuments.isEmpty, report.isBehind)
        (snapshots, documents, versions) = (report.snapshots, report.documents, report.versions)
        (commits, checkpoints) = (report.commits, report.checkpoints)
        (packs, events) = (report.packs, report.events)
        (bytes, readBytes) = (report.bytes, report.readBytes)
        (unreferencedPacks, unreferencedBytes) = (report.unreferenced, report.unreferencedBytes)
        (self.problems, self.hints) = (problems, hints)
        unprovenKeySlots = report.keys.unproven
        (self.damagedDocuments, readData) = (damagedDocuments, report.didReadData)
        state = report.state?.text
        stateGiven =
            switch report.comparison {
            case .same?: "same"
            case .earlier?: "earlier"
            case .never?: "never"
            case nil: nil
            }
        (commitsAside, versionsPruned) = (report.commitsAside, report.pruned)
        self.seconds = (seconds * 1000).rounded() / 1000
    }
}
