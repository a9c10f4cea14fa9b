/// A JSON value (RFC 8259): the payload of an event, or a signed plan.
///
/// Reading is strict, since the text may come from anyone: valid UTF-8, no key twice, no half surrogate, no number that
/// a double cannot hold, and at most 72 levels. Writing is canonical (RFC 8785), so equal values have equal bytes.
public enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number without fraction and exponent that fits 64 bits; the text `2.0` gives `.number`.
    case integer(Int64)
    /// Any other number.
    case number(Double)
    case string(String)
    case array([JSON])
    /// The members in the order of the source; `canonical` sorts them.
    case object([Member])

    /// One key of an object with its value.
    public struct Member: Hashable, Sendable {
        /// The key, unescaped.
        public let key: String
        /// The value, which may be `.null`.
        public let value: JSON

        /// A member of this key and value.
        public init(_ key: String, _ value: JSON) { (self.key, self.value) = (key, value) }
    }

    /// An object of the members whose value is not nil.
    public static func fields(_ members: KeyValuePairs<String, JSON?>) -> JSON {
        .object(members.compactMap { member in member.value.map { Member(member.key, $0) } })
    }

    /// The value of an object's member; nil if there is none, or if this is not an object.
    public subscript(key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }

    /// The text of a `.string`, else nil.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The value of a `.bool`, else nil.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The values of an `.array`, else nil.
    public var array: [JSON]? { if case .array(let values) = self { values } else { nil } }

    /// The members of an `.object`, else nil.
    public var members: [Member]? { if case .object(let members) = self { members } else { nil } }

    /// Any number as a double; nil if this is not a number.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The number of nested levels: 1 for a number or a text.
    public var depth: Int {
        switch self {
        case .array(let values): 1 + (values.lazy.map(\.depth).max() ?? 0)
        case .object(let members): 1 + (members.lazy.map(\.value.depth).max() ?? 0)
        default: 1
        }
    }

    /// Any whole number that fits `Int64`, also one written with a fraction or an exponent; else nil.
    public var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value)
        default: nil
        }
    }
}

extension JSON {
    /// The bytes of RFC 8785: keys sorted by UTF-16, no white space, numbers as ECMAScript writes them.
    ///
    /// An integer beyond 2^53, which that standard does not know, keeps its digits.
    public var canonical: [UInt8] {
        var out: [UInt8] = []
        write(to: &out)
        return out
    }

    private func write(to out: inout [UInt8]) {
        switch self {
        case .null: out += "null".utf8
        case .bool(let value): out += (value ? "true" : "false").utf8
        case .integer(let value): out += String(value).utf8
        case .number(let value): out += JSON.text(of: value).utf8
        case .string(let value): JSON.write(value, to: &out)
        case .array(let values):
            out.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                value.write(to: &out)
            }
            out.append(UInt8(ascii: "]"))
        case .object(let members):
            out.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) })
                .enumerated()
            {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                JSON.write(member.key, to: &out)
                out.append(UInt8(ascii: ":"))
                member.value.write(to: &out)
            }
            out.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to out: inout [UInt8]) {
        out.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case 0x22: out += #"\""#.utf8
            case 0x5c: out += #"\\"#.utf8
            case 0x08: out += #"\b"#.utf8
            case 0x09: out += #"\t"#.utf8
            case 0x0a: out += #"\n"#.utf8
            case 0x0c: out += #"\f"#.utf8
            case 0x0d: out += #"\r"#.utf8
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                out += (#"\u00"# + (digits.utf8.count == 1 ? "0" : "") + digits).utf8
            default: out.append(byte)
            }
        }
        out.append(UInt8(ascii: "\""))
    }

    /// The shortest text that reads back as `value`, in the form of ECMAScript's `Number::toString` (ECMA-262,
    /// 6.1.6.1.20).
    private static func text(of value: Double) -> String {
        precondition(value.isFinite, "JSON has no such number")
        if value == 0 { return "0" }
        // Swift gives the shortest digits too, but switches to an exponent elsewhere.
        let parts = value.magnitude.description.split(separator: "e")
        let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let fraction = mantissa.count == 2 && mantissa[1] != "0" ? mantissa[1] : ""
        let all = mantissa[0] + fraction
        let digits = String(all.drop { $0 == "0" })
        let significant = String(digits.reversed().drop { $0 == "0" }.reversed())
        // value = 0.significant × 10^point
        let point =
            mantissa[0].count + (parts.count == 2 ? Int(parts[1]) ?? 0 : 0) - (all.count - digits.count)
        let count = significant.count
        let sign = value < 0 ? "-" : ""
        if count <= point && point <= 21 { return sign + significant + String(repeating: "0", count: point - count) }
        if 0 < point && point <= 21 { return sign + significant.prefix(point) + "." + significant.dropFirst(point) }
        if -6 < point && point <= 0 { return sign + "0." + String(repeating: "0", count: -point) + significant }
        let exponent = (point > 0 ? "+" : "-") + String(abs(point - 1))
        let rest = significant.dropFirst()
        return sign + significant.prefix(1) + (rest.isEmpty ? "" : "." + rest) + "e" + exponent
    }
}
