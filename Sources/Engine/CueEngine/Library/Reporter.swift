/// How far a long piece of work is.
package struct WorkProgress: Sendable {
    package enum Phase: Sendable { case storing, restoring, checking }

    package var phase: Phase
    package var files = 0
    package var totalFiles = 0
    package var bytes: Int64 = 0
    package var totalBytes: Int64 = 0

    package init(_ phase: Phase) { self.phase = phase }
}

/// Hears what the engine does. The engine itself prints nothing.
package protocol Reporter: Sendable {
    /// Called often and from any thread; cheap when nobody looks.
    func progress(_ progress: WorkProgress)
    /// The work is over: a progress line goes away.
    func finish()
}

/// Says nothing.
package struct SilentReporter: Reporter {
    package init() {}
    package func progress(_: WorkProgress) {}
    package func finish() {}
}
