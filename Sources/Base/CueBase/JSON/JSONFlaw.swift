/// The rules of JSON, and of the limits here, that a text can break.
public enum JSONFlaw: String, Hashable, Sendable, Codable, CaseIterable {
    /// The text is not UTF-8.
    case notUTF8
    /// Something follows the value.
    case moreAfterEnd
    /// No value begins here.
    case noValue
    /// No key of a member begins here.
    case noKey
    /// No colon follows the key.
    case noColon
    /// The object has no end.
    case openObject
    /// The array has no end.
    case openArray
    /// A string holds a control character.
    case controlCharacter
    /// The string has no end.
    case openString
    /// An escape is one half of a pair.
    case halfSurrogate
    /// An escape has fewer than four digits.
    case noHexDigits
    /// A number begins with a zero.
    case leadingZero
    /// A number lacks a digit.
    case noDigit
    /// A number is beyond all that is finite.
    case numberTooLarge
    /// It has more than `JSON.levels` levels.
    case tooDeep
    /// An object has one key twice.
    case repeatedKey
    /// A backslash begins no escape of JSON.
    case unknownEscape
}
