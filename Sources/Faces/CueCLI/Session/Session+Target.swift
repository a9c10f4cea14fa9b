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

    /// Runs what writes into a folder outside of the library. Where its disk or its modes stop that, the error names it.
    static func writing<Result>(into target: FilePathBytes, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SystemError {
            guard let told = TargetWords.stopped(error, target) else { throw error }
            throw told.caused(by: error)
        }
    }

    /// The library in which a folder is, or that it is itself; nil if there is none.
    static func library(around path: FilePathBytes) throws -> FilePathBytes? {
        try OpenLibrary.root(around: path)
    }
}
