import CueTestSupport
import Foundation
import Testing

@Suite("Story: reading what was written")
struct ReadingStory {
    private static func library() throws -> Cue {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Letter.rtf", #"{\rtf1\ansi{\fonttbl{\f0 Georgia;}}\f0 Dear reader,\par the sea\par}"#)
        try cue.write("Lighthouse.rtfd/TXT.rtf", #"{\rtf1\ansi A lamp\par}"#)
        try cue.write("Plain.md", "# Plain\n\nas it is\n")
        try cue.write("Picture.png", "no text")
        try cue.snapshot()
        return cue
    }

    @Test("On a terminal cat prints the text of a document, on a pipe its bytes; --text and --raw choose")
    func cat() throws {
        let cue = try Self.library()
        func terminal(_ words: String...) throws -> Running.Result {
            try Typing.run(cue, ["cat"] + words, answers: [], in: cue.library)
        }

        #expect(try terminal("Letter.rtf").text == "Dear reader,\nthe sea\n")
        #expect(try terminal("Lighthouse.rtfd").text == "A lamp\n")
        #expect(try terminal("Lighthouse.rtfd:TXT.rtf").text == "A lamp\n")
        #expect(try terminal("Plain.md").text == "# Plain\n\nas it is\n")
        #expect(try terminal("Letter.rtf", "--raw").text.hasPrefix(#"{\rtf1\ansi"#))
        #expect(try cue.run("cat", "Letter.rtf", in: cue.library).text.hasPrefix(#"{\rtf1\ansi"#))
        #expect(try cue.run("cat", "Letter.rtf", "--text", in: cue.library).text == "Dear reader,\nthe sea\n")
        #expect(try cue.run("cat", "Lighthouse.rtfd", "--text", in: cue.library).text == "A lamp\n")
        let bundle = try cue.run("cat", "Lighthouse.rtfd", in: cue.library)
        #expect(bundle.code == 1 && bundle.errors.contains("--text"), "\(bundle.errors)")
        // In any window a long paragraph stays as it is, but for its line ends.
        try cue.write("Long.md", String(repeating: "word ", count: 30_000) + "\n")
        try cue.snapshot()
        let long = try terminal("Long.md").text
        #expect(long.split { $0 == " " || $0 == "\n" }.count == 30_000 && !long.contains("wordw"))
        let picture = try cue.run("cat", "Picture.png", "--text", in: cue.library)
        #expect(picture.code == 1 && picture.errors.contains("no text that cue reads"), "\(picture.errors)")
        #expect(try cue.run("cat", "Picture.png", in: cue.library).text == "no text")
        #expect(try cue.run("cat", "Letter.rtf", "--text", "--raw", in: cue.library).code == 2)
    }
}
