// Linux and macOS differ for Swift code only here; their differences in C are in CPosix.
#if canImport(Darwin)
    package import Darwin

    /// The `struct stat` of the system.
    package typealias StatBuffer = Darwin.stat

    extension StatBuffer {
        var modified: timespec { st_mtimespec }
        var changed: timespec { st_ctimespec }
    }
#else
    package import Glibc

    /// The `struct stat` of the system.
    package typealias StatBuffer = Glibc.stat

    extension StatBuffer {
        var modified: timespec { st_mtim }
        var changed: timespec { st_ctim }
    }
#endif

#if canImport(Darwin)
    let utimeOmit = Int(UTIME_OMIT)
#else
    // A macro that Swift cannot read: (1l << 30) - 2l in <bits/stat.h>.
    let utimeOmit = (1 << 30) - 2
#endif
