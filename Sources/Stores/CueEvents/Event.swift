package import CueBase

/// Something that happened: made once, never changed, and known everywhere by the id that it was made with.
///
/// Source: the events of seeds 0 and 1; the shape on disk and in a vault is docs/format.md §11, the shape in files docs/events.md.
package struct Event: Hashable, Sendable {
    /// What made it one event: the only thing by which copies are recognised. 1 to 200 bytes.
    package let clientID: String
    /// `sprout_watered`, `document_saved`, or a word of somebody else's. 1 to 100 bytes.
    package let type: String
    /// When it happened, by the clock of the device on which it did.
    package let time: Timestamp
    /// `time` as it was written, since other programs compare the text. At most 64 bytes.
    package let clientTimestamp: String
    /// Any JSON; at most 1 MiB in canonical form.
    package let payload: JSON
    /// When the log first took it.
    package let createdAt: Timestamp

    package init(
        clientID: String, type: String, time: Timestamp, clientTimestamp: String? = nil, payload: JSON,
        createdAt: Timestamp
    ) {
        (self.clientID, self.type, self.time, self.payload, self.createdAt) = (clientID, type, time, payload, createdAt)
        self.clientTimestamp = clientTimestamp ?? time.iso8601
    }
}

extension Event: Comparable {
    /// The one order of a log: by time, then by id, whatever the order of arrival.
    package static func < (x: Event, y: Event) -> Bool {
        if x.time != y.time { return x.time < y.time }
        return x.clientID.utf8.lexicographicallyPrecedes(y.clientID.utf8)
    }
}
