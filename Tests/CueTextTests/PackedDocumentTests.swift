import CueTestSupport
import CueText
import Foundation
import Testing

@Suite("Word and OpenDocument")
struct PackedDocumentTests {
    private func word(_ body: String, footnotes: String? = nil) throws -> String {
        try TextExtraction.text(of: Documents.word(body, footnotes: footnotes), as: .docx)
    }

    private func odt(_ body: String) throws -> String {
        try TextExtraction.text(of: Documents.openDocument(body), as: .odt)
    }

    @Test("A Word file that a program packed is read")
    func packed() throws {
        let file = Project.root + "/fixtures/library/Letter to the editor.docx"
        let text = try TextExtraction.text(of: [UInt8](Data(contentsOf: URL(fileURLWithPath: file))), as: .docx)

        #expect(text.hasPrefix("On the closing of the reading room\nTo the editor\nYou report that the"))
        #expect(text.contains("“fewer than nine persons a day make use of it”.\nI am one of the nine."))
        #expect(text.hasSuffix("I ask that a column be added.\nA reader\n"))
    }

    @Test(
        "A Word document reads as it looks when all its changes are accepted",
        arguments: [
            ("<w:p><w:r><w:t>a</w:t></w:r><w:r><w:t xml:space='preserve'> b</w:t></w:r></w:p><w:p/>", "a b\n\n"),
            ("<w:p><w:r><w:t>&lt;&amp;&#252;</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p>", "<&ü\tb\nc\n"),
            ("<w:p><w:pPr><w:tabs><w:tab w:val='l'/></w:tabs></w:pPr><w:r><w:t>a</w:t></w:r></w:p>", "a\n"),
            (
                "<w:p><w:del><w:r><w:t>x</w:t><w:delText>y</w:delText></w:r></w:del><w:ins><w:r><w:t>a</w:t></w:r></w:ins></w:p>",
                "a\n"
            ),
            (
                "<w:p><w:moveFrom><w:r><w:t>x</w:t></w:r></w:moveFrom><w:moveTo><w:r><w:t>a</w:t></w:r></w:moveTo></w:p>",
                "a\n"
            ),
            (
                "<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p><w:p><w:r><w:t>b</w:t></w:r></w:p>",
                "ab\n"
            ),
            (
                "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>x</w:t><w:br/></w:r><w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t>a</w:t></w:r></w:p>",
                "a\n"
            ),
            (
                "<w:p><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>3</w:t><w:noBreakHyphen/><w:softHyphen/></w:r></w:p>",
                "3\u{2011}\n"
            ),
            (
                "<w:p><w:r><mc:AlternateContent><mc:Choice><wps:txbx><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent></wps:txbx></mc:Choice><mc:Fallback><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent></w:r><w:r><w:t>a</w:t></w:r></w:p>",
                "a\nbox\n"
            ),
            (
                "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>1</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>2</w:t></w:r></w:p></w:tc></w:tr></w:tbl>",
                "1\n2\n"
            ),
            (
                "<w:p><w:pPr><w:pPrChange><w:pPr><w:tabs/></w:pPr></w:pPrChange></w:pPr><w:r><w:tab/><w:t>a</w:t></w:r></w:p>",
                "\ta\n"
            ),
            ("", ""),
        ])
    func word(_ body: String, _ expected: String) throws {
        #expect(try word(body) == expected)
    }

    @Test("Footnotes of a Word document come behind it; the line above them is none")
    func footnotes() throws {
        let notes =
            "<w:footnote w:type='separator'><w:p><w:r><w:separator/></w:r></w:p></w:footnote><w:footnote><w:p><w:r><w:footnoteRef/><w:t>note</w:t></w:r></w:p></w:footnote>"
        #expect(try word("<w:p><w:r><w:t>a</w:t></w:r></w:p>", footnotes: notes) == "a\nnote\n")
    }

    @Test("Whoever writes the XML chooses its prefixes")
    func prefixes() throws {
        var zip = ZipFile()
        zip.add("word/document.xml", Array("<d:document xmlns:d='x'><d:p><d:t>a</d:t></d:p></d:document>".utf8))
        #expect(try TextExtraction.text(of: zip.finished(), as: .docx) == "a\n")
    }

    @Test(
        "An OpenDocument text reads as it looks",
        arguments: [
            ("<text:h>One</text:h>\n<text:p>two <text:span>three</text:span></text:p>", "One\ntwo three\n"),
            (
                "<text:p>  a\n   b<text:s/><text:s text:c='2'/>c<text:tab/>d<text:line-break/>e</text:p>",
                "a b   c\td\ne\n"
            ),
            ("<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:p>a</text:p>", "a\n"),
            (
                "<text:p>a<office:annotation><dc:creator>A</dc:creator><text:p>c</text:p></office:annotation>b</text:p>",
                "ab\n"
            ),
            (
                "<text:p>a<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>n</text:p></text:note-body></text:note>b</text:p>",
                "ab\nn\n"
            ),
            (
                "<text:p><draw:frame><draw:text-box><text:p>box</text:p></draw:text-box><svg:desc>d</svg:desc></draw:frame>a</text:p>",
                "a\nbox\n"
            ),
            ("<text:p/>", "\n"), ("", ""),
        ])
    func openDocument(_ body: String, _ expected: String) throws {
        #expect(try odt(body) == expected)
    }

    @Test("A few bytes cannot ask for gigabytes of spaces")
    func manySpaces() throws {
        let text = try odt("<text:p>" + String(repeating: "<text:s text:c='999999999'/>", count: 1_000) + "</text:p>")
        #expect(text.utf8.count < 2 << 20)
    }

    @Test("Entities are refused before one is expanded", arguments: [TextFormat.docx, .odt])
    func entities(_ format: TextFormat) {
        let bomb = "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'ha'><!ENTITY b '&a;&a;'>]><x><p>&b;</p></x>"
        var zip = ZipFile()
        zip.add(format == .docx ? "word/document.xml" : "content.xml", Array(bomb.utf8))

        #expect(throws: TextError(reason: "its XML defines entities, which no such document does")) {
            try TextExtraction.text(of: zip.finished(), as: format)
        }
    }

    @Test("A member that unpacks to a thousand times its size is refused")
    func bombs() {
        for count in [8 << 20, TextExtraction.limit + 1_000] {
            var zip = ZipFile()
            zip.addBomb("word/document.xml", count: count)
            #expect(throws: TextError.self) { try TextExtraction.text(of: zip.finished(), as: .docx) }
        }
    }

    @Test("A member that is longer or shorter than it says, or whose checksum is wrong, is refused")
    func liars() {
        let document = Array("<p><t>some text</t></p>".utf8)
        for size in [1, document.count - 1, document.count + 1, 1 << 20, 1 << 30, 0xffff_ffff] {
            var zip = ZipFile()
            zip.add("word/document.xml", document, declaredSize: size)
            #expect(throws: TextError.self) { try TextExtraction.text(of: zip.finished(), as: .docx) }
        }
        var zip = ZipFile()
        zip.add("word/document.xml", document)
        var bytes = zip.finished()
        bytes[60] ^= 1
        #expect(throws: TextError.self) { try TextExtraction.text(of: bytes, as: .docx) }
    }

    @Test("A document with a password says so")
    func passwords() {
        let protected = TextError(reason: "it is protected by a password")
        var zip = ZipFile()
        zip.add("word/document.xml", Array("<p/>".utf8), isEncrypted: true)
        #expect(throws: protected) { try TextExtraction.text(of: zip.finished(), as: .docx) }
        let manifest = "<m:manifest xmlns:m='m'><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>"
        #expect(throws: protected) {
            try TextExtraction.text(of: Documents.openDocument("<text:p/>", manifest: manifest), as: .odt)
        }
        let container: [UInt8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]
        #expect(throws: TextError(reason: "it is protected by a password, or in the format of an old Word")) {
            try TextExtraction.text(of: container, as: .docx)
        }
    }

    @Test("What is no document of its kind says what it lacks")
    func missing() {
        var zip = ZipFile()
        zip.add("other.xml", Array("<p/>".utf8))
        #expect(throws: TextError(reason: "it has no word/document.xml")) {
            try TextExtraction.text(of: zip.finished(), as: .docx)
        }
        #expect(throws: TextError(reason: "it has no content.xml")) {
            try TextExtraction.text(of: zip.finished(), as: .odt)
        }
        for bytes in [[], Array("no zip".utf8), [0x50, 0x4b, 3, 4], Array(Documents.word("").dropLast(30))] {
            #expect(throws: TextError.self) { try TextExtraction.text(of: bytes, as: .docx) }
        }
    }

    @Test("XML that is broken, too deep, or has endless tags or names is refused")
    func hostileXML() {
        let names = (0..<100_000).map { "<a\($0)/>" }.joined()
        let attributes = (0..<100_000).map { "<a b\($0)=''/>" }.joined()
        let bodies = [
            "<w:p>", "</w:body>", "<w:p>&nbsp;</w:p>", String(repeating: "<w:p>", count: 100_000), names, attributes,
            "<!--" + String(repeating: "x", count: 3 << 20) + "-->",
            "<a " + (0..<400_000).map { "b\($0)='' " }.joined() + "/>",
        ]
        for body in bodies { #expect(throws: TextError.self) { try word(body) } }
    }

    @Test("A comment or a text of some size is nothing unusual")
    func largeParts() throws {
        let filler = String(repeating: "x", count: 900_000)
        #expect(try word("<!--\(filler)--><w:p><w:r><w:t>\(filler)</w:t></w:r></w:p>") == filler + "\n")
    }
}
