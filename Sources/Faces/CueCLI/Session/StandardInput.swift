import CueBase
import CueEngine
import CueSystem
import Foundation

/// Reads files that are named on the command line, and the standard input.
enum StandardInput {
    /// The whole standard input. Throws `CueError` above `limit` bytes.
    static func all(upTo limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try pieces(of: "-") { piece in
            bytes += piece
            guard bytes.count <= limit else { throw CueError(.usage, "what stands on the standard input is too long") }
        }
        return bytes
    }

    /// Calls `take` with pieces of at most a mebibyte; `-` is the standard input. Links are followed and pipes are read
    /// to their end, as a person named them. Throws `CueError` if the file cannot be read.
    static func pieces(of file: String, _ take: ([UInt8]) throws -> Void) throws {
        if file == "-" { return try stream(.standardInput, take) }
        let path = FilePathBytes(ArgumentBytes.bytes(file))
        switch try telling(path, { try path.info()?.kind }) {
        case .file?, nil: try telling(path) { try read(path, take) }
        case .folder?: throw CueError(.failed, "\(path) is a folder; nothing was read")
        default: try stream(try handle(path), take)
        }
    }

    private static func read(_ path: FilePathBytes, _ take: ([UInt8]) throws -> Void) throws {
        let path = path.resolved() ?? path
        let source = try Folder.open(path.parent).file(path.name)
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while let count = try fill(&buffer, from: source), count > 0 {
            try Interruption.throwIfRequested()
            try take(Array(buffer[..<count]))
        }
    }

    /// Reads pieces as they come, without waiting for a full one.
    private static func stream(_ input: FileHandle, _ take: ([UInt8]) throws -> Void) throws {
        let source = try File(duplicating: input.fileDescriptor)
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = try next(&buffer, from: source)
            guard count > 0 else { return }
            try take(Array(buffer[..<count]))
        }
    }

    private static func next(_ buffer: inout [UInt8], from file: borrowing File) throws -> Int {
        var span = buffer.mutableSpan
        return try file.readWhatComes(into: &span)
    }

    /// Turns errors of the system into `CueError`.
    private static func telling<Result>(_ path: FilePathBytes, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SystemError {
            throw CueError(.failed, "\(path) cannot be read: \(error.words)")
        }
    }

    private static func handle(_ path: FilePathBytes) throws -> FileHandle {
        guard let handle = FileHandle(forReadingAtPath: String(decoding: path.bytes, as: UTF8.self)) else {
            throw CueError(.failed, "\(path) cannot be read")
        }
        return handle
    }

    private static func fill(_ buffer: inout [UInt8], from file: borrowing File) throws -> Int? {
        var span = buffer.mutableSpan
        return try file.read(into: &span)
    }
}
