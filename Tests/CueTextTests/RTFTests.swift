import CueText
import Testing

@Suite("RTF")
struct RTFTests {
    /// The text of a document that has nothing in front of `body`.
    private func text(_ body: String, header: String = #"\ansi\ansicpg1252\deff0"#) throws -> String {
        let text = try TextExtraction.text(of: "{\\rtf1\(header)\n\(body)}", as: .rtf)
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    @Test("A page of TextEdit reads as it looks: no fonts, no picture, no address of a link")
    func cocoa() throws {
        let text = try TextExtraction.text(of: Documents.cocoa, as: .rtf)

        #expect(text == "The lamp went out.\n\n“Naïve,” he said — and 💪 turned.\n\nThe end of it.\n")
    }

    @Test(
        "Control words that are characters become them",
        arguments: [
            (#"a\par b\line c\tab d"#, "a\nb\nc\td"), (#"a\emdash b\endash c\bullet\~d"#, "a—b–c•\u{a0}d"),
            (#"\lquote a\rquote  \ldblquote b\rdblquote"#, "‘a’ “b”"), (#"re\-mark\_able"#, "remark\u{2011}able"),
            (#"\{a\}\\b"#, #"{a}\b"#), ("a\\\nb\\\r\nc\n d\r\n", "a\nb\nc d"), (#"a\cell b\cell\row c"#, "a\tb\t\nc"),
            ("tab\there", "tab\there"), (#"a\page b\page\sect c"#, "a\nb\nc"), (#"a\u10 ?b\'0dc\'01"#, "a\nb\nc"),
            (#"a\u8232 ?b"#, "a\nb"), (#"a\b b\b0 c\unknownword123 d"#, "abcd"),
            (#"a\b  b"#, "a b"), (#"a\fs24b"#, "ab"),
        ])
    func characters(_ body: String, _ expected: String) throws {
        #expect(try text(body) == expected)
    }

    @Test(
        "Characters in Unicode come once, however many stand behind them for old readers",
        arguments: [
            (#"\u8217?s"#, "’s"), (#"\u8217\'92s"#, "’s"), (#"\uc2\u12354\'82\'a0x"#, "あx"), (#"\uc0\u8217 s"#, "’s"),
            (#"\u-10179?\u-8704?x"#, "😀x"), (#"\u55357\'3f\u56832\'3fx"#, "😀x"), (#"\u128512?x"#, "😀x"),
            (#"\u-10179?x"#, "\u{fffd}x"), (#"\u-8704?x"#, "\u{fffd}x"), (#"\u960{x}"#, "πx"),
            (#"{\uc0\u960}\u960?y"#, "ππy"),
            (#"\u8220\ldblquote x"#, "“x"), (#"\uc1\u960\par y"#, "π\ny"), (#"\u321?\'f3d\u378?"#, "Łódź"),
            (#"\uc3\u960ab\'63d"#, "πd"), (#"\u-3?"#, "\u{fffd}"),
        ])
    func unicode(_ body: String, _ expected: String) throws {
        #expect(try text(body) == expected)
    }

    @Test(
        "Bytes mean what the code page says, and a font's own comes first",
        arguments: [
            (#"\ansi\ansicpg1252"#, #"\'80\'e9\'9e"#, "€éž"), (#"\ansi\ansicpg1250"#, #"\'9c\'b3\'f8"#, "śłř"),
            (#"\ansi\ansicpg1251"#, #"\'cf\'f0\'e8"#, "При"), (#"\ansi\ansicpg1253"#, #"\'e1\'e2"#, "αβ"),
            (#"\ansi\ansicpg1254"#, #"\'fd\'fe\'f0"#, "ışğ"), (#"\ansi\ansicpg1257"#, #"\'e0\'eb"#, "ąė"),
            (#"\mac\ansicpg10000"#, #"\'8e\'d2\'d3\'ca"#, "é“”\u{a0}"), (#"\mac"#, #"\'8e"#, "é"),
            (#"\ansi\ansicpg1255"#, #"\'f9\'ec"#, "של"), (#"\ansi\ansicpg1256"#, #"\'e3"#, "م"),
            (#"\ansi\ansicpg874"#, #"\'a1"#, "ก"), (#"\ansi\ansicpg1258"#, #"\'d0"#, "Đ"), (#"\pc"#, #"\'81"#, "ü"),
            (#"\pca"#, #"\'b5"#, "Á"), (#"\ansi\ansicpg99999"#, #"\'e9"#, "é"),
            (#"\ansi\ansicpg1252{\fonttbl{\f0 A;}{\f1\fcharset204 B;}}"#, #"\f1\'cf\f0\'cf{\f1\'ef}\'ef"#, "ПÏпï"),
            (#"\ansi\ansicpg1252\deff1{\fonttbl\f0 A;\f1\fcharset238 B;}"#, #"\'f8{\f0\'f8\plain\'f8}"#, "řøř"),
            (#"\ansi\ansicpg1252{\fonttbl{\f3\cpg1251 A;}}"#, #"\f3\'cf"#, "П"),
            (#"\ansi\ansicpg932"#, #"\'82\'a0\'41"#, "\u{fffd}A"), (#"\ansi\ansicpg936"#, #"\'c4A\'42"#, "\u{fffd}B"),
        ])
    func codePages(_ header: String, _ body: String, _ expected: String) throws {
        #expect(try text(body, header: header) == expected)
    }

    @Test(
        "What is no text of the document is passed over",
        arguments: [
            #"a{\fonttbl{\f0 Times;}}b"#, #"a{\colortbl;\red1;}b"#, #"a{\stylesheet{\s1 Heading;}}b"#,
            #"a{\info{\title T}{\author A}}b"#, #"a{\pict\pngblip 89504e47}b"#,
            #"a{\object{\*\objdata 01}{\result r}}b"#,
            #"a{\header H}{\footer F}{\headerl H}b"#, #"a{\*\generator Riched20;}b"#, #"a{\*\unknown {deep{er}}}b"#,
            #"{a{{\NeXTGraphic x.png \width1}\'ac}b}"#, #"a{\v hidden}b"#, #"a\v hidden\v0 b"#, #"a\v h\plain b"#,
            #"a{\deleted gone}b"#, #"a{\listtext\tab\bullet\tab}b"#, #"a{\*\bkmkstart x}b"#, #"a\bin5 }{\\\b"#,
            #"a{\pict\bin3 }}}}b"#, #"a{\nonesttables\par}b"#, #"a{\shp{\*\shpinst{\sp{\sn n}{\sv v}}}{\shprslt r}}b"#,
            #"a{\fonttbl{\f0 X{\*\falt Y};}}b"#, #"{\upr{x}{\*\ud a}}b"#, #"a{\upr{{\b x}y}{\*\ud}}b"#,
        ])
    func passedOver(_ body: String) throws {
        #expect(try text(body) == "ab")
    }

    @Test("Of a field only its result is text")
    func fields() throws {
        let body =
            #"{\field{\*\fldinst HYPERLINK "http://x.org"}{\fldrslt {\ul a link}}} and {\field{\fldinst PAGE}{\fldrslt 3}}"#
        #expect(try text(body) == "a link and 3")
    }

    @Test("Footnotes come behind the text, a line each")
    func footnotes() throws {
        let body =
            #"One{\super\chftn}{\footnote\pard\plain {\super\chftn} first note} more.\par Two{\footnote second\par} end."#
        #expect(try text(body) == "One more.\nTwo end.\n first note\nsecond")
    }

    @Test("Text in a shape is text")
    func shapes() throws {
        #expect(try text(#"a{\shp{\*\shpinst\shpleft1{\sp{\sn x}{\sv 1}}{\shptxt boxed}}}"#) == "aboxed")
    }

    @Test("Text in Unicode stands in place of what old readers see")
    func upr() throws {
        #expect(try text(#"{\upr{\'3f\'3f}{\*\ud \u960?\u961?}}."#) == "πρ.")
    }

    @Test("What stands behind the document is no part of it, and a document that is cut off is read as far as it goes")
    func ends() throws {
        #expect(try TextExtraction.text(of: #"{\rtf1 a}b{c"#, as: .rtf) == "a\n")
        #expect(try TextExtraction.text(of: #"{\rtf1 a{\b b\'4"#, as: .rtf) == "ab4\n")
        #expect(try TextExtraction.text(of: #"{\rtf1 a\"#, as: .rtf) == "a\n")
        #expect(try TextExtraction.text(of: #"{\rtf1"#, as: .rtf) == "")
    }

    @Test("What is not RTF, or nested as no program nests it, is refused")
    func refused() {
        #expect(throws: TextError.self) { try TextExtraction.text(of: "plain", as: .rtf) }
        #expect(throws: TextError.self) { try TextExtraction.text(of: "", as: .rtf) }
        let deep = #"{\rtf1"# + String(repeating: "{", count: 100_000)
        #expect(throws: TextError.self) { try TextExtraction.text(of: deep, as: .rtf) }
    }

    @Test("Numbers beyond all bounds do no harm")
    func numbers() throws {
        let huge = String(repeating: "9", count: 1_000)
        for word in ["u", "uc", "bin", "f", "ansicpg", "fcharset", "v", "deff"] {
            _ = try text("a\\\(word)\(huge) b\\\(word)-\(huge) c")
        }
        #expect(try text(#"a\bin99 b"#) == "a")
    }
}
