import CPosix
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Threads for work that blocks or computes, which must not run on the cooperative pool (docs/decisions/0001-threads.md).
package enum Workers {
    /// The number of cores that this process may use.
    package static var coreCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Runs `body` on `count` threads, one of them the caller's, and returns when all have ended.
    ///
    /// The first error is thrown after all have ended; `body` looks at its own sign to stop early.
    package static func run(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
        let firstError = Mutex<(any Error)?>(nil)
        let guarded: @Sendable (Int) -> Void = { number in
            do { try body(number) } catch { firstError.withLock { if $0 == nil { $0 = error } } }
        }
        let others = (1..<max(1, count)).map { number in Thread { guarded(number) } }
        guarded(0)
        for thread in others { thread.join() }
        if let error = firstError.withLock({ $0 }) { throw error }
    }
}

/// One POSIX thread.
@safe package final class Thread: Sendable {
    private final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    // pthread_t is a number on Linux and a pointer on macOS; it is only handed back to pthread_join.
    #if canImport(Darwin)
        private nonisolated(unsafe) let handle: pthread_t?
    #else
        private let handle: pthread_t?
    #endif
    private let fallback: Box?

    /// Starts at once. Where no thread can be had, the work is done at `join`: slower, never lost.
    package init(_ body: @escaping @Sendable () -> Void) {
        let box = Box(body)
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        // Bundles may be nested deeply and zstd uses much stack; the default of 8 MiB is only reserved, not used.
        unsafe pthread_attr_setstacksize(&attributes, 8 << 20)
        let context = unsafe Unmanaged.passRetained(box).toOpaque()
        #if canImport(Darwin)
            var made: pthread_t?
            let failed = unsafe pthread_create(
                &made, &attributes,
                { argument in
                    unsafe Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
                    return nil
                }, context)
        #else
            var made = pthread_t()
            let failed = unsafe pthread_create(
                &made, &attributes,
                { argument in
                    if let argument = unsafe argument {
                        unsafe Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
                    }
                    return nil
                }, context)
        #endif
        unsafe pthread_attr_destroy(&attributes)
        if failed != 0 { unsafe Unmanaged<Box>.fromOpaque(context).release() }
        handle = failed == 0 ? made : nil
        fallback = failed == 0 ? nil : box
    }

    /// False where no thread could be had.
    package var isRunning: Bool { fallback == nil }

    package func join() {
        if let handle { pthread_join(handle, nil) }
        fallback?.body()
    }
}
