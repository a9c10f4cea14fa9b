import CueBase
import CueTestSupport
import Testing

@Suite("Display")
struct DisplayTests {
    @Test(
        "What could move a cursor, ring a bell or hide a name is escaped",
        arguments: [
            ("a\nb\tc\rd", #"a\nb\tc\rd"#), ("\u{1b}[2J", #"\x1b[2J"#), ("\u{7}\u{8}\0\u{7f}", #"\x07\x08\x00\x7f"#),
            (#"a\b"#, #"a\\b"#), (#"\x41"#, #"\\x41"#), ("a\u{202e}gpj.exe", #"a\xe2\x80\xaegpj.exe"#),
            ("\u{2066}a\u{2069}", #"\xe2\x81\xa6a\xe2\x81\xa9"#), ("\u{200e}a\u{200f}", #"\xe2\x80\x8ea\xe2\x80\x8f"#),
            ("a\u{2028}b\u{2029}", #"a\xe2\x80\xa8b\xe2\x80\xa9"#), ("\u{feff}a", #"\xef\xbb\xbfa"#),
            ("a\u{85}b\u{9b}", #"a\xc2\x85b\xc2\x9b"#), ("a\u{200b}b", #"a\xe2\x80\x8bb"#), ("\u{ad}", #"\xc2\xad"#),
            ("\u{e000}", #"\xee\x80\x80"#),
        ])
    func escapes(_ raw: String, _ shown: String) {
        #expect(Display.text(raw.utf8) == shown)
        #expect(Display.bytes(shown) == Array(raw.utf8))
    }

    @Test(
        "What people write stays as it is: every script, joined emoji, combining marks",
        arguments: [
            "Notizen zum Roman.md", "Ünïcödé", "e\u{301}", "日本語", "العربية", "עברית", "👩‍👩‍👧", "क्‍ष", "👍🏽", "❤️", "🇫🇷", "\u{a0}",
            "\"quotes\" 'too'", "ﬁ", "%$&*?[]{}",
        ])
    func keeps(_ text: String) {
        #expect(Display.text(text.utf8).utf8.elementsEqual(text.utf8))
        #expect(Display.bytes(text) == Array(text.utf8))
    }

    @Test(
        "Bytes that are no UTF-8 are shown one by one",
        arguments: [
            ([0xff], #"\xff"#), ([0x61, 0xc3], #"a\xc3"#), ([0xc3, 0x28], #"\xc3("#), ([0xc0, 0xaf], #"\xc0\xaf"#),
            ([0xed, 0xa0, 0x80], #"\xed\xa0\x80"#), ([0xf4, 0x90, 0x80, 0x80], #"\xf4\x90\x80\x80"#),
            ([0xe2, 0x82], #"\xe2\x82"#), ([0xc3, 0xa4, 0xff], #"ä\xff"#), ([0xe0, 0x80, 0xaf], #"\xe0\x80\xaf"#),
            ([0xf8, 0x88, 0x80, 0x80, 0x80], #"\xf8\x88\x80\x80\x80"#),
        ] as [([UInt8], String)])
    func invalid(_ raw: [UInt8], _ shown: String) {
        #expect(Display.text(raw) == shown)
        #expect(Display.bytes(shown) == raw)
    }

    @Test(
        "Any bytes are read back from how they are shown, and two names are never shown alike",
        arguments: 1...40 as ClosedRange<UInt64>)
    func roundTrip(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let special: [UInt8] = Array(#"\xntr0a"#.utf8) + [0x0a, 0xe2, 0x80, 0x8d, 0xae, 0xc3, 0xa9, 0xcc, 0x81, 0xff]
        for _ in 0..<200 {
            let raw = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                Bool.random(using: &generator)
                    ? special.randomElement(using: &generator) ?? 0 : UInt8.random(in: 0...255, using: &generator)
            }
            let shown = Display.text(raw)
            #expect(Display.bytes(shown) == raw, "\(raw) shown as \(shown)")
            #expect(shown.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }, "\(raw)")
        }
    }

    @Test(
        "A backslash that escapes nothing stands for itself",
        arguments: [#"\"#, #"a\"#, #"\q"#, #"\x"#, #"\x4"#, #"\xgg"#, #"\x+f"#, #"\x-1"#])
    func looseBackslashes(_ text: String) { #expect(Display.bytes(text) == Array(text.utf8)) }
}
