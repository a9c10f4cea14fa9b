#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Sleeping, for waits that no event can end.
package enum Wait {
    /// Blocks the thread for `count` milliseconds; a signal may end it early.
    package static func milliseconds(_ count: Int) { usleep(UInt32(count) * 1000) }
}
