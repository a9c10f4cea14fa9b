import CueEngine

/// The result of `cue copy` in JSON (docs/json.md).
struct CopyResult: Encodable {
    let copied, bytes, there, extra: Int
    let missing, different: [String]
    let seconds: Double

    init(_ summary: VaultCopy.Summary, _ seconds: Double) {
        (copied, bytes, there, extra) = (summary.copied, summary.bytes, summary.there, summary.extra)
        (missing, different, self.seconds) = (summary.missing, summary.different, seconds)
    }
}
