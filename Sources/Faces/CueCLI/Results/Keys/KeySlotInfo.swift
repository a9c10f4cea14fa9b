import CueBase
import CueCrypto
import CueSodium
import CueStorage
import CueTerminal
import CueVault
import Foundation

/// A key slot as `cue key list` shows it, also in JSON (docs/json.md).
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
    /// What the slot is called; nil where the key is not known, and for a file that is not one of the vault's slots.
    let label: String?
    /// When it was made; nil likewise.
    let made: Date?
    /// Whether it is one of the vault's slots; nil where the key is not known.
    let listed: Bool?
    /// Whether this device uses it.
    let used: Bool

    /// A file among the slots, with what the newest epochs say of it. `isKnown`: whether they are known.
    init(_ listing: SlotListing, _ listed: ListedSlot?, _ isKnown: Bool, _ own: SlotID?) {
        slot = String(listing.name.components.last ?? "")
        let isChanged = listed.map { $0.digest != BLAKE2b.hash(listing.bytes) } ?? false
        let broken: String?
        switch listing.slot {
        case .success(let slot):
            kind = Self.word(slot.kind.rawValue)
            (memory, passes) = (slot.derivation.memory, slot.derivation.passes)
            broken = isChanged ? KeyWords.changed : nil
        case .failure(let error):
            (memory, passes, broken) = (0, 0, error.words)
            kind = listed.map { Self.word($0.kind) } ?? "unknown"
        }
        problem = broken
        (label, made) = (listed.map { Self.shown($0.label) }, listed?.made.date)
        self.listed = isKnown ? listed != nil : nil
        used = listed.map { $0.id == own } ?? false
    }

    /// A slot of the vault that does not lie in `keys/`.
    init(missing slot: ListedSlot) {
        (self.slot, kind, memory, passes) = (slot.id.description, Self.word(slot.kind), 0, 0)
        (problem, label, made) = (KeyWords.missing, Self.shown(slot.label), slot.made.date)
        (listed, used) = (true, false)
    }

    private static func word(_ kind: UInt8) -> String {
        switch KeySlot.Kind(rawValue: kind) {
        case .passphrase: "passphrase"
        case .recoveryCode: "recovery code"
        case nil: "unknown"
        }
    }

    /// A label is whatever its writer gave.
    private static func shown(_ label: String) -> String { Display.text(label.utf8) }

    /// The row for people.
    var line: String {
        var parts: [String] = []
        if let label, label != kind { parts.append(label) }
        if let made { parts.append("made \(Timestamp(made).shown)") }
        parts.append(problem ?? "Argon2id, \(memory >> 20) MiB, \(passes) passes")
        if used { parts.append(KeyWords.usedHere) }
        if listed == false { parts.append(KeyWords.notOfVault) }
        return "\(slot)  \(Style.left(kind, 14))  \(parts.joined(separator: ", "))"
    }
}
