import CPosix
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The request of a person or the system to stop: SIGINT, SIGTERM or SIGHUP.
///
/// The first signal means: finish the pack and stop. The second means: stop now.
package enum Interruption {
    private static let asked = Atomic<Int32>(0)
    /// The ends of a pipe through which a signal wakes waiting threads; -1 before `install`.
    private static let wakeRead = Atomic<Int32>(-1)
    private static let wakeWrite = Atomic<Int32>(-1)
    /// The time of the first signal, and the period in which further ones count as the same; nanoseconds.
    private static let first = Atomic<Int64>(0)
    private static let patience = Atomic<Int64>(0)
    /// The address of the text that is printed if a second signal ends the process: two bytes of length, then the text.
    private static let lastWords = Atomic<UInt>(0)
    private static let lastWordsAtMost = 510
    static var wakeDescriptor: Int32 { wakeRead.load(ordering: .relaxed) }

    /// True after the first signal or `request`.
    package static var isRequested: Bool { asked.load(ordering: .relaxed) != 0 }

    /// Withdraws the request: the signal interrupted a question and was its answer, and the work goes on.
    package static func forget() {
        asked.store(0, ordering: .relaxed)
        var byte: UInt8 = 0
        while unsafe read(wakeDescriptor, &byte, 1) == 1 {}
    }

    /// Requests a stop as a signal would, for work with a time limit.
    package static func request() {
        asked.store(1, ordering: .relaxed)
        wake()
    }

    private static func wake() {
        var byte: UInt8 = 0
        _ = unsafe write(wakeWrite.load(ordering: .relaxed), &byte, 1)
    }

    /// Throws `Interrupted` if a stop is requested.
    package static func throwIfRequested() throws(Interrupted) {
        if isRequested { throw Interrupted() }
    }

    /// Installs the signal handlers. Call it before anything else.
    ///
    /// A closed pipe becomes an error of `write`, and does not end the process.
    package static func install() {
        // Initialise everything that the handler uses before it can run.
        _ = (first.load(ordering: .relaxed), patience.load(ordering: .relaxed), lastWords.load(ordering: .relaxed))
        _ = passesOver.load(ordering: .relaxed)
        // If descriptor 0, 1 or 2 is closed, the next file that is opened gets its number, and messages would land in
        // the local store. /dev/null takes the number, opened the wrong way round so that reads and writes fail as
        // before.
        for stream in Int32(0)...2 where fcntl(stream, F_GETFD) < 0 {
            _ = unsafe withCString(Array("/dev/null".utf8)) {
                unsafe cue_openat(AT_FDCWD, $0, stream == 0 ? O_WRONLY : O_RDONLY, 0)
            }
        }
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
        // A parent that blocks these signals (Foundation's Process on a dispatch queue) passes the block on. Unblock
        // them.
        unsafe pthread_sigmask(SIG_UNBLOCK, &asking, nil)
    }

    /// Counts several signals within `seconds` as one: a terminal that is closed hangs up twice.
    package static func beOneSignal(within seconds: Double) {
        patience.store(Int64(seconds * 1e9), ordering: .relaxed)
    }

    /// Sets the text that is printed if a second signal ends the process, at most 510 bytes. For one thread only.
    package static func setLastWords(_ text: String) {
        let bytes = Array(text.utf8.prefix(lastWordsAtMost))
        // Two buffers by turns: a signal that comes meanwhile reads the other one. Never freed, for the same reason.
        if places.load(ordering: .relaxed) == 0 {
            let made = UnsafeMutableRawPointer.allocate(byteCount: 2 * (lastWordsAtMost + 2), alignment: 2)
            places.store(UInt(bitPattern: made), ordering: .relaxed)
        }
        let start = places.load(ordering: .relaxed)
        let address = lastWords.load(ordering: .relaxed) == start ? start + UInt(lastWordsAtMost + 2) : start
        guard let place = unsafe UnsafeMutableRawPointer(bitPattern: address) else { return }
        unsafe place.storeBytes(of: UInt16(bytes.count), as: UInt16.self)
        for (i, byte) in bytes.enumerated() { unsafe place.storeBytes(of: byte, toByteOffset: 2 + i, as: UInt8.self) }
        lastWords.store(address, ordering: .releasing)
    }

    private static let places = Atomic<UInt>(0)

    private static func sayLastWords() {
        let address = lastWords.load(ordering: .acquiring)
        guard let place = unsafe UnsafeRawPointer(bitPattern: address) else { return }
        _ = unsafe write(2, place + 2, Int(place.load(as: UInt16.self)))
    }

    private static func nanoseconds() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// While it is true, Ctrl-C is for another program on the same terminal.
    private static let passesOver = Atomic<Bool>(false)

    /// Leaves Ctrl-C to another program on the same terminal, or takes it again.
    static func leaveKeys(_ isLeft: Bool) { passesOver.store(isLeft, ordering: .relaxed) }

    private static let handle: @convention(c) (Int32) -> Void = { number in
        if number == SIGINT, passesOver.load(ordering: .relaxed) { return }
        // Only atomics, clock_gettime, write and _exit: all are safe in a signal handler. Objects in a vault are
        // write-once, so it is safe to leave at any point.
        let now = nanoseconds()
        if asked.add(1, ordering: .relaxed).newValue == 1 {
            first.store(now, ordering: .relaxed)
        } else if now - first.load(ordering: .relaxed) >= patience.load(ordering: .relaxed) {
            sayLastWords()
            _exit(130)
        }
        wake()
    }
}

/// Work stopped because `Interruption` was requested.
package struct Interrupted: Error, Sendable {
    /// Has no content.
    package init() {}
}
