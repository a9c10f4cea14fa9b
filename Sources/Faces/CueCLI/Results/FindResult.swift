import CueBase
import CueEngine
import CueSearch
import Foundation

/// The result of `cue find` in JSON (docs/json.md).
struct FindResult: Encodable {
    /// A version in which words came, went, or were last.
    struct Version: Encodable {
        let version, device, path: String
        let time: Date

        init(_ version: SearchIndex.Version) {
            (self.version, device, path) = (version.id.description, version.device, version.path)
            time = version.time.date
        }
    }

    /// A time in which a document held the words.
    struct Passage: Encodable {
        let title, text: String
        let came, last: Version
        let cut: Version?
    }

    let passages: [Passage]
    let more, full: Bool
    let unread: Int

    init(_ result: Search.Result) {
        passages = result.passages.map {
            Passage(
                title: $0.title, text: $0.text, came: Version($0.came), last: Version($0.last),
                cut: $0.cut.map { Version($0) })
        }
        (more, full, unread) = (result.areMore, result.isFull, result.unread)
    }
}
