import CPosix
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Threads for work that blocks or computes, which must not run on the cooperative pool
/// (docs/decisions/0001-threads.md).
package enum Workers {
    /// The number of cores that are online, at least 1.
    package static var coreCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Runs `body` on `count` threads, one of them the caller's, and returns after all have ended.
    ///
    /// It then throws the first error. A `body` that should stop early needs a flag of its own.
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

    /// Runs `body` for every number below `count` on `threads` threads.
    ///
    /// Each thread makes a context of its own, and takes runs of `batch` neighbours until none is left. After the first
    /// error, which is thrown, no further run begins.
    package static func forEach<Context>(
        _ count: Int, on threads: Int, batch: Int = 1, context: @escaping @Sendable () throws -> Context,
        _ body: @escaping @Sendable (Int, inout Context) throws -> Void
    ) throws {
        let next = Mutex(0)
        try run(threads) { _ in
            do {
                var context = try context()
                while true {
                    let start = next.withLock { next in
                        defer { next = min(count, next + batch) }
                        return next
                    }
                    guard start < count else { return }
                    for number in start..<min(count, start + batch) { try body(number, &context) }
                }
            } catch {
                next.withLock { $0 = count }
                throw error
            }
        }
    }
}

/// One POSIX thread, which the owner must join.
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

    /// Starts at once. If the system has no thread to give, `join` does the work: slower, never lost.
    package init(_ body: @escaping @Sendable () -> Void) {
        let box = Box(body)
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        // Bundles may be nested deeply, and zstd uses much stack. The 8 MiB are only reserved, not used.
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

    /// False if the system had no thread to give.
    package var isRunning: Bool { fallback == nil }

    /// Waits until the body has ended. Call it exactly once.
    package func join() {
        if let handle { pthread_join(handle, nil) }
        fallback?.body()
    }
}
