import CueEngine
import CueRemotes
import CueVault

extension VaultLocation {
    /// Opens the place: the one spot that knows which kind of storage is behind which kind of place. `writerName`
    /// begins the names of files that are not finished. `isCached`: whether records of a vault on a service may come
    /// from copies on this device, which say nothing about the vault. `isPatient`: false for short time-outs, where the
    /// place may well be away.
    func open(writerName: String, isCached: Bool = true, isPatient: Bool = true) throws -> VaultStorage {
        switch self {
        case .folder(let path):
            VaultStorage(try OpenedVaults.folder(path, writerName: writerName))
        case .s3(let text): VaultStorage(try OpenedVaults.s3(text, isCached: isCached, isPatient: isPatient))
        case .service(let text):
            throw EngineError.remoteNotSupported(text.lowercased().hasPrefix("https") ? "https://" : "http://")
        case .unknown(let text): throw EngineError.noPlace(text)
        }
    }

    /// Whether the vault is at an address in S3.
    var isInS3: Bool { if case .s3 = self { true } else { false } }

    /// Whether a key for a place in S3 is found with these variables of the environment.
    func hasKey(_ variable: (String) -> String?) -> Bool {
        guard case .s3(let text) = self, let address = try? S3Address(text) else { return false }
        return (try? S3Account(for: address, variable: variable)) != nil
    }
}
