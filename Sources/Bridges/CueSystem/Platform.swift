// The one place where Linux and macOS differ for Swift code; what differs in C is in CPosix.
#if canImport(Darwin)
    package import Darwin

    package typealias StatBuffer = Darwin.stat

    extension StatBuffer {
        var modified: timespec { st_mtimespec }
        var changed: timespec { st_ctimespec }
    }
#else
    package import Glibc

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
