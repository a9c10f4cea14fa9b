import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Another program that shows long output a page at a time: `$CUE_PAGER`, `$PAGER`, or `less`.
///
/// It begins with the first output, so that a passphrase is asked for before. While it runs, what would go to the
/// terminal goes to it, errors too, and Ctrl-C is its own.
package enum Pager {
    @safe private struct State {
        /// What the shell shall run; nil for no pager, or once it was started.
        var wanted: String?
        var process: UnsafeMutablePointer<FILE>?
        /// What output and error output were before; the latter -1 if it stayed as it was.
        var output: Int32 = -1
        var error: Int32 = -1
    }

    private static let state = Mutex(State())
    private static let (output, errors): (Int32, Int32) = (1, 2)

    /// Asks for a pager if the output goes to a terminal.
    package static func use() {
        guard Environment.isTerminal(output), let command else { return }
        state.withLock { $0.wanted = command }
    }

    /// Starts the pager that was asked for. Without one the output goes on to the terminal.
    static func begin() {
        state.withLock { state in
            guard let command = state.wanted else { return }
            state.wanted = nil
            // `less` ends at once where all fits the window (F), shows colours (R), and leaves the text there (X).
            // It may run other programs, which have no use for a passphrase.
            let line = "unset CUE_PASSPHRASE CUE_PASSPHRASE_COMMAND; LESS=\"${LESS-FRX}\" LV=\"${LV--c}\" \(command)"
            // Before it runs: it may be the first thing that a person types.
            Interruption.leaveKeys(true)
            guard let process = unsafe popen(line, "w") else { return Interruption.leaveKeys(false) }
            unsafe state.process = process
            state.output = take(output, unsafe fileno(process))
            if Environment.isTerminal(errors) {
                state.error = take(errors, unsafe fileno(process))
            }
        }
    }

    /// True if the pager runs, and the person has left it: what comes from now on goes nowhere, errors go to the
    /// terminal.
    static func isLeft() -> Bool {
        state.withLock { state in
            guard unsafe state.process != nil else { return false }
            giveBack(state.error, to: errors)
            state.error = -1
            if let nowhere = try? Folder.open(FilePathBytes("/dev")).openOrCreate(Array("null".utf8)) {
                dup2(nowhere.descriptor, output)
            }
            return true
        }
    }

    /// Waits until the person has left the pager, if one runs.
    package static func finish() {
        state.withLock { state in
            guard let process = unsafe state.process else { return }
            giveBack(state.output, to: output)
            giveBack(state.error, to: errors)
            unsafe pclose(process)
            state = State()
            Interruption.leaveKeys(false)
        }
    }

    /// The stream that stands for this one when the terminal is asked about.
    static func terminal(behind stream: Int32) -> Int32 {
        state.withLock { state in
            let kept = stream == output ? state.output : state.error
            return kept < 0 || ![output, errors].contains(stream) ? stream : kept
        }
    }

    /// Puts `new` in the place of a stream, and returns the old one.
    private static func take(_ stream: Int32, _ new: Int32) -> Int32 {
        let old = fcntl(stream, F_DUPFD_CLOEXEC, 3)
        if old >= 0 { dup2(new, stream) }
        return old
    }

    private static func giveBack(_ old: Int32, to stream: Int32) {
        guard old >= 0 else { return }
        dup2(old, stream)
        close(old)
    }

    /// What a shell runs; nil for no pager.
    private static var command: String? {
        guard Environment.hasCapableTerminal else { return nil }
        for name in ["CUE_PAGER", "PAGER"] {
            guard let wanted = Environment[name] else { continue }
            if wanted.isEmpty || wanted == "cat" { return nil }
            if isThere(wanted) { return wanted }
        }
        return isThere("less") ? "less" : nil
    }

    /// Whether the shell finds the program of this command.
    private static func isThere(_ command: String) -> Bool {
        // Variables that are set for it come before its name.
        guard let word = command.split(separator: " ").first(where: { !$0.contains("=") }) else { return false }
        return ShellCommand.output(of: "command -v \(word)", upTo: 4096) != nil
    }
}
