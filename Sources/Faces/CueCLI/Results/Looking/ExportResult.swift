import CueBase
import CueEngine
import CueLibrary
import CueSystem

/// The result of `cue export` in JSON (docs/json.md).
struct ExportResult: Encodable {
    /// A file that was written.
    struct Draft: Encodable {
        let path, document, version: String
        let bytes: Int64
        let taken: String?
    }

    /// A document, or a version of it, without a text.
    struct PassedOver: Encodable {
        let path: String
        let version: String?
    }

    let target: String
    let documents, files, kept: Int
    let bytes: Int64
    let seconds: Double
    let written: [Draft]
    let withoutText: [PassedOver]
    let failed: [RestoreResult.Failed]
    let draftsRemoved: [String]

    init(_ summary: ExportSummary, _ seconds: Double) {
        target = summary.target.description
        (documents, files, kept) = (summary.documents, summary.written.count, summary.kept)
        bytes = summary.written.reduce(0) { $0 + $1.size }
        self.seconds = (seconds * 1000).rounded() / 1000
        written = summary.written.map {
            Draft(
                path: Display.text($0.path), document: Display.text($0.document), version: $0.version.description,
                bytes: $0.size, taken: $0.taken.map { Display.text($0) })
        }
        withoutText = summary.passedOver.map {
            PassedOver(path: Display.text($0.document), version: $0.version?.description)
        }
        failed = summary.failed.map { RestoreResult.Failed(path: $0.shownPath, reason: $0.reason.words) }
        draftsRemoved = summary.drafts.map { Display.text($0) }
    }
}
