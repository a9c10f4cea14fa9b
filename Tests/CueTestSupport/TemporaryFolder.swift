package import CueSystem
package import Foundation

/// A folder that goes with the test.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() {
        let base = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        path = "\(base)/cue-test-\(UUID().uuidString.lowercased())"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // Tests take rights away; give them back so that the folder can go.
        _ = try? Program.run("/bin/sh", ["-c", "chmod -R u+rwX \"$1\" 2>/dev/null; rm -rf \"$1\"", "sh", path])
    }

    package var bytes: FilePathBytes { FilePathBytes(path) }

    package func appending(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes a file with its folders.
    @discardableResult
    package func write(_ name: String, _ content: String) throws -> String {
        try write(name, Data(content.utf8))
    }

    @discardableResult
    package func write(_ name: String, _ content: Data) throws -> String {
        let file = appending(name)
        try FileManager.default.createDirectory(
            atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try content.write(to: URL(fileURLWithPath: file))
        return file
    }

    package func read(_ name: String) throws -> String { try String(contentsOfFile: appending(name), encoding: .utf8) }

    package func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: appending(name)) }
}
