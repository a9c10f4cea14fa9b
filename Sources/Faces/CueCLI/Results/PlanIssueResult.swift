/// The result of `cue plan issue` in JSON (docs/json.md).
struct PlanIssueResult: Encodable {
    let account, device: String
    let file: String?
    let issued, key, plan, snapshot: String
}

/// The result of `cue plan keygen` in JSON.
struct PlanKeygenResult: Encodable {
    let key, `public`, publicFile, secretFile: String
}
