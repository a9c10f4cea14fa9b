import CueBase
import CueEngine
import CueVault
import Foundation

/// The result of `cue show` in JSON (docs/json.md).
struct ShowResult: Encodable {
    /// A document that the snapshot changed.
    struct Change: Encodable {
        let change: String
        let path: String
        let kind: String
        let renamedFrom: String?
        let version: String
        let added, removed: Int?

        init(_ change: SnapshotChanges.Change) {
            let header = change.version.header
            (self.change, path, kind) = (change.kind.rawValue, Display.text(header.path), header.kind.word)
            renamedFrom = change.renamedFrom.map { Display.text($0) }
            (version, added, removed) = (change.version.id.description, change.words?.added, change.words?.removed)
        }
    }

    let snapshot: String
    let time: Date
    let device: String
    let complete: Bool
    let changes: [Change]

    init(_ shown: SnapshotChanges) {
        let entry = shown.snapshot
        (snapshot, time, device, complete) = (entry.snapshot.description, entry.time.date, entry.device, entry.isWhole)
        changes = shown.changes.map { Change($0) }
    }
}
