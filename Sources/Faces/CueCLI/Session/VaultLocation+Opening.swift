import CueEngine
import CueStorage
import CueVault

extension VaultLocation {
    /// Opens the place: the one spot that knows which kind of storage is behind which kind of place. `writerName`
    /// begins the names of files that are not finished.
    func open(writerName: String) throws -> VaultStorage {
        switch self {
        case .folder(let path):
            VaultStorage(VaultTraffic.counted(try DirectoryStore(at: path, writerName: writerName)))
        case .s3: throw EngineError.remoteNotSupported("s3://")
        case .service(let text):
            throw EngineError.remoteNotSupported(text.lowercased().hasPrefix("https") ? "https://" : "http://")
        case .unknown(let text): throw EngineError.noPlace(text)
        }
    }
}
