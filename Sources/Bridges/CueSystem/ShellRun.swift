#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Runs a shell command that nobody listens to, for a bounded time.
package enum ShellRun {
    package enum Ending: Sendable, Equatable {
        case exited(Int32)
        case signal(Int32)
        /// It took too long, and was killed with all that it had started.
        case tookTooLong
        case notStarted(SystemError)
    }

    /// Runs `command` with `/bin/sh`, in and out of `/dev/null`, in a process group and a `/` of its own. `variables` are added to the
    /// environment, from which what opens a vault is taken away.
    package static func run(
        _ command: String, _ arguments: [String] = [], variables: [String: String], seconds: Double
    ) -> Ending {
        switch start(["/bin/sh", "-c", command, "sh"] + arguments, environment(adding: variables)) {
        case .failure(let error): .notStarted(error)
        case .success(let process): wait(for: process, until: Environment.monotonicSeconds + seconds)
        }
    }

    private static let secret = ["CUE_PASSPHRASE", "CUE_PASSPHRASE_COMMAND"]

    private static func environment(adding variables: [String: String]) -> [String] {
        var kept: [String] = []
        var next = unsafe environ
        while let entry = unsafe next.pointee {
            let text = unsafe String(cString: entry)
            let name = text.prefix { $0 != "=" }
            if !secret.contains(String(name)) && variables[String(name)] == nil { kept.append(text) }
            unsafe next += 1
        }
        return kept + variables.map { "\($0)=\($1)" }
    }

    private static func start(_ words: [String], _ environment: [String]) -> Result<pid_t, SystemError> {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for stream in 0...2 as ClosedRange<Int32> {
            unsafe posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", stream == 0 ? O_RDONLY : O_WRONLY, 0)
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // Signals that cue ignores or blocks are normal again in what it starts.
        var (none, all) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var (argv, envp) = unsafe (
            words.map { unsafe strdup($0) } + [nil], environment.map { unsafe strdup($0) } + [nil]
        )
        defer { unsafe (argv + envp).forEach { unsafe free($0) } }
        var process = pid_t()
        let code = unsafe posix_spawn(&process, words[0], &actions, &attributes, &argv, &envp)
        return code == 0 ? .success(process) : .failure(SystemError(code: code, call: "posix_spawn", subject: words[0]))
    }

    private static func wait(for process: pid_t, until deadline: Double) -> Ending {
        var deadline = deadline
        var status: Int32 = 0
        while true {
            let found = unsafe waitpid(process, &status, WNOHANG)
            if found == process { return ending(status) }
            // Somebody else has waited for it (SIGCHLD ignored): how it ended is not to be known.
            if found < 0 && errno != EINTR { return .exited(0) }
            let now = Environment.monotonicSeconds
            // Somebody wants to leave: a last second for it.
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
    /// The program of that name on the `PATH`; only in folders that are named from the root.
    package static func program(_ name: String) -> FilePathBytes? {
        let folders = (bytes("PATH") ?? []).split(separator: 0x3a).filter { $0.first == 0x2f }
        return folders.lazy.map { FilePathBytes(Array($0)).appending(name) }.first { path in
            guard let info = try? path.info() else { return false }
            return info.kind == .file && info.mode & 0o111 != 0
        }
    }
}
