import CueBase
import CueEngine
import CueEntitlements
import CueSystem
import CueTerminal
import Foundation

/// Reads and writes the small files that people name: plans and keys.
enum PlanFiles {
    /// Reads a file, or the standard input for `-`. Throws `CueError` above 128 KiB.
    static func read(_ name: String) throws -> [UInt8] {
        let limit = 1 << 17
        if name == "-" { return try StandardInput.all(upTo: limit) }
        let path = FilePathBytes(ArgumentBytes.bytes(name))
        guard try path.info() != nil else { throw CueError(.failed, "there is no file \(path)") }
        var bytes: [UInt8] = []
        try StandardInput.pieces(of: name) { piece in
            bytes += piece
            guard bytes.count <= limit else {
                throw CueError(.failed, "\(path) is too long for a plan or a key; nothing was changed")
            }
        }
        return bytes
    }

    /// The file's name for a sentence.
    static func shown(_ name: String) -> String {
        name == "-" ? "what came in" : Display.text(ArgumentBytes.bytes(name))
    }

    /// Writes a new file with this mode, durable on return. Throws `CueError` if the file exists.
    static func write(_ bytes: [UInt8], to path: FilePathBytes, mode: UInt16) throws {
        do {
            let folder = try Folder.open(path.parent)
            let file = try folder.create(path.name, mode: mode)
            do {
                // Exactly the mode that was asked for, whatever the umask is.
                try file.setMode(mode)
                try file.write(bytes.span)
                try file.synchronize()
            } catch {
                try? folder.remove(path.name)
                throw error
            }
            try folder.synchronize()
        } catch let error as SystemError {
            if error.isAlreadyThere {
                throw CueError(.failed, "\(path) is there already; nothing was changed", "choose another name")
            }
            throw CueError(.failed, "\(path) cannot be written: \(error.words)")
        }
    }
}
