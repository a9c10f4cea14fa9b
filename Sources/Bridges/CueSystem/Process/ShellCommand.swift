#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Runs a command that the person chose, such as `CUE_PASSPHRASE_COMMAND`.
package enum ShellCommand {
    /// The first `limit` bytes of its output; nil if it does not start or does not exit with 0.
    package static func output(of command: String, upTo limit: Int) -> [UInt8]? {
        guard let stream = unsafe popen(command, "r") else { return nil }
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let next = unsafe fgetc(stream)
            if next == EOF { break }
            bytes.append(UInt8(truncatingIfNeeded: next))
        }
        return unsafe pclose(stream) == 0 ? bytes : nil
    }
}
