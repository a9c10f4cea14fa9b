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
    /// The words of `--suggest`.
    var passphrase: String?

    init(_ made: Initialization.Created, passphrase: String? = nil) {
        self.passphrase = passphrase
        (created, recoveryCode) = (made.recoveryCode != nil, made.recoveryCode?.text)
        (vault, library) = (made.vault.description, made.library.description)
        (device, documents) = (made.device, made.documents)
    }

    init(_ moved: Initialization.Moved) {
        (created, recoveryCode, documents) = (false, nil, nil)
        (vault, library, device) = (moved.vault.description, moved.library.description, moved.device)
    }
}
