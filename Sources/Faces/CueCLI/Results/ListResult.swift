import CueBase
import CueEngine
import CueTerminal
import Foundation

/// The result of `cue ls` in JSON (docs/json.md).
struct ListResult: Encodable {
    let documents: [ListRow]
}

/// A document, or a file in one.
struct ListRow: Encodable {
    let path: String
    let kind: String
    let size: Int64
    let edited: Date
    let version: String
    let uuid: String?
    let conflict: Bool
    let unsettled: Bool

    init(_ row: Listing.Row) {
        (path, kind, size) = (row.path, row.kind.word, row.size)
        (edited, version) = (row.edited.date, row.version.description)
        uuid = row.uuid?.uuidText
        (conflict, unsettled) = (row.isConflict, row.isUnsettled)
    }

    var line: String {
        let time = Timestamp(edited).shown
        let marks =
            (conflict ? "  (two versions: a conflict)" : "") + (unsettled ? "  (changed while it was read)" : "")
        return
            "\(Style.right(Style.bytes(size), 10))  \(time)  \(path)\(kind == "bundle" || kind == "folder" ? "/" : "")\(marks)"
    }
}

/// The result of `cue ls --deleted` in JSON (docs/json.md).
struct DeletedResult: Encodable {
    let documents: [DeletedRow]
}

/// A deleted document. It has no size: only its last version knows that, and a checkpoint may have summed that up.
struct DeletedRow: Encodable {
    let path: String
    let kind: String
    let deleted: Date
    let device: String
    let version, uuid: String

    init(_ row: Listing.DeletedRow) {
        (path, kind) = (row.path, row.kind.word)
        (deleted, device) = (row.time.date, row.device)
        (version, uuid) = (row.version.description, row.uuid.uuidText)
    }

    var line: String {
        "\(Timestamp(deleted).shown)  \(Style.left(device, 16))  \(path)\(kind == "bundle" || kind == "folder" ? "/" : "")"
    }
}
