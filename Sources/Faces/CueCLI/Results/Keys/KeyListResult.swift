import CueBase
import CueCrypto
import CueEngine
import CueLibrary
import CueStorage
import CueVault

/// The result of `cue key list` in JSON (docs/json.md).
struct KeyListResult: Encodable {
    let slots: [KeySlotInfo]
    /// Whether the vault's key said what its slots are called, and which are its own.
    let labelled: Bool
    /// How often the keys were changed, with the making of the vault; nil where the key is not known.
    let epoch: UInt32?
    /// How many changes none comes after: more than one where two devices changed the keys at once.
    let newest: Int?
    /// Changes of the keys that do not count, for people.
    let troubles: [String]

    /// Whether the keys were changed since, and what this device remembers does not open the new ones: then it cannot
    /// tell which slots count.
    let isOutdated: Bool

    private enum CodingKeys: String, CodingKey { case slots, labelled, epoch, newest, troubles }

    /// Whether a slot cannot be used, or a change of the keys does not count.
    var isDamaged: Bool { !troubles.isEmpty || slots.contains { $0.problem != nil } }

    /// The slots of a vault, or else of a library's vault, sorted by kind. Asks for no passphrase. Throws `CueError`.
    static func of(_ options: VaultOptions) throws -> KeyListResult {
        let state = try StateFolder.standard()
        let location =
            try options.vault.map { VaultLocation($0) }
            ?? Session.place(of: Session.openLibrary(options.library, state))
        do {
            let storage = try location.open(writerName: "list")
            let id = try Session.id(in: storage.objects, isKnown: options.vault == nil, location)
            let vault: Vault?
            if options.secret.passphraseFile != nil {
                vault = try Secrets.opening(options.secret, location) { try Vault.open(storage, with: $0) }
            } else {
                vault = try state.keyRing(of: id).map { Vault(storage, ring: $0) }
            }
            let present = try SlotListing.all(in: storage.objects, vault: id)
            return KeyListResult(present, try vault?.readEpochs(), own: vault?.keyRing.slot?.id)
        } catch {
            throw CueError.describing(error, vault: location.description)
        }
    }

    private init(_ present: [SlotListing], _ epochs: Epochs?, own: SlotID?) {
        let newestKnown = epochs?.newest.map(\.number).max() ?? 0
        let isOutdated = (epochs?.troubles ?? []).contains { trouble in
            let number = UInt32(trouble.name.split(separator: "/").last?.prefix(10) ?? "")
            return trouble.flaw == .notForThisSlot && number.map { $0 > newestKnown } ?? false
        }
        let known = isOutdated ? nil : epochs.flatMap { $0.newest.isEmpty ? nil : $0 }
        self.isOutdated = isOutdated
        var rows = present.map { listing in
            KeySlotInfo(listing, known?.slots.first { "keys/\($0.id)" == listing.name.text }, known != nil, own)
        }
        let there = Set(present.map(\.name.text))
        rows += known?.slots.filter { !there.contains("keys/\($0.id)") }.map { KeySlotInfo(missing: $0) } ?? []
        slots = rows.sorted { ($0.kind, $0.slot) < ($1.kind, $1.slot) }
        (labelled, epoch, newest) = (known != nil, known?.newest.first?.number, known?.newest.count)
        troubles = epochs?.troubles.map { "\($0.name): \($0.flaw.words)" } ?? []
    }
}
