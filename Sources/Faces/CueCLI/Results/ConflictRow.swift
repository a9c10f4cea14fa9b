import CueBase
import CueEngine
import CueVault

/// A conflict in JSON.
struct ConflictRow: Encodable {
    /// One version in the conflict.
    struct Side: Encodable {
        let version: String
        let here, deleted: Bool
    }

    let path: String
    let versions: [Side]

    init(_ conflict: Conflict) {
        path = Display.text(conflict.path)
        versions = conflict.sides.map {
            Side(version: $0.version.id.description, here: $0.isHere, deleted: $0.isDeletion)
        }
    }
}
