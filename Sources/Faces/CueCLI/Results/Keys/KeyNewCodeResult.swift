/// The result of `cue key new-code` in JSON (docs/json.md).
struct KeyNewCodeResult: Encodable {
    let recoveryCode: String
    let slot: String
    let replaced: [String]
}
