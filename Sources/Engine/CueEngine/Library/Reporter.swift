package import CueBase

/// The progress of a long piece of work.
package struct WorkProgress: Sendable {
    /// The kinds of work.
    package enum Phase: Sendable { case storing, restoring, checking, reading, copying }

    /// The kind of this work.
    package var phase: Phase
    /// The number of files that are done; in a check, of packs.
    package var files = 0
    /// The number of all files, or packs.
    package var totalFiles = 0
    /// The bytes that are done.
    package var bytes: Int64 = 0
    /// All bytes; 0 if that is unknown.
    package var totalBytes: Int64 = 0
    /// The document that is being worked on; with several workers, one of theirs.
    package var path: RelativePath?

    /// Nothing is done yet.
    package init(_ phase: Phase) { self.phase = phase }
}

/// Receives the progress of the engine, which itself prints nothing.
package protocol Reporter: Sendable {
    /// Called often and from any thread; it must be cheap.
    func progress(_ progress: WorkProgress)
    /// The work is over, and a progress line can go.
    func finish()
}

/// A reporter that reports nothing.
package struct SilentReporter: Reporter {
    /// It holds nothing.
    package init() {}
    /// Does nothing.
    package func progress(_: WorkProgress) {}
    /// Does nothing.
    package func finish() {}
}
