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
    /// When the first signal came, and for how long others count as the same; nanoseconds.
    private static let first = Atomic<Int64>(0)
    private static let patience = Atomic<Int64>(0)
    /// The address of what is said when a second signal ends the process: two bytes of length, and the text.
    private static let lastWords = Atomic<UInt>(0)
    private static let lastWordsAtMost = 510
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

    /// Before all else: takes over the signals, and lets a closed pipe be an error of `write` rather than the end of the process.
    package static func install() {
        // What a handler uses is made before it can run.
        _ = (first.load(ordering: .relaxed), patience.load(ordering: .relaxed), lastWords.load(ordering: .relaxed))
        // A stream that is closed would lend its number to the next file that is opened: messages would go into the local store. It
        // stays one that takes and gives nothing: what is opened here is of the other direction.
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
        // Whoever starts us from a thread that blocks them (Foundation's Process on a dispatch queue) hands that on.
        unsafe pthread_sigmask(SIG_UNBLOCK, &asking, nil)
    }

    /// Takes several signals within so many seconds for one: a terminal that is closed hangs up twice.
    package static func beOneSignal(within seconds: Double) {
        patience.store(Int64(seconds * 1e9), ordering: .relaxed)
    }

    /// What the process says if a second signal ends it at once. For one thread only.
    package static func setLastWords(_ text: String) {
        let bytes = Array(text.utf8.prefix(lastWordsAtMost))
        // Two places by turns: a signal that comes meanwhile reads the other one. Never freed, for the same reason.
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

    private static let handle: @convention(c) (Int32) -> Void = { _ in
        // Only atomics, clock_gettime, write and _exit: all are safe in a signal handler. Everything in a vault is write-once,
        // so leaving is safe.
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

/// Thrown where work stops because `Interruption` was requested.
package struct Interrupted: Error, Sendable {
    package init() {}
}
