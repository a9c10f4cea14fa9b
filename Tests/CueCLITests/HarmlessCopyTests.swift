import Testing

@testable import CueCLI

@Suite("Copies that a desktop may open")
struct HarmlessCopyTests {
    @Test("A text or document keeps its name")
    func documents() {
        for name in ["Essay.md", "Ode an die Freude.txt", "Letter.DOCX", "a.b.rtf", ".hidden.md"] {
            #expect(HarmlessCopy.name(Array(name.utf8), isFolder: false) == name)
        }
    }

    @Test(
        "What a desktop might run, or a browser load, becomes a text",
        arguments: [
            "run.sh", "App.desktop", "page.html", "x.svg", "setup.exe", "no ending", "md", "Essay.md.", "a.", ".md ",
            "x.py",
        ])
    func others(name: String) {
        #expect(HarmlessCopy.name(Array(name.utf8), isFolder: false) == name + ".txt")
    }

    @Test("A name that is long, or holds what cannot be shown, is one that can be made and typed")
    func oddNames() {
        let long = HarmlessCopy.name([UInt8](repeating: 0x61, count: 250) + Array(".md".utf8), isFolder: false)
        #expect(long.utf8.count <= 255 && long.hasSuffix("a.md"))
        #expect(HarmlessCopy.name([0xff, 0x0a, 0x1b], isFolder: false) == "\\xff\\n\\x1b.txt")
        #expect(HarmlessCopy.name("a/b\u{202e}c") == "a-b\\xe2\\x80\\xaec")
        #expect(HarmlessCopy.name(Array("Novel.scriv".utf8), isFolder: true) == "Novel.scriv")
    }
}

@Suite("A text in pieces on a terminal")
struct TerminalPageTests {
    @Test("Wherever it is cut, the same is shown")
    func cuts() {
        let text = Array("erste Zeile, größer\n\u{9b}zweite\t\u{202e}Zeile\r\nohne Ende: \u{1f4d6}".utf8)
        var whole = TerminalPage()
        let expected = whole.shown(text.span) + whole.rest

        for cut in 0...text.count {
            var page = TerminalPage()
            var shown = page.shown(text.span.extracting(0..<cut))
            shown += page.shown(text.span.extracting(cut..<text.count))
            #expect(shown + page.rest == expected)
        }
        #expect(expected == "erste Zeile, größer\n\\xc2\\x9bzweite\t\\xe2\\x80\\xaeZeile\nohne Ende: \u{1f4d6}")
    }

    @Test("A line without an end is shown in parts, and no character is torn")
    func longLine() {
        let line = Array(String(repeating: "ä", count: 100_000).utf8)
        var page = TerminalPage()
        var shown = ""
        for start in stride(from: 0, to: line.count, by: 999) {
            shown += page.shown(line.span.extracting(start..<min(line.count, start + 999)))
        }
        #expect(shown + page.rest == String(repeating: "ä", count: 100_000))
        #expect(!shown.isEmpty)
    }
}
