import CPosix

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Runs a shell command for a bounded time and discards its output.
package enum ShellRun {
    /// The result of a run.
    package enum Ending: Sendable, Equatable {
        /// The command ended with this exit status.
        case exited(Int32)
        /// A signal of this number ended the command.
        case signal(Int32)
        /// The command took too long, and was killed with all processes of its group.
        case tookTooLong
        /// The system could not start a process.
        case notStarted(SystemError)
    }

    /// Runs `command` with `/bin/sh`, connected to `/dev/null`, in a process group of its own, for at most `seconds`.
    ///
    /// `arguments` are `$1` and following. `variables` are added to the environment; the variables that open a vault
    /// are removed from it.
    package static func run(
        _ command: String, _ arguments: [String] = [], variables: [String: String], seconds: Double
    ) -> Ending {
        switch start(["/bin/sh", "-c", command, "sh"] + arguments, adding: variables) {
        case .failure(let error): .notStarted(error)
        case .success(let process): wait(for: process, until: Environment.monotonicSeconds + seconds)
        }
    }

    private static let secret = ["CUE_PASSPHRASE", "CUE_PASSPHRASE_COMMAND"]

    /// Copies the environment byte for byte, since values need not be UTF-8.
    private static func environment(adding variables: [String: String]) -> [UnsafeMutablePointer<CChar>?] {
        var copies = unsafe variables.map { unsafe strdup("\($0)=\($1)") }
        var next = unsafe cue_environment()
        while let entry = unsafe next?.pointee {
            let name = String(unsafe String(cString: entry).prefix { $0 != "=" })
            if !secret.contains(name) && variables[name] == nil { unsafe copies.append(strdup(entry)) }
            unsafe next = next?.advanced(by: 1)
        }
        return unsafe copies
    }

    private static func start(_ words: [String], adding variables: [String: String]) -> Result<pid_t, SystemError> {
        var (argv, envp) = unsafe (words.map { unsafe strdup($0) } + [nil], environment(adding: variables) + [nil])
        defer { unsafe (argv + envp).forEach { unsafe free($0) } }
        var process = pid_t()
        let code = unsafe cue_spawn_quietly(words[0], &argv, &envp, &process)
        return code == 0 ? .success(process) : .failure(SystemError(code: code, call: "posix_spawn", subject: words[0]))
    }

    private static func wait(for process: pid_t, until deadline: Double) -> Ending {
        var deadline = deadline
        var status: Int32 = 0
        while true {
            let found = unsafe waitpid(process, &status, WNOHANG)
            if found == process { return ending(status) }
            // Another part of the process has waited for it (SIGCHLD ignored). How it ended is unknown.
            if found < 0 && errno != EINTR { return .exited(0) }
            let now = Environment.monotonicSeconds
            // A stop was requested: give the command one more second.
            if Interruption.isRequested { deadline = min(deadline, now + 1) }
            if now >= deadline { break }
            Wait.milliseconds(10)
        }
        kill(-process, SIGKILL)
        _ = retrying { unsafe waitpid(process, &status, 0) }
        return .tookTooLong
    }

    private static func ending(_ status: Int32) -> Ending {
        let signal = status & 0x7f
        return signal == 0 ? .exited((status >> 8) & 0xff) : .signal(signal)
    }
}

extension Environment {
    /// The program of that name on the `PATH`; nil if there is none. Only absolute folders of `PATH` count.
    package static func program(_ name: String) -> FilePathBytes? {
        let folders = (bytes("PATH") ?? []).split(separator: 0x3a).filter { $0.first == 0x2f }
        return folders.lazy.map { FilePathBytes(Array($0)).appending(name) }.first { path in
            guard let info = try? path.info() else { return false }
            return info.kind == .file && info.mode & 0o111 != 0
        }
    }
}
