import CueBase
import CueEngine
import CueVault
import Foundation

/// The result of `cue log` in JSON (docs/json.md); one of the two is nil.
struct LogResult: Encodable {
    let snapshots: [SnapshotRow]?
    let versions: [VersionRow]?
}

/// A snapshot in JSON.
struct SnapshotRow: Encodable {
    let snapshot: String
    let time: Date
    let device: String
    let changes: Int
    let complete: Bool
    /// With `-v`.
    var documents: [ShowResult.Change]?
}

/// A version in JSON.
struct VersionRow: Encodable {
    let version: String
    let short: String
    let time: Date
    let device: String
    let path: String
    let size: Int64?
    let deleted: Bool
    let head: Bool
    let words, wordsChange: Int?
    let parts: [String]
    let renamedFrom: String?
    let joined: Int
    let touched: Bool

    init(_ entry: DocumentLog.Entry) {
        let header = entry.version.header
        (version, short) = (entry.version.id.description, entry.version.id.short)
        (time, device, path) = (entry.version.time.date, entry.device, Display.text(header.path))
        (size, deleted, head) = (entry.size, header.isTombstone, entry.isHead)
        (words, wordsChange, parts) = (entry.words, entry.change, entry.parts)
        (renamedFrom, joined, touched) = (
            entry.renamedFrom.map { Display.text($0) }, entry.joined, entry.isTouched
        )
    }
}
