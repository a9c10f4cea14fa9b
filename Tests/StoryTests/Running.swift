import CueTestSupport
import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A program that runs beside the test, and can be stopped or killed.
final class Running {
    struct Result: Sendable {
        let code: Int32
        /// The signal that ended it, if one did.
        let signal: Int32?
        let output: Data
        let errorBytes: Data

        var text: String { String(decoding: output, as: UTF8.self) }
        var errors: String { String(decoding: errorBytes, as: UTF8.self) }
        /// What `--json` printed.
        var json: JSON { JSON(output) }
    }

    private let process = Process()
    private let scratch = NSTemporaryDirectory() + "cue-run-\(UUID().uuidString)"
    private let ended = DispatchSemaphore(value: 0)

    /// Starts it. A variable that is nil in `environment` is taken away.
    init(
        _ program: String, _ arguments: [String], environment: [String: String?] = [:], in folder: String? = nil
    ) throws {
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment.compactMapValues { $0 }) { $1 }
            .filter { name, _ in environment[name].map { $0 != nil } ?? true }
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        // Files rather than pipes: a pipe that nobody drains would stop the program.
        for file in [scratch + ".out", scratch + ".err"] {
            guard FileManager.default.createFile(atPath: file, contents: nil) else {
                throw CocoaError(.fileWriteUnknown)
            }
        }
        let streams = try [".out", ".err"].map { try FileHandle(forWritingTo: URL(fileURLWithPath: scratch + $0)) }
        (process.standardOutput, process.standardError) = (streams[0], streams[1])
        process.standardInput = FileHandle.nullDevice
        let ended = ended
        process.terminationHandler = { _ in ended.signal() }
        try Program.start(process)
        // A finished Process keeps them; hundreds of open files are what its start crashes at.
        for stream in streams { try stream.close() }
    }

    deinit { for end in [".out", ".err"] { try? FileManager.default.removeItem(atPath: scratch + end) } }

    var isRunning: Bool { process.isRunning }

    var id: Int32 { process.processIdentifier }

    func send(_ signal: Int32) { if process.isRunning { _ = kill(process.processIdentifier, signal) } }

    /// What it has printed until now.
    func textSoFar() throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: scratch + ".out")), as: UTF8.self)
    }

    /// The same of its standard error.
    func errorsSoFar() throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: scratch + ".err")), as: UTF8.self)
    }

    /// Waits for its end. What hangs is killed after `deadline` seconds, and that is the result.
    func result(deadline: Double = 60) throws -> Result {
        if ended.wait(timeout: .now() + deadline) == .timedOut {
            send(SIGKILL)
            ended.wait()
        }
        let killed = process.terminationReason == .uncaughtSignal
        return Result(
            code: killed ? -1 : process.terminationStatus, signal: killed ? process.terminationStatus : nil,
            output: try Data(contentsOf: URL(fileURLWithPath: scratch + ".out")),
            errorBytes: try Data(contentsOf: URL(fileURLWithPath: scratch + ".err")))
    }
}

/// What a command printed as JSON, or a part of it; nothing where the part is not there.
struct JSON {
    let value: Any?

    init(_ data: Data) { value = try? JSONSerialization.jsonObject(with: data) }
    private init(value: Any?) { self.value = value }

    subscript(key: String) -> JSON { JSON(value: (value as? [String: Any])?[key]) }
    var string: String { value as? String ?? "" }
    var int: Int { value as? Int ?? -1 }
    var bool: Bool? { value as? Bool }
    var list: [JSON] { (value as? [Any] ?? []).map { JSON(value: $0) } }
    var strings: [String] { list.map(\.string) }
}
