import CueBase

// This layout is frozen: docs/entitlements.md §1.

/// An object in which each member must be asked for. A member that no one asks for is an error.
struct StrictObject {
    private let json: JSON
    private let part: PlanFlaw.Part

    init(_ json: JSON?, _ part: PlanFlaw.Part, keys: Set<String>) throws(SnapshotRefusal) {
        guard let json, let members = json.members else { throw .malformed(.noObject(part)) }
        self.json = json
        self.part = part
        for member in members where !keys.contains(member.key) {
            throw .malformed(.unknownKey(part))
        }
    }

    func has(_ key: String) -> Bool { json[key] != nil }

    func text(_ key: String) throws(SnapshotRefusal) -> String {
        guard let text = json[key]?.string else { throw wrong(key) }
        return text
    }

    func integer(_ key: String) throws(SnapshotRefusal) -> Int64 {
        // `.integer` only: 1.0 is another spelling than 1, and is not canonical anyway.
        guard case .integer(let value)? = json[key] else { throw wrong(key) }
        return value
    }

    func time(_ key: String) throws(SnapshotRefusal) -> Timestamp {
        guard let time = Timestamp(wholeSeconds: try text(key)) else { throw wrong(key) }
        return time
    }

    func bytes(_ key: String, count: Int) throws(SnapshotRefusal) -> [UInt8] {
        guard let bytes = Hexadecimal.bytes(try text(key)), bytes.count == count else { throw wrong(key) }
        return bytes
    }

    func texts(_ key: String) throws(SnapshotRefusal) -> [String] {
        guard let values = json[key]?.array else { throw wrong(key) }
        let texts = values.compactMap(\.string)
        guard texts.count == values.count else { throw wrong(key) }
        return texts
    }

    func wrong(_ key: String) -> SnapshotRefusal { .malformed(.wrongValue(part, key: key)) }
}

/// Reads a file that has only one spelling: RFC 8785, with at most one line feed at the end.
enum CanonicalFile {
    static let limit = 65_536

    static func parse(_ bytes: [UInt8], upTo limit: Int = limit) throws(SnapshotRefusal) -> JSON {
        guard bytes.count <= limit else { throw .malformed(.tooLong(limit)) }
        let line = bytes.last == 0x0a ? bytes.dropLast() : bytes[...]
        let json: JSON
        do { json = try JSON(parsing: line) } catch {
            throw .malformed(.notJSON(error.flaw, at: error.offset))
        }
        guard json.canonical.elementsEqual(line) else { throw .malformed(.notCanonical) }
        return json
    }

    static func bytes(_ json: JSON) -> [UInt8] { json.canonical + [0x0a] }
}

extension Timestamp {
    /// Reads `2026-11-21T10:00:00Z`; nil for any other spelling, and before 1970.
    package init?(wholeSeconds text: String) {
        guard let time = Timestamp(iso8601: text), time.milliseconds >= 0, time.wholeSeconds == text else { return nil }
        self = time
    }

    /// The form `2026-11-21T10:00:00Z`, in UTC; fractions of a second are cut off.
    package var wholeSeconds: String { String(iso8601.prefix(19)) + "Z" }
}
