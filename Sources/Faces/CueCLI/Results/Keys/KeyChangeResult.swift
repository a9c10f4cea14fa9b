import CueCrypto
import CueEngine

/// The result of `cue key renew`, `cue key add` and `cue key remove` in JSON (docs/json.md).
struct KeyChangeResult: Encodable {
    /// How often the keys were changed, with the making of the vault.
    let epoch: UInt32
    /// The slots that open what is written from now on.
    let slots: [String]
    /// The slot that was added; nil if none was.
    let added: String?
    /// The slot that was removed; nil if none was.
    let removed: String?

    init(_ changed: ChangedKeys) {
        (epoch, slots) = (changed.number, changed.slots.map(\.id.description))
        (added, removed) = (changed.added?.description, changed.removed?.id.description)
    }
}
