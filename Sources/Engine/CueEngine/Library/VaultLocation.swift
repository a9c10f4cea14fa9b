import CueBase
import CueStorage
package import CueSystem
package import CueVault

/// Where a vault is, as a person gives it to `--vault`.
package enum VaultLocation: Hashable, Sendable, CustomStringConvertible {
    /// A folder on this machine, with an absolute path.
    case folder(FilePathBytes)
    /// The text begins with `s3://`.
    case s3(String)
    /// The text begins with `https://` or `http://`.
    case service(String)
    /// An address of another kind, or an empty text. It is never made a folder: the person who typed it believes that
    /// the vault is elsewhere.
    case unknown(String)

    /// Opens a place. `writerName` begins the names of unfinished files. Throws `StorageError` if the place cannot be
    /// reached, and `EngineError.remoteNotSupported`.
    package typealias Opening = @Sendable (_ location: VaultLocation, _ writerName: String) throws -> VaultStorage

    /// Reads a typed place. Relative paths are made absolute, so that they mean the same from every folder.
    package init(_ text: String) {
        let address = text.lowercased()
        if address.hasPrefix("s3://") {
            self = .s3(text)
        } else if address.hasPrefix("https://") || address.hasPrefix("http://") {
            self = .service(text)
        } else if text.allSatisfy(\.isWhitespace) {
            self = .unknown("")
        } else if text.prefix(while: { $0 != "/" }).contains(":") {
            self = .unknown(text)
        } else {
            self = .folder(FilePathBytes(ArgumentBytes.bytes(text)).resolvedAsFarAsThere())
        }
    }

    /// Reads the form that `stored` gives.
    package init(stored: String) { self.init(ArgumentBytes.text(Display.bytes(stored))) }

    /// Its form in the marker and in the local store.
    package var stored: String {
        switch self {
        case .folder(let path): Display.text(path.bytes)
        case .s3(let text), .service(let text), .unknown(let text): text
        }
    }

    /// The path or address as it is shown.
    package var description: String {
        switch self {
        case .folder(let path): path.description
        case .s3(let text), .service(let text), .unknown(let text): text
        }
    }

    /// The folder; nil if the vault is at an address.
    package var folder: FilePathBytes? {
        if case .folder(let path) = self { path } else { nil }
    }

    /// Whether the vault is a folder on the disk of `library`, which takes both if it breaks.
    package func sharesDisk(with library: FilePathBytes) -> Bool {
        folder.map { Disk.holdsBoth(library, $0) } ?? false
    }
}

extension FilePathBytes {
    /// Throws `EngineError.placeIsFile` and `.vaultInsideVault` where no folder for a vault can be; it may be missing.
    func refuseForVault() throws {
        func kind(_ path: FilePathBytes) -> FileKind? { ((try? path.info()) ?? nil)?.kind }
        var here = resolvedAsFarAsThere()
        if let kind = kind(here), kind != .folder { throw EngineError.placeIsFile(here.description) }
        while here.parent != here {
            here = here.parent
            if let kind = kind(here), kind != .folder { throw EngineError.placeIsFile(here.description) }
            if kind(here.appending("vault.json")) == .file, kind(here.appending("keys")) == .folder {
                throw EngineError.vaultInsideVault(description, around: here.description)
            }
        }
    }
}
