import CueBase
import CueTestSupport
import CueText
import Foundation

/// Documents as the programs write them, made by hand.
enum Documents {
    private static let wordNamespaces = """
        xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"
        xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"
        """

    static func word(_ body: String, footnotes: String? = nil) -> [UInt8] {
        var zip = ZipFile()
        zip.add("[Content_Types].xml", Array("<Types/>".utf8))
        zip.add("word/document.xml", Array(wordPart("document", "<w:body>\(body)<w:sectPr/></w:body>").utf8))
        if let footnotes { zip.add("word/footnotes.xml", Array(wordPart("footnotes", footnotes).utf8)) }
        return zip.finished()
    }

    private static func wordPart(_ root: String, _ content: String) -> String {
        #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#
            + "\n<w:\(root) \(wordNamespaces)>\(content)</w:\(root)>"
    }

    static func openDocument(_ body: String, manifest: String = "<manifest:manifest xmlns:manifest='m'/>") -> [UInt8] {
        var zip = ZipFile()
        zip.add("mimetype", Array("application/vnd.oasis.opendocument.text".utf8))
        zip.add("META-INF/manifest.xml", Array(manifest.utf8))
        let content = """
            <?xml version="1.0" encoding="UTF-8"?>
            <office:document-content xmlns:office="o" xmlns:text="t" xmlns:draw="d" xmlns:dc="c" xmlns:svg="s">
            <office:body><office:text>\(body)</office:text></office:body></office:document-content>
            """
        zip.add("content.xml", Array(content.utf8))
        return zip.finished()
    }

    static let cocoa = #"""
        {\rtf1\ansi\ansicpg1252\cocoartf2761
        \cocoatextscaling0\cocoaplatform0{\fonttbl\f0\fswiss\fcharset0 Helvetica;\f1\fnil\fcharset0 Menlo-Regular;}
        {\colortbl;\red255\green255\blue255;}
        {\*\expandedcolortbl;;}
        \paperw11900\paperh16840\margl1440\margr1440\vieww11520\viewh8400\viewkind0
        \pard\tx720\tx1440\pardirnatural\partightenfactor0

        \f0\fs24 \cf0 The lamp went out.\
        \
        \'93Na\'efve,\'94 he said \uc0\u8212  and \u55357 \u56490  turned.\
        {{\NeXTGraphic Pasted Graphic.png \width3200 \height2400 \appleattachmentpadding0 \appleembedtype0 \appleaqc
        }¬}\
        \f1 The end{\field{\*\fldinst{HYPERLINK "https://example.org/a"}}{\fldrslt  of it}}.}
        """#

    private static let otherRTF = #"""
        {\rtf1\mac\ansicpg10000\deff1{\fonttbl{\f0\fcharset204 A;}{\f1\fcharset128 B;}}{\upr{x}{\*\ud \u960?}}
        \f0\'cf\f1\'82\'a0{\v h}\bin3 abc\v0{\footnote n}{\*\x y}{\pict 00ff}\trowd a\cell b\cell\row}
        """#

    /// One document of every format, with much of what each can hold.
    static let all: [(format: TextFormat, bytes: [UInt8])] = [
        (.plain, Array("Schöne Grüße,\r\n\tund “so” weiter…\n灯台守\n".utf8)),
        (.markdown, [0xff, 0xfe, 0x41, 0x00, 0x3d, 0xd8, 0xa9, 0xdc, 0x0a, 0x00]),
        (.rtf, Array(cocoa.utf8)),
        (.rtf, Array(otherRTF.utf8)),
        (
            .docx,
            word(
                "<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>Ein &amp; Zwei</w:t><w:tab/><w:br/></w:r>"
                    + "<w:del><w:r><w:delText>x</w:delText></w:r></w:del></w:p>",
                footnotes: "<w:footnote><w:p><w:r><w:t>n</w:t></w:r></w:p></w:footnote>")
        ),
        (
            .odt,
            openDocument(
                "<text:h>One</text:h><text:p>a<text:s text:c='3'/>b<text:tab/><text:note><text:note-citation>1"
                    + "</text:note-citation><text:note-body><text:p>n</text:p></text:note-body></text:note></text:p>")
        ),
    ]

    /// The members of a bundle on the disk, and a way to load them.
    static func members(
        of folder: String
    ) throws -> (members: [DocumentText.Member], load: (RelativePath) throws -> [UInt8]) {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
        let members = try names.compactMap { name -> DocumentText.Member? in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            guard attributes[.type] as? FileAttributeType == .typeRegular else { return nil }
            return (RelativePath(trusted: Array(name.utf8)), (attributes[.size] as? NSNumber)?.int64Value ?? 0)
        }
        return (
            members, { path in [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(Display.text(path))"))) }
        )
    }
}

extension TextExtraction {
    static func text(of text: String, as format: TextFormat) throws(TextError) -> String {
        try self.text(of: Array(text.utf8), as: format)
    }
}
