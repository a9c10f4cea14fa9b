import CueBase

extension JSONFlaw {
    /// The flaw, completing "it is not JSON: …".
    var words: String {
        switch self {
        case .notUTF8: "not UTF-8"
        case .moreAfterEnd: "more after the end"
        case .noValue: "a value was expected"
        case .noKey: "a key was expected"
        case .noColon: "a colon was expected"
        case .openObject: "an object does not end"
        case .openArray: "an array does not end"
        case .controlCharacter: "a control character in a string"
        case .openString: "a string does not end"
        case .halfSurrogate: "half a surrogate pair"
        case .noHexDigits: "four hexadecimal digits were expected"
        case .leadingZero: "a number with a leading zero"
        case .noDigit: "a digit was expected"
        case .numberTooLarge: "a number too large"
        case .tooDeep: "more than \(JSON.levels) levels"
        case .repeatedKey: "a key twice"
        case .unknownEscape: "an unknown escape"
        }
    }
}
