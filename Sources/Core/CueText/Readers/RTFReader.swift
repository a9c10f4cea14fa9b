/// Reads the text of Rich Text Format: Microsoft's specification 1.9.1, and Cocoa's additions.
///
/// It reads in one pass. Beside the text, its memory is bounded by `deepest` and `mostFonts`.
struct RTFReader {
    private static let deepest = 1_000
    private static let mostFonts = 4_096

    private enum Destination {
        case text, skipped, fontTable
        /// A group that has its text twice, and the first group in it, which is not in Unicode.
        case twice, notInUnicode
    }

    /// The state that a group passes to the groups in it, and restores at their end.
    private struct Group {
        var destination = Destination.text
        var isNote = false
        var isHidden = false
        var isDeleted = false
        var isAttachment = false
        var codePage = CodePage.windows1252
        /// The number of characters behind a `\u` that repeat it for old readers.
        var repeats = 1

        var isSilent: Bool { destination != .text || isHidden || isDeleted }
    }

    private let bytes: [UInt8]
    private var position = 0
    private var group = Group()
    private var outer: [Group] = []
    private var (body, notes) = (TextOutput(), TextOutput())

    private var ansi = CodePage.windows1252
    private var fonts: [Int: CodePage] = [:]
    private var defaultFont = 0
    private var fontInTable = 0

    /// The number of characters to be skipped behind a `\u`.
    private var repeatsLeft = 0
    private var highSurrogate: UInt16?
    private var isSecondByte = false
    /// `\*`: a reader that does not know the group's word skips the group.
    private var isOptional = false

    static func text(of bytes: [UInt8]) throws(TextError) -> String {
        guard bytes.starts(with: #"{\rtf"#.utf8) else {
            throw TextError.notRTF
        }
        var reader = RTFReader(bytes: bytes)
        try reader.read()
        return reader.body.text(notes: reader.notes)
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func read() throws(TextError) {
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "{"): try openGroup()
            case UInt8(ascii: "}"):
                closeGroup()
                // Bytes behind the document are not part of it.
                if outer.isEmpty { return }
            case UInt8(ascii: "\\"): control()
            case 0x00, 0x0a, 0x0d: break
            case 0x09: character("\t")
            default: literal(byte)
            }
        }
    }
}

// MARK: - Groups

extension RTFReader {
    private mutating func openGroup() throws(TextError) {
        guard outer.count < Self.deepest else { throw TextError.groupsTooDeep }
        outer.append(group)
        if group.destination == .twice { group.destination = .notInUnicode }
        group.isAttachment = false
        endCharacter()
    }

    private mutating func closeGroup() {
        endCharacter()
        let closed = group
        guard let parent = outer.popLast() else { return }
        group = parent
        if closed.isNote && !group.isNote { notes.endOpenLine() }
        if closed.destination == .fontTable { group.codePage = codePage(ofFont: defaultFont) }
        // Cocoa writes an attachment as a group and a sign in its place, with a group around both.
        if closed.isAttachment && outer.count > 1 { group.destination = .skipped }
    }

    /// Ends a character that was begun.
    private mutating func endCharacter() {
        endSurrogate()
        (repeatsLeft, isSecondByte, isOptional) = (0, false, false)
    }

    private mutating func begin(_ destination: Destination) {
        if group.destination == .text { group.destination = destination }
    }
}

// MARK: - Control words

extension RTFReader {
    private mutating func control() {
        guard position < bytes.count else { return }
        let first = bytes[position]
        if isLetter(first) {
            word()
            return
        }
        position += 1
        switch first {
        case UInt8(ascii: "'"): hexadecimal()
        case UInt8(ascii: "*"): isOptional = true
        case UInt8(ascii: "~"): character("\u{a0}")
        case UInt8(ascii: "_"): character("\u{2011}")
        // A place where a word may be hyphenated is not part of the text.
        case UInt8(ascii: "-"): _ = skipRepeat()
        case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "\\"): literal(first)
        // Cocoa ends paragraphs in this way.
        case 0x0a, 0x0d: endLine()
        default: break
        }
    }

    private func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }

    private mutating func word() {
        var (key, length) = (RTFWord.Key(0), 0)
        while position < bytes.count, isLetter(bytes[position]) {
            key = key << 8 | RTFWord.Key(bytes[position])
            length += 1
            position += 1
        }
        let number = number()
        if position < bytes.count, bytes[position] == 0x20 { position += 1 }
        let isOptional = self.isOptional
        self.isOptional = false
        guard length <= 16, let word = RTFWord.table[key] else {
            if isOptional { begin(.skipped) }
            return
        }
        carryOut(word, number, isOptional: isOptional)
    }

    /// The number behind a word; nil if there is none. A number too long for the format stays at its bound.
    private mutating func number() -> Int? {
        let start = position
        let isNegative = position < bytes.count && bytes[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        var (value, digits) = (0, 0)
        while position < bytes.count, (0x30...0x39).contains(bytes[position]) {
            value = min(value * 10 + Int(bytes[position] - 0x30), Int(Int32.max))
            digits += 1
            position += 1
        }
        guard digits > 0 else {
            position = start
            return nil
        }
        return isNegative ? -value : value
    }

    private mutating func carryOut(_ word: RTFWord, _ number: Int?, isOptional: Bool) {
        switch word {
        case .character(let scalar): character(scalar)
        case .paragraph: endLine()
        case .pageEnd: if !group.isSilent { write { $0.endOpenLine() } }
        case .unicode: unicode(number ?? 0)
        case .unicodeSkip: group.repeats = max(0, number ?? 1)
        case .binary: position += min(max(0, number ?? 0), bytes.count - position)
        case .hidden: group.isHidden = number != 0
        case .deleted: group.isDeleted = number != 0
        case .fontTable: begin(.fontTable)
        case .footnote: group.isNote = true
        case .attachment:
            group.isAttachment = true
            begin(.skipped)
        case .skipped: begin(.skipped)
        case .twice: begin(.twice)
        case .inUnicode: if group.destination == .notInUnicode { group.destination = .text }
        case .transparent: break
        case .characterSet, .ansiCodePage, .defaultFont, .font, .fontCharset, .fontCodePage, .plain:
            changeFont(word, number)
        }
    }
}

// MARK: - Fonts

extension RTFReader {
    private func codePage(ofFont font: Int) -> CodePage { fonts[font] ?? ansi }

    /// Follows the font, which decides the meaning of bytes.
    private mutating func changeFont(_ word: RTFWord, _ number: Int?) {
        switch word {
        case .characterSet(let page): useByDefault(page)
        case .ansiCodePage: if let page = number.flatMap(CodePage.init(number:)) { useByDefault(page) }
        case .defaultFont: defaultFont = number ?? 0
        case .font where group.destination == .fontTable: fontInTable = number ?? 0
        case .font: group.codePage = codePage(ofFont: number ?? 0)
        case .plain:
            group.codePage = codePage(ofFont: defaultFont)
            (group.isHidden, group.isDeleted) = (false, false)
        case .fontCharset: noteFont(number.flatMap(CodePage.init(charset:)))
        case .fontCodePage: noteFont(number.flatMap(CodePage.init(number:)))
        default: break
        }
    }

    private mutating func useByDefault(_ page: CodePage) { (ansi, group.codePage) = (page, page) }

    private mutating func noteFont(_ page: CodePage?) {
        guard group.destination == .fontTable, let page, fonts.count < Self.mostFonts else { return }
        fonts[fontInTable] = page
    }
}

// MARK: - Characters

extension RTFReader {
    private mutating func write(_ body: (inout TextOutput) -> Void) {
        if group.isNote { body(&notes) } else { body(&self.body) }
    }

    /// True if a character only repeats the one of a `\u`.
    private mutating func skipRepeat() -> Bool {
        isOptional = false
        if repeatsLeft == 0 { return false }
        repeatsLeft -= 1
        return true
    }

    private mutating func endSurrogate() {
        guard highSurrogate != nil else { return }
        highSurrogate = nil
        if !group.isSilent { write { $0.append("\u{fffd}") } }
    }

    private mutating func character(_ scalar: Unicode.Scalar) {
        if skipRepeat() || group.isSilent { return }
        endSurrogate()
        write { $0.append(scalar) }
    }

    private mutating func endLine() {
        repeatsLeft = 0
        endSurrogate()
        if !group.isSilent { write { $0.endLine() } }
    }

    /// Takes a byte and all plain bytes that follow it.
    private mutating func literal(_ byte: UInt8) {
        guard byte < 0x80, repeatsLeft == 0, !isSecondByte, !group.isSilent else {
            encoded(byte)
            return
        }
        isOptional = false
        endSurrogate()
        let start = position - 1
        while position < bytes.count, Self.isPlain(bytes[position]) { position += 1 }
        let run = bytes[start..<position]
        write { $0.append(ascii: run) }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "{")
            && byte != UInt8(ascii: "}")
    }

    private mutating func hexadecimal() {
        guard position + 2 <= bytes.count, let high = Self.digit(bytes[position]),
            let low = Self.digit(bytes[position + 1])
        else { return }
        position += 2
        encoded(high << 4 | low)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46, 0x61...0x66: (byte | 0x20) - 0x61 + 10
        default: nil
        }
    }

    /// Takes a byte in the code page of its font.
    private mutating func encoded(_ byte: UInt8) {
        if skipRepeat() || group.isSilent { return }
        endSurrogate()
        if isSecondByte {
            isSecondByte = false
        } else if byte >= 0x80 {
            isSecondByte = group.codePage == .doubleByte
            let scalar = group.codePage.scalar(byte)
            write { $0.append(scalar) }
        } else {
            control(character: Unicode.Scalar(byte))
        }
    }

    /// Takes a line end that is written as a character for one, and ignores other control characters.
    private mutating func control(character scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x0a, 0x0b, 0x0d, 0x2028, 0x2029: write { $0.endLine() }
        case 0x09, 0x20...0x7e, 0xa0...: write { $0.append(scalar) }
        default: break
        }
    }

    private mutating func unicode(_ number: Int) {
        defer { repeatsLeft = group.repeats }
        isSecondByte = false
        if group.isSilent { return }
        // The format has signed numbers of 16 bits; some programs write the number of the character.
        if number > 0xffff {
            endSurrogate()
            let scalar = UInt32(exactly: number).flatMap(Unicode.Scalar.init) ?? "\u{fffd}"
            write { $0.append(scalar) }
            return
        }
        let unit = UInt16(truncatingIfNeeded: number)
        if let high = highSurrogate, UTF16.isTrailSurrogate(unit) {
            highSurrogate = nil
            let value = 0x10000 + (UInt32(high) - 0xd800) << 10 + (UInt32(unit) - 0xdc00)
            write { $0.append(Unicode.Scalar(value) ?? "\u{fffd}") }
            return
        }
        endSurrogate()
        if UTF16.isLeadSurrogate(unit) {
            highSurrogate = unit
        } else {
            control(character: Unicode.Scalar(unit) ?? "\u{fffd}")
        }
    }
}
