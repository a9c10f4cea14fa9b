package import CueBase

/// Something that happened: made once, never changed, and recognised everywhere by the id that it was made with.
///
/// Source: the events of seeds 0 and 1. docs/format.md §11 has the form on disk and in a vault, docs/events.md the form
/// in files.
package struct Event: Hashable, Sendable {
    /// The id, by which alone copies are recognised. 1 to 200 bytes.
    package let clientID: String
    /// `sprout_watered`, `document_saved`, or a type of another program. 1 to 100 bytes.
    package let type: String
    /// The moment at which it happened, by the clock of that device.
    package let time: Timestamp
    /// The text form of `time` as it was written, since other programs compare the text. At most 64 bytes.
    package let clientTimestamp: String
    /// Any JSON; at most 1 MiB in canonical form and 64 levels.
    package let payload: JSON
    /// The moment at which a log first took it.
    package let createdAt: Timestamp

    /// Takes the parts unchecked; `init(checking:…)` checks. Nil for `clientTimestamp` writes `time` as cue does.
    package init(
        clientID: String, type: String, time: Timestamp, clientTimestamp: String? = nil, payload: JSON,
        createdAt: Timestamp
    ) {
        (self.clientID, self.type, self.time, self.payload, self.createdAt) = (clientID, type, time, payload, createdAt)
        self.clientTimestamp = clientTimestamp ?? time.iso8601
    }
}

extension Event: Comparable {
    /// The one order of a log: by time, then by the bytes of the id, whatever the order of arrival.
    package static func < (x: Event, y: Event) -> Bool {
        if x.time != y.time { return x.time < y.time }
        return x.clientID.utf8.lexicographicallyPrecedes(y.clientID.utf8)
    }
}
