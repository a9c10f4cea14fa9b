import Foundation

/// What a run did for the locks of objects, in JSON (docs/json.md).
struct LockRow: Encodable {
    let extended: Int
    let left: Int
    let until: Date?
    let problem: String?
}
