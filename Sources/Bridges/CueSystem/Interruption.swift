import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Whether a person or the system asked to stop: SIGINT, SIGTERM or SIGHUP. Once: finish the pack and stop. Twice: stop now.
package enum Interruption {
    private static let asked = Atomic<Int32>(0)

    package static var isRequested: Bool { asked.load(ordering: .relaxed) != 0 }

    /// A question was interrupted, and that was its answer: the work goes on.
    package static func forget() { asked.store(0, ordering: .relaxed) }

    package static func throwIfRequested() throws(Interrupted) {
        if isRequested { throw Interrupted() }
    }

    /// Takes over the signals, and lets a closed pipe be an error of `write` rather than the end of the process.
    package static func install() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        var asking = sigset_t()
        unsafe sigemptyset(&asking)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, handle)
            unsafe sigaddset(&asking, number)
        }
        // Whoever starts us from a thread that blocks them (Foundation's Process on a dispatch queue) hands that on.
        unsafe pthread_sigmask(SIG_UNBLOCK, &asking, nil)
    }

    private static let handle: @convention(c) (Int32) -> Void = { _ in
        // Only an atomic and _exit: both are safe in a signal handler. Everything in a vault is write-once, so leaving is safe.
        if asked.add(1, ordering: .relaxed).newValue >= 2 { _exit(130) }
    }
}

/// Thrown where work stops because `Interruption` was requested.
package struct Interrupted: Error, Sendable {
    package init() {}
}
