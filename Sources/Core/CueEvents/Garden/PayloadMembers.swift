import CueBase

/// The members of a payload, read by name.
struct PayloadMembers {
    private let members: [JSON.Member]

    init(_ payload: JSON) { members = payload.members ?? [] }

    subscript(key: String) -> JSON? {
        for index in members.indices where members[index].key.hasBytes(of: key) { return members[index].value }
        return nil
    }

    func text(_ key: String) throws(GardenSkip) -> String {
        guard case .string(let text)? = self[key] else { throw GardenSkip.noText(key) }
        return text
    }

    func text(_ key: String, atMost limit: Int) throws(GardenSkip) -> String {
        let text = try text(key)
        guard text.utf16.count <= limit else { throw GardenSkip.tooLong(key, limit: limit) }
        return text
    }

    func optional(_ key: String) -> String? { self[key]?.string }

    /// Nil if the member is missing; if it is there, it must be a text within the limit (in UTF-16 units).
    func edit(_ key: String, atMost limit: Int) throws(GardenSkip) -> String? {
        guard self[key] != nil else { return nil }
        return try text(key, atMost: limit)
    }

    func number(_ key: String) throws(GardenSkip) -> Double {
        guard let number = self[key]?.double, number.isFinite else {
            throw GardenSkip.noNumber(key)
        }
        return number
    }

    func amount(_ key: String) throws(GardenSkip) -> Double {
        let number = try number(key)
        guard number >= 0 else { throw GardenSkip.negative(key) }
        return number
    }
}
