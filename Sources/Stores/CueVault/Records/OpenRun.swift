import CueStorage

/// A run, opened: many commits of one device in one object (docs/format.md §12).
struct OpenRun: Sendable {
    /// The commits, each signed by its device and with the digest that the run says.
    let commits: [LogPosition: RecordObject]
    /// The packs that hold what its commits held themselves, as far as it is still needed.
    let packs: [PackRecord]
}
