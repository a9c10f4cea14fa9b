import CPosix
package import CueBase

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The variables, ids and clocks that the process was given.
package enum Environment {
    /// The value of a variable as text; nil if it is not set.
    package static subscript(name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// The value of a variable in bytes, for paths and passphrases that need not be UTF-8; nil if it is not set.
    package static func bytes(_ name: String) -> [UInt8]? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }

    /// The id of this process.
    package static var processID: Int32 { getpid() }

    /// Whether a process of this id runs; it may be another one than before.
    package static func isRunning(_ process: Int32) -> Bool { kill(process, 0) == 0 || errno == EPERM }

    /// The rights that the user gives to new files (umask).
    package static let fileMode: UInt16 = {
        // It can be read only by setting it.
        let mask = umask(0o077)
        umask(mask)
        return 0o666 & ~UInt16(truncatingIfNeeded: mask)
    }()

    /// The id of the user who owns the files that this process writes.
    package static var userID: UInt32 { UInt32(geteuid()) }

    /// The name of the machine; "this device" if it has none.
    package static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&buffer, 255) == 0 else { return "this device" }
        let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.isEmpty ? "this device" : name
    }

    /// Distinguishes this machine from others that may see the same folder.
    package static let machine: [UInt8] = line("machine-id", in: "/etc") ?? Array(hostName.utf8)

    /// Distinguishes this start of the machine from earlier ones; empty if the system does not report one.
    package static let machineStart: [UInt8] = line("boot_id", in: "/proc/sys/kernel/random") ?? []

    private static func line(_ name: String, in folder: String) -> [UInt8]? {
        guard let file = try? Folder.open(FilePathBytes(folder)).file(Array(name.utf8)) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 128)
        var span = bytes.mutableSpan
        guard let count = try? file.read(into: &span), count > 0 else { return nil }
        return Array(bytes.prefix(count))
    }

    /// The wall clock.
    package static var now: Timestamp { FileTime.now.timestamp }

    /// Seconds on a clock that is never set, for measuring durations. It may stop while the machine sleeps.
    package static var monotonicSeconds: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The same for a clock that goes on while the machine sleeps.
    package static var secondsSinceStart: Double { cue_seconds_since_start() }

    /// Whether the terminal, as `TERM` names it, can move its cursor and show colours.
    package static var hasCapableTerminal: Bool { ![nil, "", "dumb"].contains(Environment["TERM"]) }

    /// True if the descriptor is a terminal.
    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }
}

extension FileTime {
    /// The wall clock, to the nanosecond.
    package static var now: FileTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return FileTime(time)
    }
}

/// The current folder, resolved; nil if it does not exist any more.
package func currentFolder() -> FilePathBytes? { FilePathBytes(".").resolved() }
