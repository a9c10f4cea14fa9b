import CueBase
import CueEngine
import CueVault
import Foundation

/// The result of `cue conflicts` in JSON (docs/json.md).
struct ConflictsResult: Encodable {
    let conflicts: [ConflictDetailsRow]
}

/// A conflict with its sides, in JSON.
struct ConflictDetailsRow: Encodable {
    /// One side; `size` in bytes, `words` null if cue cannot read the text.
    struct Side: Encodable {
        let version, device, path: String
        let here, deleted: Bool
        let saved: Date
        let size: Int64
        let words: Int?
        let clock: String?
        let contentThere: Bool
    }

    /// A file that differs and is not part of the text; `sizes` in bytes, in the order of the versions, null where one
    /// has none.
    struct File: Encodable {
        let path: String
        let sizes: [Int64?]
    }

    let path, kind: String
    let versions: [Side]
    let wordsBefore: Int?
    let files: [File]

    init(_ details: ConflictDetails) {
        path = Display.text(details.conflict.path)
        kind = details.conflict.kind.word
        wordsBefore = details.originWords
        files = details.files.map { File(path: Display.text($0.path), sizes: $0.copies.map { $0?.size }) }
        versions = details.sides.map { side in
            Side(
                version: side.side.version.id.description, device: side.device,
                path: Display.text(side.side.version.header.path), here: side.side.isHere,
                deleted: side.side.isDeletion,
                saved: side.saved.date, size: side.size, words: side.words,
                clock: side.clock.map { $0 == .ahead ? "ahead" : "behind" }, contentThere: side.isThere)
        }
    }
}
