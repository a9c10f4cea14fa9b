import CueTerminal
import Testing

@testable import CueCLI

@Suite("Lines on a terminal")
struct LineWrapTests {
    @Test("A line breaks between words, and what follows begins further in")
    func words() {
        let lines = LineWrap.lines(of: "  waiting   02 Salt.md  (changed, last synced 16 s ago)", width: 30, hang: 2)

        #expect(
            lines.map(\.text) == ["  waiting   02 Salt.md", "    (changed, last synced 16 s", "    ago)"])
        #expect(LineWrap.lines(of: "fits as it is  with two spaces", width: 30).map(\.text).count == 1)
    }

    @Test("A command is never broken: what does not fit gets a line of its own, and may go beyond its end")
    func commands() {
        let hint: Line = "say so with `cue restore 'My Novel/02 Salt.md' --overwrite`, or not"

        #expect(
            LineWrap.lines(of: hint, width: 40, hang: 2).map(\.text) == [
                "say so with", "  `cue restore 'My Novel/02 Salt.md' --overwrite`,", "  or not",
            ])
        #expect(LineWrap.lines(of: "  cue resolve --undo 'My Novel/02 Salt.md'", width: 20).count == 1)
        // One backtick begins no command.
        #expect(LineWrap.lines(of: "a ` b c d e f", width: 6).map(\.text) == ["a ` b", "c d e", "f"])
    }

    @Test("Wide characters take two columns, and a text without spaces breaks between them, not before a full stop")
    func wide() {
        let lines = LineWrap.lines(of: "灯台守は海を見ていた。霧が", width: 20).map(\.text)

        #expect(lines == ["灯台守は海を見てい", "た。霧が"])
        #expect(lines.allSatisfy { $0.columns <= 20 })
        #expect("e\u{301}🌱".columns == 3)
        #expect(LineWrap.lines(of: "見ていたいた。", width: 12).map(\.text) == ["見ていたい", "た。"])
    }

    @Test("A part that stands out does so on each of its lines, and codes take no room")
    func roles() {
        let line: Line = "one \("two three four", .added) \(dim: "five")"

        let lines = LineWrap.lines(of: line, width: 9)

        #expect(lines.map(\.text) == ["one two", "three", "four five"])
        #expect(lines[1].drawn(inColour: true) == "\u{1b}[32mthree\u{1b}[0m")
        #expect(lines.map { $0.drawn(inColour: false) } == lines.map(\.text))
        #expect(line.split == [line])
        #expect(("a\nb" as Line).split == ["a", "b"])
    }
}
