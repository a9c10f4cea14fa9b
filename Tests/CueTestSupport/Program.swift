package import Foundation

/// Another program that a test runs to its end.
package enum Program {
    package struct Result: Sendable {
        package let code: Int32
        package let output: Data
        package let errors: String
        /// Whether a signal ended it; then `code` is the signal.
        package let wasKilled: Bool

        package var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// Starts a process; one at a time. Foundation's own start looks at all open files, and crashes where they are many
    /// (6.3.1).
    package static func start(_ process: Process) throws { try starting.withLock { try process.run() } }

    private static let starting = NSLock()

    package static func run(
        _ path: String, _ arguments: [String], environment: [String: String] = [:], in folder: String? = nil,
        input: Data? = nil
    ) throws -> Result {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        // Files rather than pipes: a pipe that nobody drains would stop the program.
        let scratch = NSTemporaryDirectory() + "cue-run-\(UUID().uuidString)"
        let (out, err) = (scratch + ".out", scratch + ".err")
        for file in [out, err] { _ = FileManager.default.createFile(atPath: file, contents: nil) }
        defer { for file in [out, err] { try? FileManager.default.removeItem(atPath: file) } }
        let streams = try [out, err].map { try FileHandle(forWritingTo: URL(fileURLWithPath: $0)) }
        (process.standardOutput, process.standardError) = (streams[0], streams[1])
        if let input {
            let pipe = Pipe()
            try pipe.fileHandleForWriting.write(contentsOf: input)
            try pipe.fileHandleForWriting.close()
            process.standardInput = pipe
        } else {
            process.standardInput = FileHandle.nullDevice
        }
        try start(process)
        for stream in streams { try stream.close() }
        process.waitUntilExit()
        return Result(
            code: process.terminationStatus, output: try Data(contentsOf: URL(fileURLWithPath: out)),
            errors: try String(contentsOfFile: err, encoding: .utf8),
            wasKilled: process.terminationReason == .uncaughtSignal)
    }
}
