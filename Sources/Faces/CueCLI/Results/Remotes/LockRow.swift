import Foundation

/// The locks of objects that a run extended, in JSON (docs/json.md).
struct LockRow: Encodable {
    let extended: Int
    let left: Int
    let until: Date?
    let problem: String?
}
