import CueBase
import CueEngine
import CueLibrary
import CueSystem
import CueVault
import Foundation

/// The result of `cue restore` in JSON (docs/json.md).
struct RestoreResult: Encodable {
    /// A path that could not be restored.
    struct Failed: Encodable {
        let path: String
        let reason: String
    }

    /// A document that was stored before it was replaced.
    struct Stored: Encodable {
        let path, version: String
    }

    /// Where what came back was stored.
    struct Source: Encodable {
        let version, snapshot: String?
        let time: Date
        let device: String
    }

    /// What an undo did.
    struct Undone: Encodable {
        let direction: String
        let documents: [String]
        let restored: Date?
    }

    let target: String
    let from: Source?
    let undo: Undone?
    let documents, already, files, kept: Int
    let bytes: Int64
    let seconds: Double
    let failed: [Failed]
    let stored: [Stored]
    let copies, undeleted, leftDeleted, draftsRemoved, setAside, removed, stayed: [String]

    init(_ summary: Restore.Summary, _ seconds: Double) {
        target = summary.target.description
        from = (summary.documents > 0 ? summary.source : nil).map {
            Source(
                version: $0.version?.description, snapshot: $0.snapshot?.description, time: $0.time.date,
                device: $0.device)
        }
        undo = summary.undone.map { undone in
            Undone(
                direction: undone.direction.rawValue, documents: undone.documents.map { Display.text($0) },
                restored: undone.restored?.date)
        }
        already = summary.already
        (documents, files, kept, bytes) = (summary.documents, summary.files, summary.kept, summary.bytes)
        self.seconds = (seconds * 1000).rounded() / 1000
        failed = summary.failed.map { Failed(path: $0.shownPath, reason: $0.reason.words) }
        stored = summary.stored.map { Stored(path: Display.text($0.path), version: $0.version.description) }
        setAside = summary.aside.map { Display.text($0) }
        (removed, stayed) = (summary.removed.map { Display.text($0) }, summary.stayed.map { Display.text($0) })
        leftDeleted = summary.leftDeleted.map { Display.text($0) }
        draftsRemoved = summary.drafts.map { Display.text($0) }
        (copies, undeleted) = (summary.copies.map { Display.text($0.path) }, summary.undeleted.map { Display.text($0) })
    }
}
