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

    /// Mark-up of Word: a run of text, and a paragraph.
    private static func r(_ text: String, _ properties: String = "") -> String {
        "<w:r><w:rPr>\(properties)</w:rPr><w:t xml:space='preserve'>\(text)</w:t></w:r>"
    }

    private static func p(_ content: String, _ properties: String = "") -> String {
        "<w:p w:rsidR='00A77B3E'><w:pPr>\(properties)</w:pPr>\(content)</w:p>"
    }

    private static let box = "<w:txbxContent>\(p(r("box")))</w:txbxContent>"

    @Test(
        "A Word document reads as it looks when all its changes are accepted",
        arguments: [
            (p(r("a") + r(" b")) + "<w:p/>", "a b\n\n"), ("", ""), (p(r("&lt;&amp;&#252;")), "<&ü\n"),
            (p("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>"), "a\tb\nc\n"),
            (p(r("a"), "<w:tabs><w:tab w:val='l'/></w:tabs>"), "a\n"),
            (p("<w:del>\(r("x"))<w:r><w:delText>y</w:delText></w:r></w:del><w:ins>\(r("a"))</w:ins>"), "a\n"),
            (p("<w:moveFrom>\(r("x"))</w:moveFrom><w:moveTo>\(r("a"))</w:moveTo>"), "a\n"),
            (p(r("a"), "<w:rPr><w:del/></w:rPr>") + p(r("b")), "ab\n"),
            (p(r("x", "<w:vanish/>") + r("a", "<w:vanish w:val='0'/>")), "a\n"),
            (p("<w:r><w:instrText>PAGE</w:instrText></w:r>" + r("3")), "3\n"),
            (p(r("a") + "<w:r><w:noBreakHyphen/><w:softHyphen/></w:r>"), "a\u{2011}\n"),
            (
                p(
                    "<w:r><mc:AlternateContent><mc:Choice>\(box)</mc:Choice><mc:Fallback>\(box)</mc:Fallback>"
                        + "</mc:AlternateContent></w:r>" + r("a")), "a\nbox\n"
            ),
            ("<w:tbl><w:tr><w:tc>\(p(r("1")))</w:tc><w:tc>\(p(r("2")))</w:tc></w:tr></w:tbl>", "1\n2\n"),
            (p("<w:r><w:tab/></w:r>" + r("a"), "<w:pPrChange><w:pPr><w:tabs/></w:pPr></w:pPrChange>"), "\ta\n"),
        ])
    func word(_ body: String, _ expected: String) throws {
        #expect(try word(body) == expected)
    }

    @Test("Footnotes of a Word document come behind it; the line above them is none")
    func footnotes() throws {
        let line = "<w:footnote w:type='separator'>\(Self.p("<w:r><w:separator/></w:r>"))</w:footnote>"
        let note = "<w:footnote>\(Self.p("<w:r><w:footnoteRef/></w:r>" + Self.r("note")))</w:footnote>"
        #expect(try word(Self.p(Self.r("a")), footnotes: line + note) == "a\nnote\n")
    }

    @Test("Whoever writes the XML chooses its prefixes")
    func prefixes() throws {
        var zip = ZipFile()
        zip.add("word/document.xml", Array("<d:document xmlns:d='x'><d:p><d:t>a</d:t></d:p></d:document>".utf8))
        #expect(try TextExtraction.text(of: zip.finished(), as: .docx) == "a\n")
    }

    private static let note =
        "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>n</text:p></text:note-body></text:note>"

    @Test("The main part of a Word document may have another name, which its relationships say")
    func otherMainPart() throws {
        var zip = ZipFile()
        let type = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
        let other = "<Relationship Id='2' Type='x/core-properties' Target='core.xml'/>"
        let main = "<Relationship Id='1' Type='\(type)' Target='/word/document2.xml'/>"
        zip.add("_rels/.rels", Array("<Relationships>\(main)\(other)</Relationships>".utf8))
        zip.add("word/document2.xml", Array("<w:document xmlns:w='x'>\(Self.p(Self.r("a")))</w:document>".utf8))

        #expect(try TextExtraction.text(of: zip.finished(), as: .docx) == "a\n")
    }

    @Test(
        "An OpenDocument text reads as it looks",
        arguments: [
            ("<text:h>One</text:h>\n<text:p>two <text:span>three</text:span></text:p>", "One\ntwo three\n"),
            ("<text:p>  a\n   b<text:s/><text:s text:c='2'/>c</text:p>", "a b   c\n"),
            ("<text:p>a<text:tab/>b<text:line-break/> c</text:p>", "a\tb\nc\n"),
            ("<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:p>a</text:p>", "a\n"),
            ("<text:p>a<office:annotation><text:p>c</text:p></office:annotation>b</text:p>", "ab\n"),
            ("<text:p>a\(note)b</text:p>", "ab\nn\n"),
            (
                "<text:p><draw:frame><draw:text-box><text:p>box</text:p></draw:text-box><svg:desc>d</svg:desc>"
                    + "</draw:frame>a</text:p>", "a\nbox\n"
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

        #expect(throws: TextError.hasEntities) {
            try TextExtraction.text(of: zip.finished(), as: format)
        }
    }

    @Test("A member that unpacks to a thousand times its size is refused")
    func bombs() {
        for count in [8 << 20, TextLimits.file + 1_000] {
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
        let protected = TextError.protected
        var zip = ZipFile()
        zip.add("word/document.xml", Array("<p/>".utf8), isEncrypted: true)
        #expect(throws: protected) { try TextExtraction.text(of: zip.finished(), as: .docx) }
        let manifest = "<m:manifest xmlns:m='m'><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>"
        #expect(throws: protected) {
            try TextExtraction.text(of: Documents.openDocument("<text:p/>", manifest: manifest), as: .odt)
        }
        let container: [UInt8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]
        #expect(throws: TextError.protectedOrOld) {
            try TextExtraction.text(of: container, as: .docx)
        }
    }

    @Test("What is no document of its kind says what it lacks")
    func missing() {
        var zip = ZipFile()
        zip.add("other.xml", Array("<p/>".utf8))
        #expect(throws: TextError.missing("word/document.xml")) {
            try TextExtraction.text(of: zip.finished(), as: .docx)
        }
        #expect(throws: TextError.missing("content.xml")) {
            try TextExtraction.text(of: zip.finished(), as: .odt)
        }
        var empty = ZipFile()
        empty.add("word/document.xml", [])
        let cut = Array(Documents.word("").dropLast(30))
        for bytes in [empty.finished(), [], Array("no zip".utf8), [0x50, 0x4b, 3, 4], cut] {
            #expect(throws: TextError.self) { try TextExtraction.text(of: bytes, as: .docx) }
        }
    }

    @Test("XML that is broken, too deep, or has endless tags or names is refused")
    func hostileXML() {
        let names = (0..<5_000).map { "<a\($0)/>" }.joined()
        let attributes = (0..<5_000).map { "<a b\($0)=''/>" }.joined()
        let bodies = [
            "<w:p>", "</w:body>", "<w:p>&nbsp;</w:p>", String(repeating: "<w:p>", count: 600), names, attributes,
            "<!--" + String(repeating: "x", count: 3 << 20) + "-->",
            "<a " + (0..<250_000).map { "b\($0)='' " }.joined() + "/>",
        ]
        for body in bodies { #expect(throws: TextError.self) { try word(body) } }
    }

    @Test("A comment or a text of some size is nothing unusual")
    func largeParts() throws {
        let filler = String(repeating: "x", count: 900_000)
        #expect(try word("<!--\(filler)--><w:p><w:r><w:t>\(filler)</w:t></w:r></w:p>") == filler + "\n")
    }
}
