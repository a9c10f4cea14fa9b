import CueCrypto
import CueEngine
import CueLibrary
import CueStorage
import CueVault

/// A key slot as `cue key list` shows it; needs no key.
struct KeySlotInfo: Encodable {
    let slot: String
    let kind: String
    let memory: UInt64
    let passes: UInt32
    let problem: String?

    static func list(vault: String?, library: String?) throws -> [KeySlotInfo] {
        let location =
            try vault.map { try VaultLocation($0) }
            ?? Session.place(of: Session.openLibrary(library, StateFolder.standard()))
        do {
            let store = try location.open(writerName: "list")
            return try SlotListing.all(in: store, vault: Vault.id(in: store)).map(KeySlotInfo.init)
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
            (kind, memory, passes, problem) = ("unknown", 0, 0, error.reason)
        }
    }
}
