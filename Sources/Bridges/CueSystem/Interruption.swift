import CPosix
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Whether a person or the system asked to stop: SIGINT, SIGTERM or SIGHUP. Once: finish the pack and stop. Twice: stop now.
package enum Interruption {
    private static let asked = Atomic<Int32>(0)
    /// The ends of a pipe through which a signal wakes who waits; -1 before `install`.
    private static let wakeRead = Atomic<Int32>(-1)
    private static let wakeWrite = Atomic<Int32>(-1)
    static var wakeDescriptor: Int32 { wakeRead.load(ordering: .relaxed) }

    package static var isRequested: Bool { asked.load(ordering: .relaxed) != 0 }

    /// A question was interrupted, and that was its answer: the work goes on.
    package static func forget() {
        asked.store(0, ordering: .relaxed)
        var byte: UInt8 = 0
        while unsafe read(wakeDescriptor, &byte, 1) == 1 {}
    }

    /// As a signal would: for work that has its time.
    package static func request() {
        asked.store(1, ordering: .relaxed)
        wake()
    }

    private static func wake() {
        var byte: UInt8 = 0
        _ = unsafe write(wakeWrite.load(ordering: .relaxed), &byte, 1)
    }

    package static func throwIfRequested() throws(Interrupted) {
        if isRequested { throw Interrupted() }
    }

    /// Takes over the signals, and lets a closed pipe be an error of `write` rather than the end of the process.
    package static func install() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        if wakeDescriptor < 0, unsafe cue_pipe(&ends) == 0 {
            wakeRead.store(ends[0], ordering: .relaxed)
            wakeWrite.store(ends[1], ordering: .relaxed)
        }
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
        // Only atomics, write and _exit: all are safe in a signal handler. Everything in a vault is write-once, so leaving is safe.
        if asked.add(1, ordering: .relaxed).newValue >= 2 { _exit(130) }
        wake()
    }
}

/// Thrown where work stops because `Interruption` was requested.
package struct Interrupted: Error, Sendable {
    package init() {}
}
