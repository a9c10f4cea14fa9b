import CPosix

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Bounds on the files and the memory that the process takes.
package enum ProcessLimits {
    /// Raises the limit of open files to 8,192, or to the hard limit. Call it once, at the start.
    ///
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

    /// Makes freed large buffers go back to the system. Call it once, at the start.
    ///
    /// By default, glibc learns from the first large buffer that is freed to keep all smaller ones, up to 32 MiB, and
    /// gives every thread a heap of its own. A first backup then held 70 MiB instead of 48 (docs/performance.md).
    package static func returnFreedMemory() {
        cue_return_freed_memory(256 << 10, 2)
    }

    /// Gives memory that was freed in small pieces back to the system. For a process that goes on after large work.
    ///
    /// By default, glibc gives back only the free end of its heap. A history is some hundred thousand small pieces, and
    /// a single piece that stays behind them keeps the room of all (docs/performance.md).
    package static func giveBackFreedMemory() { cue_give_back_freed_memory() }
}
