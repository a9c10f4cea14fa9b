import CueBase
package import CueStorage
package import CueSystem

/// Where a vault is: what a person gives to `--vault`.
package struct VaultLocation: Sendable, CustomStringConvertible {
    package let path: FilePathBytes

    /// Reads `WHERE`; relative paths are made absolute so that they mean the same from every folder.
    package init(_ text: String) throws {
        if let scheme = ["s3://", "https://", "http://"].first(where: text.hasPrefix) {
            throw EngineError.remoteNotSupported(scheme)
        }
        path = FilePathBytes(ArgumentBytes.bytes(text)).resolvedAsFarAsThere()
    }

    package var description: String { path.description }

    /// How it is written into the marker and read again.
    package var stored: String { Display.text(path.bytes) }

    package init(stored: String) throws { try self.init(ArgumentBytes.text(Display.bytes(stored))) }

    /// Opens the folder; it must be there.
    package func open(writerName: String) throws(StorageError) -> DirectoryStore {
        try DirectoryStore(at: path, writerName: writerName)
    }
}
