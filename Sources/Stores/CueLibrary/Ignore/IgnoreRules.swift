/// The ignore patterns of one folder, in gitignore's syntax.
///
/// The authority is gitignore(5), https://git-scm.com/docs/gitignore, and where it is silent, git's behaviour.
package struct IgnoreRules: Sendable {
    private let base: [UInt8]
    private let patterns: [IgnorePattern]  // last line first, because the last match decides

    /// Parses the text of a `.cueignore` file that stands in the folder `base`.
    ///
    /// `base` is a library-relative path, empty for the library itself.
    package init(parsing text: [UInt8], base: [UInt8]) {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let lines = text.dropFirst(text.starts(with: byteOrderMark) ? 3 : 0).split(separator: .lineFeed)
        self.base = base
        patterns = lines.reversed().compactMap(IgnorePattern.init(line:))
    }

    fileprivate var isEmpty: Bool { patterns.isEmpty }

    /// The verdict of the last pattern that matches: true for ignored, false for re-included; nil if none matches.
    package func verdict(path: [UInt8], isFolder: Bool) -> Bool? {
        let start = base.isEmpty ? 0 : base.count + 1
        guard path.count > start, path.starts(with: base), start == 0 || path[base.count] == .slash else { return nil }
        let nameStart = path.lastIndex(of: .slash).map { $0 + 1 } ?? 0
        let path = path.span
        let (below, name) = (path.extracting(start...), path.extracting(nameStart...))
        for pattern in patterns where isFolder || !pattern.foldersOnly {
            if pattern.glob.matches(pattern.isAnchored ? below : name) { return !pattern.isNegated }
        }
        return nil
    }
}

/// The rules of one folder and of those above it; deeper ones win.
package struct IgnoreStack: Sendable {
    private var deepestFirst: [IgnoreRules]

    /// Starts at the library's own folder, where only `defaults` hold.
    package init(defaults: IgnoreRules) {
        deepestFirst = [defaults]
    }

    /// Returns the rules that hold in the next folder down, which has `rules` of its own.
    package func adding(_ rules: IgnoreRules) -> IgnoreStack {
        var stack = self
        if !rules.isEmpty { stack.deepestFirst.insert(rules, at: 0) }
        return stack
    }

    /// Whether `path` is ignored.
    ///
    /// As in git, the caller never descends into an ignored folder, so nothing below it can be re-included.
    package func ignores(path: [UInt8], isFolder: Bool) -> Bool {
        for rules in deepestFirst {
            if let verdict = rules.verdict(path: path, isFolder: isFolder) { return verdict }
        }
        return false
    }
}

/// One line of an ignore file.
private struct IgnorePattern: Sendable {
    let isNegated: Bool
    let foldersOnly: Bool
    let isAnchored: Bool
    let glob: Glob

    /// Gives nil for a line that can match nothing: blank, a comment, or malformed.
    init?(line: ArraySlice<UInt8>) {
        guard line.first != .hash else { return nil }
        var text = Self.trimmed(line)
        isNegated = text.first == .exclamation
        if isNegated { text.removeFirst() }
        foldersOnly = text.last == .slash
        if foldersOnly { text.removeLast() }
        isAnchored = text.contains(.slash)
        if text.first == .slash { text.removeFirst() }
        guard !text.isEmpty, let glob = Glob(text, isAnchored: isAnchored) else { return nil }
        self.glob = glob
    }

    /// The line without its carriage return and without the trailing spaces that no backslash protects.
    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        // git holds a pattern as a C string, so a zero byte ends it.
        let line = line.dropLast(line.last == .carriageReturn ? 1 : 0).prefix { $0 != 0 }
        var (next, end) = (line.startIndex, line.startIndex)
        while next < line.endIndex {
            let isEscape = line[next] == .backslash
            let isSpace = line[next] == .space
            next = min(next + (isEscape ? 2 : 1), line.endIndex)
            if !isSpace { end = next }
        }
        return line[..<end]
    }
}

/// A compiled pattern. Nearly every pattern has one of the three simple shapes, which cost one comparison.
private enum Glob: Sendable {
    case exact([UInt8])
    case prefix([UInt8])
    case suffix([UInt8])
    case general([GlobToken])

    init?(_ pattern: ArraySlice<UInt8>, isAnchored: Bool) {
        guard let tokens = GlobToken.tokens(of: pattern) else { return nil }
        let literal = tokens.compactMap(\.literal)
        switch (tokens.count - literal.count, tokens.first, tokens.last) {
        case (0, _, _): self = .exact(literal)
        // Below an anchor a star may meet a slash, which these two shapes do not look for.
        case (1, _, .star) where !isAnchored: self = .prefix(literal)
        case (1, .star, _) where !isAnchored: self = .suffix(literal)
        default: self = .general(tokens)
        }
    }

    func matches(_ name: Span<UInt8>) -> Bool {
        switch self {
        case .exact(let bytes): name.count == bytes.count && name.holds(bytes, at: 0)
        case .prefix(let bytes): name.count >= bytes.count && name.holds(bytes, at: 0)
        case .suffix(let bytes): name.count >= bytes.count && name.holds(bytes, at: name.count - bytes.count)
        case .general(let tokens): GlobWalk.matches(tokens, name)
        }
    }
}

/// One step of a pattern.
private enum GlobToken: Equatable, Sendable {
    case byte(UInt8)
    case anyByte  // `?`
    case set(ByteSet)  // `[…]`
    case star  // any bytes of one name
    case folders  // `**/`: any number of whole folders, each with its slash

    var literal: UInt8? {
        if case .byte(let byte) = self { byte } else { nil }
    }

    func accepts(_ byte: UInt8) -> Bool {
        switch self {
        case .byte(let own): own == byte
        case .anyByte: byte != .slash
        case .set(let set): set.contains(byte)
        case .star, .folders: false
        }
    }

    /// The steps of `pattern`, or nil when it is malformed, which in git means that it matches nothing.
    static func tokens(of pattern: ArraySlice<UInt8>) -> [GlobToken]? {
        var (rest, tokens) = (pattern, [GlobToken]())
        while let byte = rest.popFirst() {
            switch byte {
            case .question: tokens.append(.anyByte)
            case .star: tokens += stars(&rest, startsFolder: [nil, .byte(.slash), .folders].contains(tokens.last))
            case .openBracket:
                guard let set = ByteSet(parsing: &rest) else { return nil }
                tokens.append(.set(set))
            case .backslash:
                guard let escaped = rest.popFirst() else { return nil }
                tokens.append(.byte(escaped))
            default: tokens.append(.byte(byte))
            }
        }
        return tokens
    }

    /// The steps for a run of stars whose first is already read.
    ///
    /// More than one span folders only when alone between slashes. Git before 2.52 also lets them span folders after
    /// literal bytes, so that an anchored `a**/b` matches `ab`: a bug (git 1940a02dc1) that is not copied here.
    private static func stars(_ rest: inout ArraySlice<UInt8>, startsFolder: Bool) -> [GlobToken] {
        let isLong = rest.first == .star
        rest = rest.drop { $0 == .star }
        guard isLong, startsFolder else { return [.star] }
        if rest.isEmpty { return [.folders, .star] }
        if rest.first == .slash {
            rest.removeFirst()
            return [.folders]
        }
        guard rest.starts(with: [.backslash, .slash]) else { return [.star] }
        // git lets `**/` stand for no folder at all, but not when its slash is escaped.
        rest.removeFirst(2)
        return [.star, .byte(.slash), .folders]
    }
}

/// The bytes that a bracket expression such as `[!a-z]` stands for.
private struct ByteSet: Equatable, Sendable {
    private var ranges: [ClosedRange<UInt8>] = []
    private let isNegated: Bool

    /// Reads what follows `[`; nil when the bracket is never closed or names an unknown class.
    init?(parsing rest: inout ArraySlice<UInt8>) {
        isNegated = rest.first == .exclamation || rest.first == .caret
        if isNegated { rest.removeFirst() }
        var closing = rest.startIndex
        var previous: UInt8?  // where a range may begin: not at a class, nor at the end of another range
        repeat {
            guard let byte = rest.popFirst() else { return nil }
            if byte == .hyphen, let low = previous, rest.first != .closeBracket {
                guard let high = Self.literal(rest.popFirst(), &rest) else { return nil }
                if low <= high { ranges.append(low...high) }
                previous = nil
            } else if byte == .openBracket, let name = Self.className(rest, &closing) {
                guard let members = Self.classes.first(where: { name.elementsEqual($0.key.utf8) }) else { return nil }
                ranges += members.value
                rest = rest[name.endIndex...].dropFirst(2)
                previous = nil
            } else {
                guard let literal = Self.literal(byte, &rest) else { return nil }
                ranges.append(literal...literal)
                previous = literal
            }
        } while rest.first != .closeBracket  // looked at last, because a bracket that comes first is literal
        rest.removeFirst()
    }

    func contains(_ byte: UInt8) -> Bool {
        byte != .slash && ranges.contains { $0.contains(byte) } != isNegated
    }

    private static func literal(_ byte: UInt8?, _ rest: inout ArraySlice<UInt8>) -> UInt8? {
        byte == .backslash ? rest.popFirst() : byte
    }

    /// The name in `:name:]` at the start of `rest`, or nil when a bracket stands there for itself.
    ///
    /// `closing` keeps the bracket found last; to look for it anew at each `[:` would be quadratic in a hostile line.
    private static func className(_ rest: ArraySlice<UInt8>, _ closing: inout Int) -> ArraySlice<UInt8>? {
        guard rest.first == .colon else { return nil }
        if closing <= rest.startIndex { closing = rest.firstIndex(of: .closeBracket) ?? rest.endIndex }
        let name = rest[..<closing].dropFirst()
        return name.last == .colon ? name.dropLast() : nil
    }

    // ASCII only and without vertical tab and form feed in `space`: git's own table (`ctype.c`), not the locale's.
    private static let classes: [String: [ClosedRange<UInt8>]] = [
        "alnum": [0x30...0x39, 0x41...0x5A, 0x61...0x7A], "alpha": [0x41...0x5A, 0x61...0x7A],
        "blank": [0x09...0x09, 0x20...0x20], "cntrl": [0x00...0x1F, 0x7F...0x7F], "digit": [0x30...0x39],
        "graph": [0x21...0x7E], "lower": [0x61...0x7A], "print": [0x20...0x7E],
        "punct": [0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E],
        "space": [0x09...0x0A, 0x0D...0x0D, 0x20...0x20], "upper": [0x41...0x5A],
        "xdigit": [0x30...0x39, 0x41...0x46, 0x61...0x66],
    ]
}

/// One attempt to lay the steps of a pattern along a name.
private struct GlobWalk {
    private struct Place {
        var token = 0
        var byte = 0
    }

    private var here = Place()
    private var star: Place?  // after the latest star, where that star ends so far
    private var folders: Place?  // the same for the latest `**/`

    static func matches(_ tokens: [GlobToken], _ name: Span<UInt8>) -> Bool {
        var walk = GlobWalk()
        while walk.here.byte < name.count {
            guard walk.step(tokens, name) || walk.stretch(name) else { return false }
        }
        return tokens[walk.here.token...].allSatisfy { $0 == .star }
    }

    private mutating func step(_ tokens: [GlobToken], _ name: Span<UInt8>) -> Bool {
        guard here.token < tokens.count else { return false }
        switch tokens[here.token] {
        case .star:
            here.token += 1
            star = here
        case .folders:
            here.token += 1
            (star, folders) = (nil, here)
        case let token:
            guard token.accepts(name[here.byte]) else { return false }
            here = Place(token: here.token + 1, byte: here.byte + 1)
        }
        return true
    }

    /// Lets the latest star take one byte more, or else the latest `**/` one folder more.
    ///
    /// Earlier ones need no second try: what follows each was matched as early as it can be. So a walk costs at most
    /// pattern × name for each folder of the path, where plain backtracking would be exponential in the stars.
    private mutating func stretch(_ name: Span<UInt8>) -> Bool {
        if var place = star, name[place.byte] != .slash {
            place.byte += 1
            (star, here) = (place, place)
            return true
        }
        guard var place = folders else { return false }
        repeat { place.byte += 1 } while place.byte < name.count && name[place.byte - 1] != .slash
        (star, folders, here) = (nil, place, place)
        return place.byte < name.count
    }
}

extension Span<UInt8> {
    /// Whether `bytes` stand at `offset`; the caller has checked that they fit.
    fileprivate func holds(_ bytes: [UInt8], at offset: Int) -> Bool {
        bytes.indices.allSatisfy { self[offset + $0] == bytes[$0] }
    }
}

extension UInt8 {
    fileprivate static let lineFeed = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
    fileprivate static let space = UInt8(ascii: " ")
    fileprivate static let hash = UInt8(ascii: "#")
    fileprivate static let exclamation = UInt8(ascii: "!")
    fileprivate static let slash = UInt8(ascii: "/")
    fileprivate static let backslash = UInt8(ascii: "\\")
    fileprivate static let star = UInt8(ascii: "*")
    fileprivate static let question = UInt8(ascii: "?")
    fileprivate static let openBracket = UInt8(ascii: "[")
    fileprivate static let closeBracket = UInt8(ascii: "]")
    fileprivate static let caret = UInt8(ascii: "^")
    fileprivate static let hyphen = UInt8(ascii: "-")
    fileprivate static let colon = UInt8(ascii: ":")
}
