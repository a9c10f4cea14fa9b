/// The result of `cue key list` in JSON (docs/json.md).
struct KeyListResult: Encodable {
    let slots: [KeySlotInfo]
}
