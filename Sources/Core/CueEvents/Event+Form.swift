package import CueBase

/// The forms that events have in files and tables (docs/events.md §2).
///
/// - row: `{type, payload, client_id, client_timestamp, created_at}`, as a server's table has it, and as cue writes it;
/// - local: `{type, payload, clientId, timestamp}`, the first form of the web program;
/// - flat: `{type, timestamp, client_id?, …the payload's members}`, its later form.
extension Event {
    private static let flatKeys: Set<String> = ["type", "timestamp", "client_id"]

    /// Reads any of the three forms. `now` becomes `createdAt` if the form has none.
    package init(form: JSON, now: Timestamp) throws(EventFormError) {
        guard let members = form.members else { throw .notAnObject }
        guard let type = form["type"]?.string else { throw .missing("type") }
        let isFlat = form["payload"] == nil
        let idKey = form["clientId"] == nil ? "client_id" : "clientId"
        let hasColumn = form["client_timestamp"].map { $0 != .null } ?? false
        let timeKey = hasColumn ? "client_timestamp" : "timestamp"
        guard let written = form[timeKey]?.string else { throw .missing(timeKey) }
        let payload =
            isFlat ? .object(members.filter { !Self.flatKeys.contains($0.key) }) : form["payload"] ?? .null
        var id: String
        switch form[idKey] {
        case .string(let given)?: id = given
        case nil where isFlat: id = Self.legacyID(type: type, timestamp: written, payload: payload)
        default: throw .missing(idKey)
        }
        if id.isEmpty, isFlat { id = Self.legacyID(type: type, timestamp: written, payload: payload) }
        let created = form["created_at"]?.string.flatMap { Timestamp(iso8601: $0) } ?? now
        try self.init(checking: id, type: type, timestamp: written, payload: payload, createdAt: created)
    }

    /// Takes parts and checks the limits of docs/events.md §1; throws the first that is broken. `timestamp` is RFC
    /// 3339.
    package init(
        checking id: String, type: String, timestamp: String, payload: JSON, createdAt: Timestamp
    ) throws(EventFormError) {
        for (text, part, limit) in [(id, EventPart.id, 200), (type, EventPart.type, 100)] {
            guard !text.isEmpty else { throw .empty(part) }
            guard text.utf8.count <= limit else { throw .tooLong(part, limit: limit) }
        }
        for (text, part) in [(id, EventPart.id), (type, EventPart.type)] {
            // A line end would forge lines of a list, and a NUL ends a text for SQLite.
            guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
                throw .controlCharacter(part)
            }
        }
        guard timestamp.utf8.count <= 64, let time = Timestamp(iso8601: timestamp) else {
            throw .noTime
        }
        guard payload.depth <= Event.payloadLevels else {
            throw .tooDeep
        }
        guard payload.canonical.count <= Event.payloadLimit else {
            throw .payloadTooLarge
        }
        self.init(
            clientID: id, type: type, time: time, clientTimestamp: timestamp, payload: payload, createdAt: createdAt)
    }

    /// The largest payload in bytes of canonical JSON.
    package static let payloadLimit = 1 << 20
    /// The most levels of a payload.
    package static let payloadLevels = 64

    /// The id of an event from before there were ids: the parts by which its own program recognised copies.
    private static func legacyID(type: String, timestamp: String, payload: JSON) -> String {
        let entity = ["sproutId", "seedlingId", "leafId", "twigId"].lazy.compactMap { payload[$0]?.string }.first
        return "\(type)|\(entity ?? "")|\(timestamp)"
    }

    /// The row form.
    package var row: JSON {
        .object((rowAsMade.members ?? []) + [JSON.Member("created_at", .string(createdAt.iso8601))])
    }

    /// The row without `created_at`, which the log added.
    package var rowAsMade: JSON {
        .fields([
            "type": .string(type), "payload": payload, "client_id": .string(clientID),
            "client_timestamp": .string(clientTimestamp),
        ])
    }
}
