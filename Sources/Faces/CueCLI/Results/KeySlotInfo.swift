import CueCrypto
import CueEngine
import CueLibrary
import CueStorage
import CueVault

/// A key slot as `cue key list` shows it, also in JSON (docs/json.md). Reading it needs no key.
struct KeySlotInfo: Encodable {
    /// The slot's name, without the folder.
    let slot: String
    /// "passphrase", "recovery code" or "unknown".
    let kind: String
    /// In bytes; 0 if the slot cannot be read.
    let memory: UInt64
    /// The passes of Argon2id; 0 if the slot cannot be read.
    let passes: UInt32
    /// The reason why the slot is unusable; nil for a sound one.
    let problem: String?

    /// The slots of a vault, or else of a library's vault, sorted by kind. Throws `CueError`.
    static func list(vault: String?, library: String?) throws -> [KeySlotInfo] {
        let location =
            try vault.map { VaultLocation($0) }
            ?? Session.place(of: Session.openLibrary(library, StateFolder.standard()))
        do {
            let store = try location.open(writerName: "list").objects
            return try SlotListing.all(in: store, vault: Session.id(in: store, isKnown: vault == nil, location)).map(
                KeySlotInfo.init
            )
            .sorted { ($0.kind, $0.slot) < ($1.kind, $1.slot) }
        } catch {
            throw CueError.describing(error, vault: location.description)
        }
    }

    private init(_ listing: SlotListing) {
        slot = String(listing.name.components.last ?? "")
        switch listing.slot {
        case .success(let slot):
            kind = slot.kind == .passphrase ? "passphrase" : "recovery code"
            (memory, passes, problem) = (slot.derivation.memory, slot.derivation.passes, nil)
        case .failure(let error):
            (kind, memory, passes, problem) = ("unknown", 0, 0, error.words)
        }
    }
}
