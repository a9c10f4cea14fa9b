import CueText
import Testing

@Suite("Plain text")
struct PlainTextTests {
    @Test(
        "A format is told by the name's ending, whatever the case of its letters",
        arguments: [
            ("a.txt", .plain), ("A.TXT", .plain), ("x.y.Text", .plain), ("Play.fountain", .plain), ("a.tex", .plain),
            ("a.org", .plain), ("a.rst", .plain), ("a.adoc", .plain), ("a.md", .markdown), ("a.Markdown", .markdown),
            ("a.rtf", .rtf), ("a.docx", .docx), ("a.odt", .odt), ("a.doc", nil), ("a.csv", nil), ("a", nil), ("", nil),
            (".txt", nil), ("txt", nil), ("a.", nil), ("a.txt ", nil), ("a.pages", nil), ("ä.md", .markdown),
        ] as [(String, TextFormat?)])
    func formats(_ name: String, _ format: TextFormat?) {
        #expect(TextFormat(fileName: Array(name.utf8)) == format)
    }

    @Test("A name that is no UTF-8 has an ending too")
    func oddNames() {
        #expect(TextFormat(fileName: [0xff, 0x2e, 0x74, 0x78, 0x74]) == .plain)
        #expect(TextFormat(fileName: [0x61, 0x2e, 0xff]) == nil)
    }

    @Test(
        "Text comes in UTF-8, with a mark or without, in UTF-16 with a mark, and else in Windows-1252",
        arguments: [
            ([], ""), ([0x61], "a\n"), ([0xef, 0xbb, 0xbf, 0xc3, 0xa4], "ä\n"), ([0xc3, 0xa4, 0x0a], "ä\n"),
            ([0xff, 0xfe, 0xe4, 0x00], "ä\n"), ([0xfe, 0xff, 0x00, 0xe4, 0x00, 0x0a], "ä\n"),
            ([0xff, 0xfe, 0x3d, 0xd8, 0xa9, 0xdc], "💩\n"), ([0xff, 0xfe, 0x3d, 0xd8], "\u{fffd}\n"),
            ([0xff, 0xfe, 0x61, 0x00, 0x62], "a\u{fffd}\n"), ([0xff, 0xfe], ""),
            ([0x93, 0x4e, 0x61, 0xef, 0x76, 0x65, 0x94, 0x81], "“Naïve”\u{fffd}\n"),
            ([0xef, 0xbb, 0xbf, 0x61, 0xff], "a\u{fffd}\n"),
        ] as [([UInt8], String)])
    func encodings(_ bytes: [UInt8], _ text: String) throws {
        #expect(try TextExtraction.text(of: bytes, as: .plain) == text)
    }

    @Test("Lines end alike, whichever system wrote them, and the last one ends too")
    func lineEnds() throws {
        let text = try TextExtraction.text(of: "one\r\ntwo\rthree\n\r\n\rfour", as: .markdown)

        #expect(Array(text.utf8) == Array("one\ntwo\nthree\n\n\nfour\n".utf8))
    }

    @Test(
        "What holds a zero byte is not text", arguments: [[0x61, 0x00], [0x00], [0xff, 0xfe, 0x00, 0x00, 0x61, 0x00]])
    func zeros(_ bytes: [UInt8]) {
        #expect(throws: TextError.notText) { try TextExtraction.text(of: bytes, as: .plain) }
    }

    @Test(
        "Words are the pieces between white space",
        arguments: [
            ("", 0), (" \n\t", 0), ("one", 1), (" one  two\nthree ", 3), ("a—b c", 2), ("l’été\u{a0}!", 2),
            ("a\u{2003}b\u{3000}c\u{2028}d\u{85}e\u{1680}f\u{202f}g", 7), ("naïve Łódź — ok", 4), ("\u{200b}", 1),
        ])
    func words(_ text: String, _ count: Int) {
        #expect(Words.count(in: text) == count)
    }
}
