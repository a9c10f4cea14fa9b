import CPosix
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Work that no signal ends by itself, such as a key derivation.
package enum Interruptible {
    /// Runs `body` on a thread of its own and returns its result.
    ///
    /// Throws `Interrupted` at once if a stop is requested. The thread then ends with the process.
    package static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) throws -> Value {
        guard let value = try run(within: .infinity, body) else { preconditionFailure("it waits for the end") }
        return value
    }

    /// The same; nil if `body` takes longer than so many seconds. The thread then goes on, and ends with the process.
    package static func run<Value: Sendable>(
        within seconds: Double, _ body: @escaping @Sendable () -> Value
    ) throws -> Value? {
        try Interruption.throwIfRequested()
        let start = Clock.system.seconds
        guard let channel = Channel<Value>() else { return body() }
        let thread = Thread { channel.finish(with: body()) }
        // If no thread could be started, do the work here.
        if !thread.isRunning { thread.join() }
        while true {
            if let value = channel.value {
                if thread.isRunning { thread.join() }
                return value
            }
            try Interruption.throwIfRequested()
            if Clock.system.seconds - start >= seconds { return nil }
            channel.wait()
        }
    }
}

/// The place for a thread's result, and a pipe that wakes the thread that waits for it.
private final class Channel<Value: Sendable>: Sendable {
    private let result = Mutex<Value?>(nil)
    // Both live as long as the thread, even after the wait was given up.
    private let reading: File
    private let writing: File

    /// Nil if the system has no pipe to give.
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

    /// Returns after a result or a signal, and at least once a second.
    func wait() {
        var wanted = [
            pollfd(fd: reading.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: Interruption.wakeDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&wanted, 2, 1000)
    }
}
