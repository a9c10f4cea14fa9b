import CueBase
import CueCrypto
import CueEngine

/// The result of `cue init` in JSON (docs/json.md).
struct InitResult: Encodable {
    let created: Bool
    let vault: String
    let library: String
    let device: String
    let recoveryCode: String?
    let documents: Int?
    /// Only with `--accept-older-vault`.
    var snapshotsGone: Int?
    /// The words of `--suggest`.
    var passphrase: String?
    let vaultOnSameDisk: Bool

    init(_ made: Initialization.Created, at location: VaultLocation, passphrase: String? = nil) {
        (self.passphrase, vaultOnSameDisk) = (passphrase, location.sharesDisk(with: made.path))
        (created, recoveryCode) = (made.recoveryCode != nil, made.recoveryCode?.text)
        (vault, library) = (made.vault.description, made.library.description)
        (device, documents, snapshotsGone) = (made.device, made.documents, made.snapshotsGone)
    }

    init(_ moved: Initialization.Moved, at location: VaultLocation) {
        vaultOnSameDisk = location.sharesDisk(with: moved.path)
        (created, recoveryCode, documents) = (false, nil, nil)
        (vault, library, device) = (moved.vault.description, moved.library.description, moved.device)
    }
}
