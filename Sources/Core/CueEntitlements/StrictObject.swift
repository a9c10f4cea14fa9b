import CueBase

// This layout is frozen: docs/entitlements.md §1.

/// An object of which every member is asked for: one that nobody asked for is an error.
struct StrictObject {
    private let json: JSON
    private let what: String

    init(_ json: JSON?, _ what: String, keys: Set<String>) throws(SnapshotRefusal) {
        guard let json, let members = json.members else { throw .malformed("\(what) is no object") }
        self.json = json
        self.what = what
        for member in members where !keys.contains(member.key) {
            throw .malformed("\(what) has a key that format 1 does not know")
        }
    }

    func has(_ key: String) -> Bool { json[key] != nil }

    func text(_ key: String) throws(SnapshotRefusal) -> String {
        guard let text = json[key]?.string else { throw wrong(key) }
        return text
    }

    func integer(_ key: String) throws(SnapshotRefusal) -> Int64 {
        // `.integer` only: 1.0 has another spelling than 1, and would not come here anyway.
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

    func wrong(_ key: String) -> SnapshotRefusal { .malformed("\(what) has no right \(key)") }
}

/// Reads a file that has one spelling: RFC 8785, and at most one line feed behind it.
enum CanonicalFile {
    static let limit = 65_536

    static func parse(_ bytes: [UInt8], upTo limit: Int = limit) throws(SnapshotRefusal) -> JSON {
        guard bytes.count <= limit else { throw .malformed("it is longer than \(limit >> 10) KiB") }
        let line = bytes.last == 0x0a ? bytes.dropLast() : bytes[...]
        let json: JSON
        do { json = try JSON(parsing: line) } catch {
            throw .malformed("it is no JSON: \(error.reason), at byte \(error.offset)")
        }
        guard json.canonical.elementsEqual(line) else { throw .malformed("it is not in the form of RFC 8785") }
        return json
    }

    static func bytes(_ json: JSON) -> [UInt8] { json.canonical + [0x0a] }
}

enum Hexadecimal {
    static func text(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Lower-case digits only.
    static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.utf8.map { digit -> UInt8? in
            switch digit {
            case 0x30...0x39: digit - 0x30
            case 0x61...0x66: digit - 0x61 + 10
            default: nil
            }
        }
        let values = digits.compactMap(\.self)
        guard values.count == digits.count, values.count % 2 == 0 else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}

extension Timestamp {
    /// Reads `2026-11-21T10:00:00Z` and no other spelling of it.
    package init?(wholeSeconds text: String) {
        guard let time = Timestamp(iso8601: text), time.milliseconds >= 0, time.wholeSeconds == text else { return nil }
        self = time
    }

    /// `2026-11-21T10:00:00Z`; what is less than a second is cut off.
    package var wholeSeconds: String { String(iso8601.prefix(19)) + "Z" }
}
