import CPosix

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// How much of the machine the process may take. Both are called once, at the start.
package enum ProcessLimits {
    /// Many open folders are cheap, and the usual limit (256 on macOS) is small.
    package static func raiseFileLimit() {
        var limit = rlimit()
        #if canImport(Darwin)
            let kind = RLIMIT_NOFILE
        #else
            let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        guard unsafe getrlimit(kind, &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, 8192))
        _ = unsafe setrlimit(kind, &limit)
    }

    /// Gives large buffers back to the system when they are done with.
    ///
    /// By itself glibc learns from the first large buffer that is freed to keep all that are smaller, up to 32 MiB, and gives
    /// every thread a heap of its own: a first backup then held 70 MiB instead of 48 (docs/performance.md).
    package static func returnFreedMemory() {
        cue_return_freed_memory(256 << 10, 2)
    }
}
