import Synchronization

/// Runs pieces of work on threads beside the caller's, a bounded number at a time.
package final class BoundedThreads: Sendable {
    private struct State {
        var threads: [Thread] = []
        var error: (any Error)?
    }

    private let places = Semaphore()
    private let state = Mutex(State())

    /// `atMost`: the number of pieces that run at once, at least 1.
    package init(atMost: Int) {
        for _ in 0..<max(1, atMost) { places.signal() }
    }

    /// Runs `body` on a thread as soon as a place is free, and waits only for that. Throws the first error of an
    /// earlier piece instead.
    package func start(_ body: @escaping @Sendable () throws -> Void) throws {
        places.wait()
        if let error = state.withLock({ $0.error }) {
            places.signal()
            throw error
        }
        let thread = Thread { [self] in
            do { try body() } catch { state.withLock { $0.error = $0.error ?? error } }
            places.signal()
        }
        // If the system has no thread to give, joining does the work.
        if thread.isRunning { state.withLock { $0.threads.append(thread) } } else { thread.join() }
    }

    /// Waits until all pieces have ended. Throws the first error.
    package func wait() throws {
        let threads = state.withLock { state in
            defer { state.threads = [] }
            return state.threads
        }
        for thread in threads { thread.join() }
        if let error = state.withLock({ $0.error }) { throw error }
    }
}

/// A value that one thread gives to another, and does not touch afterwards.
package struct HandedOver<Value>: @unchecked Sendable {
    /// The value; only the thread that received it uses it.
    package let value: Value

    /// Wraps a value that the caller gives away.
    package init(_ value: Value) { self.value = value }
}
