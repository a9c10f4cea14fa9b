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

    @Test("A scene of a Scrivener project is printed and brought back by its title")
    func scene() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.shell("cp -R '\(Project.root)/fixtures/library/Novel.scriv' library/")
        try cue.snapshot()
        let place = "library/Novel.scriv/Files/Data/3555BD8F-DC1D-59C0-B299-E6B3C58F6221/content.rtf"
        let before = try cue.folder.read(place)
        try cue.folder.write(place, "{\\rtf1 all of it cut}")
        try cue.snapshot()

        let now = try cue.run("cat", "Novel:names of the PLACES", "--text", in: cue.library)
        let back = try cue.start(
            ["restore", "Novel", "--file", "Research / Names of the places", "--version", "latest~1"], in: cue.library
        ).result()
        let unknown = try cue.start(["restore", "Novel", "--file", "No such scene"], in: cue.library).result()

        #expect(now.text == "all of it cut\n", "\(now)")
        #expect(back.code == 0, "\(back)")
        #expect(try cue.folder.read(place) == before)
        #expect(unknown.code == 1 && unknown.errors.contains("holds no file No such scene"), "\(unknown)")
        #expect(unknown.errors.contains("a scene of Scrivener is called by its title"), "\(unknown)")
    }
}
