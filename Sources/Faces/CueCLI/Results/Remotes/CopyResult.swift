import CueEngine

/// The result of `cue copy` in JSON (docs/json.md).
struct CopyResult: Encodable {
    let copied, bytes, there, extra: Int
    let missing, different: [String]
    let seconds: Double

    init(_ summary: VaultCopy.Summary, _ seconds: Double) {
        (copied, bytes, there, extra) = (summary.copied, summary.bytes, summary.there, summary.extra)
        (missing, different) = (summary.missing, summary.different)
        self.seconds = (seconds * 1000).rounded() / 1000
    }
}
