import CueBase
import CueEngine
import CueSystem
import Foundation

/// Writes a file in pieces of a mebibyte.
final class NewFile {
    private let file: File
    private var buffer: [UInt8] = []

    init(_ file: consuming File) { self.file = file }

    /// Adds bytes. They may stay in memory until `finish`.
    func write(_ bytes: [UInt8]) throws {
        buffer += bytes
        if buffer.count >= 1 << 20 { try flush() }
    }

    private func flush() throws {
        let bytes = buffer
        buffer = []
        try file.write(bytes.span)
    }

    /// Writes the rest; the content is durable on return.
    func finish() throws {
        try flush()
        try file.synchronize()
    }
}
