import CueBase
import CueEngine
import CueLibrary
import CueSystem

extension Session {
    /// The folder to which a command writes, as a person typed it. Throws `CueError` if it is the vault or in it.
    func target(_ typed: String) throws -> FilePathBytes {
        let path = FilePathBytes(ArgumentBytes.bytes(typed))
        if let vault = location.folder?.resolvedAsFarAsThere(), path.resolvedAsFarAsThere().isAtOrBelow(vault) {
            throw CueError.describing(EngineError.targetIsVault, vault: location.description)
        }
        return path
    }

    /// The library in which a folder is, or that it is itself; nil if there is none.
    static func library(around path: FilePathBytes) throws -> FilePathBytes? {
        try OpenLibrary.root(around: path.resolvedAsFarAsThere())
    }
}
