import CPosix

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// How much of the machine the process may take.
package enum ProcessLimits {
    /// Once, at the start. Many open folders are cheap, and the usual limit (256 on macOS) is small.
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

    /// Once, at the start: large buffers go back to the system when they are done with.
    ///
    /// By itself glibc learns from the first large buffer that is freed to keep all that are smaller, up to 32 MiB, and gives
    /// every thread a heap of its own: a first backup then held 70 MiB instead of 48 (docs/performance.md).
    package static func returnFreedMemory() {
        cue_return_freed_memory(256 << 10, 2)
    }

    /// After large work in a process that goes on: what was freed in small pieces goes back to the system too.
    ///
    /// By itself glibc gives back only what lies free at the end of its heap. A history is some hundred thousand small pieces, and one
    /// that stays, behind them, keeps the room of all (docs/performance.md).
    package static func giveBackFreedMemory() { cue_give_back_freed_memory() }
}
