import CueTestSupport
import Foundation
import Testing

/// A person at a terminal of 80 columns and 24 lines: a real one, of which the program is the session's leader.
enum Typing {
    /// Starts the program and types each answer once its question has come. Everything that the terminal showed is in
    /// `text`, and the exit code is the program's.
    private static let script = """
        import fcntl, json, os, pty, struct, sys, termios
        answers, rows, columns = json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
        pid, terminal = pty.fork()
        if pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execv(sys.argv[4], sys.argv[4:5] + sys.argv[6:])
        sizes, asked, shown, at = json.loads(sys.argv[5]), 0, b"", 0
        while True:
            try: more = os.read(terminal, 4096)
            except OSError: more = b""
            if not more: break
            shown += more
            while answers and answers[0][0].encode() in shown[at:]:
                question, answer = answers.pop(0)
                at = shown.index(question.encode(), at) + len(question.encode())
                if answer.startswith("@"):
                    apart = [line for line in shown[:at].decode().splitlines() if line.startswith("    ")]
                    answer = apart[-1].strip() + answer[1:]
                size = sizes.get(str(asked))
                if size: fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
                asked += 1
                os.write(terminal, answer.encode())
        _, status = os.waitpid(pid, 0)
        os.write(1, shown.replace(b"\\r", b""))
        os._exit(os.waitstatus_to_exitcode(status) & 255)
        """

    /// Stands at the beginning of keys for the last line that was set apart with four spaces: what has to be copied.
    static let copied = "@"

    /// Runs `cue`, or another program, so. `answers`: the end of each question, and the keys that are typed then.
    /// `sizes`: rows and columns that the window gets before an answer, by its number.
    static func run(
        _ cue: Cue, _ arguments: [String], answers: [(after: String, keys: String)], rows: Int = 24, columns: Int = 80,
        sizes: [Int: [Int]] = [:], in place: String? = nil, environment more: [String: String?] = [:],
        deadline: Double = 60, program: String = Cue.binary
    ) throws -> Running.Result {
        let pairs = try JSONEncoder().encode(answers.map { [$0.after, $0.keys] })
        return try Running(
            Machine.anyPython,
            [
                "-c", script, String(decoding: pairs, as: UTF8.self), "\(rows)", "\(columns)", program,
                String(decoding: try JSONEncoder().encode(sizes), as: UTF8.self),
            ] + arguments,
            environment: cue.environment.merging(more) { $1 }, in: place ?? cue.folder.path
        ).result(deadline: deadline)
    }
}
