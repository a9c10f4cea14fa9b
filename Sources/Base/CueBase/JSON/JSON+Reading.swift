/// The reason why a text is not JSON, and its place.
public struct JSONError: Error, Equatable, Sendable {
    /// The rule that the text breaks.
    public let flaw: JSONFlaw
    /// The offset in bytes, from 0.
    public let offset: Int
}

extension JSON {
    /// The most levels that are read: more than an event may have, so that an event fits into a list of rows.
    public static let levels = 72

    /// Reads one value; only white space may follow it. Throws `JSONError`.
    public init(parsing bytes: [UInt8]) throws(JSONError) { self = try JSON(parsing: bytes[...]) }

    /// The same for a part of an array; offsets of errors count from its start.
    public init(parsing bytes: ArraySlice<UInt8>) throws(JSONError) {
        // Checks the whole text once, so that no single string needs its own check.
        guard String(validating: bytes, as: UTF8.self) != nil else { throw JSONError(flaw: .notUTF8, offset: 0) }
        var reader = JSONReader(bytes: bytes, position: bytes.startIndex)
        self = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.position == bytes.endIndex else { throw reader.wrong(.moreAfterEnd) }
    }
}

private struct JSONReader {
    let bytes: ArraySlice<UInt8>
    var position: Int

    func wrong(_ flaw: JSONFlaw) -> JSONError { JSONError(flaw: flaw, offset: position - bytes.startIndex) }

    private var next: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func word(_ text: StaticString, _ value: JSON) throws(JSONError) -> JSON {
        let word = text.description.utf8
        guard bytes[position...].starts(with: word) else { throw wrong(.noValue) }
        position += word.count
        return value
    }

    mutating func value(depth: Int) throws(JSONError) -> JSON {
        guard depth < JSON.levels else { throw wrong(.tooDeep) }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSON {
        position += 1
        skipSpace()
        if take("}") { return .object([]) }
        var members: [JSON.Member] = []
        // Most objects have few members, and growing by ones and twos costs more than the members.
        members.reserveCapacity(4)
        // Bytes, since Swift holds two spellings of one accented letter for equal strings.
        var keys: Set<[UInt8]> = []
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw wrong(.noKey) }
            let key = try string()
            // The set is for large objects only: comparing a few keys is faster than hashing them.
            if members.count == 16 { keys = Set(members.map { Array($0.key.utf8) }) }
            let isNew =
                members.count < 16
                ? !members.contains { $0.key.utf8.elementsEqual(key.utf8) } : keys.insert(Array(key.utf8)).inserted
            guard isNew else { throw wrong(.repeatedKey) }
            skipSpace()
            guard take(":") else { throw wrong(.noColon) }
            members.append(JSON.Member(key, try value(depth: depth + 1)))
            skipSpace()
        } while take(",")
        guard take("}") else { throw wrong(.openObject) }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSON {
        position += 1
        skipSpace()
        if take("]") { return .array([]) }
        var values: [JSON] = []
        repeat {
            values.append(try value(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else { throw wrong(.openArray) }
        return .array(values)
    }

    private mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        if next == UInt8(ascii: "\"") {
            defer { position += 1 }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }
        var text = Array(bytes[start..<position])
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(into: &text)
            case 0..<0x20: throw wrong(.controlCharacter)
            default:
                text.append(byte)
                position += 1
            }
        }
        throw wrong(.openString)
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        position += 1
        let letter = next
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter ?? 0)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var code = try hexDigits()
            if (0xd800..<0xdc00).contains(code) {
                guard take("\\"), take("u") else { throw wrong(.halfSurrogate) }
                let low = try hexDigits()
                guard (0xdc00..<0xe000).contains(low) else { throw wrong(.halfSurrogate) }
                code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw wrong(.halfSurrogate) }
            text += String(scalar).utf8
        default: throw wrong(.unknownEscape)
        }
    }

    private mutating func hexDigits() throws(JSONError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw wrong(.noHexDigits)
            }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        return code
    }

    private mutating func digits() -> Int {
        let start = position
        while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
        return position - start
    }

    /// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
    private mutating func number() throws(JSONError) -> JSON {
        let start = position
        _ = take("-")
        let first = next
        let whole = digits()
        guard whole > 0 else { throw wrong(.noValue) }
        guard whole == 1 || first != UInt8(ascii: "0") else { throw wrong(.leadingZero) }
        var isInteger = true
        if take(".") {
            isInteger = false
            guard digits() > 0 else { throw wrong(.noDigit) }
        }
        if take("e") || take("E") {
            isInteger = false
            if !take("+") { _ = take("-") }
            guard digits() > 0 else { throw wrong(.noDigit) }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, text != "-0", let value = Int64(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else { throw wrong(.numberTooLarge) }
        return .number(value)
    }
}
