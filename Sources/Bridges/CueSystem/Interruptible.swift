import CPosix
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Work that no signal ends by itself, such as a key derivation.
package enum Interruptible {
    /// Runs `body` on a thread of its own and gives its result. Throws `Interrupted` at once when a stop is requested: the thread
    /// then ends with the process.
    package static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) throws -> Value {
        try Interruption.throwIfRequested()
        guard let channel = Channel<Value>() else { return body() }
        let thread = Thread { channel.finish(with: body()) }
        // Without a thread of its own the work is done here.
        if !thread.isRunning { thread.join() }
        while true {
            if let value = channel.value {
                if thread.isRunning { thread.join() }
                return value
            }
            try Interruption.throwIfRequested()
            channel.wait()
        }
    }
}

/// Where a thread leaves its result, and a pipe that wakes who waits for it.
private final class Channel<Value: Sendable>: Sendable {
    private let result = Mutex<Value?>(nil)
    // Both live as long as the thread does, also where nobody waits any more.
    private let reading: File
    private let writing: File

    /// nil where no pipe can be had.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard unsafe cue_pipe(&ends) == 0 else { return nil }
        reading = File(owning: ends[0])
        writing = File(owning: ends[1])
    }

    var value: Value? { result.withLock(\.self) }

    func finish(with value: Value) {
        result.withLock { $0 = value }
        try? writing.write([0].span)
    }

    /// Until there is a result, or a signal came.
    func wait() {
        var wanted = [
            pollfd(fd: reading.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: Interruption.wakeDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&wanted, 2, 1000)
    }
}
