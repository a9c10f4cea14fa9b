import CueBase
import CueTestSupport
import CueText
import Foundation
import Testing

@Suite("Text of documents")
struct DocumentTextTests {
    /// A document in memory: files by their paths.
    private func sections(_ name: String, _ files: [String: String]) throws -> [TextSection]? {
        let members = files.map { (RelativePath(trusted: Array($0.key.utf8)), Int64($0.value.utf8.count)) }
        return try DocumentText.sections(name: Array(name.utf8), members: members) { path in
            Array(try #require(files[Display.text(path)]).utf8)
        }
    }

    private func section(_ title: String, _ path: String, _ text: String) -> TextSection {
        TextSection(title: title, path: RelativePath(trusted: Array(path.utf8)), text: text)
    }

    private func rtf(_ text: String) -> String { #"{\rtf1\ansi "# + text + "}" }

    private func fixture(_ name: String) throws -> [TextSection]? {
        let (members, load) = try Documents.members(of: Project.root + "/fixtures/library/" + name)
        return try DocumentText.sections(name: Array(name.utf8), members: members, load: load)
    }

    @Test("A file is one part without a title; one in no format that cue reads is none")
    func files() throws {
        #expect(try sections("Ideas.md", ["": "one"]) == [section("", "", "one\n")])
        #expect(try sections("Photo.jpeg", ["": "x"]) == nil)
        #expect(try sections("A file.scriv", ["": "x"]) == nil)
    }

    @Test("A bundle of a program that cue does not know has no text")
    func others() throws {
        #expect(try sections("Book.pages", ["Index.zip": "x"]) == nil)
        #expect(try sections("Folder.txt", ["a.txt": "x"]) == nil)
        #expect(try sections("Empty.rtfd", [:]) == nil)
        #expect(try sections("Empty.scriv", [:]) == nil)
        #expect(try sections("Odd.textbundle", ["text.html": "x", "assets/text.md": "y"]) == nil)
    }

    @Test("The text of an .rtfd is its TXT.rtf, whatever pictures lie beside it")
    func richText() throws {
        let parts = try #require(try fixture("The Lighthouse.rtfd"))

        #expect(parts.map(\.path) == [RelativePath(trusted: Array("TXT.rtf".utf8))])
        #expect(parts[0].text.hasPrefix("The Lighthouse\nThe lamp was lit at 16:40, nine minutes before sunset,"))
        #expect(parts[0].text.contains("be.\n\nThere was no ship."))
        #expect(parts[0].text.contains("“Naïve,” he said aloud"))
        #expect(parts[0].text.contains("another from Kraków in May"))
        #expect(!parts[0].text.contains("¬") && !parts[0].text.contains("\u{fffd}"))
    }

    @Test("The text of a text bundle is its text file")
    func textBundle() throws {
        let files = ["info.json": "{}", "text.md": "# A\n", "text.zip": "x"]
        #expect(try sections("Notes.TextBundle", files) == [section("", "text.md", "# A\n")])
        #expect(try fixture("On keeping drafts.textbundle")?.count == 1)
    }

    @Test("A Scrivener project is its scenes in the order of the binder, under the titles that the writer gave")
    func scrivener() throws {
        let parts = try #require(try fixture("Novel.scriv"))

        #expect(parts.count == 13)
        #expect(parts[0].title == "Part One: The Commission / The letter with no stamp")
        #expect(parts[4].title == "Part Two: The Survey / Old Märta remembers")
        #expect(parts[4].text.hasPrefix("Old Märta was the only person"))
        #expect(parts[12].title == "Research / Names of the places")
        #expect(Display.text(parts[12].path) == "Files/Data/3555BD8F-DC1D-59C0-B299-E6B3C58F6221/content.rtf")
    }

    @Test("A project of Scrivener 2 has its texts elsewhere")
    func olderScrivener() throws {
        let binder = """
            <?xml version="1.0" encoding="UTF-8" standalone="no"?>
            <ScrivenerProject Version="1.0"><Binder>
            <BinderItem ID="0" Type="DraftFolder"><Title>Draft</Title><Children>
            <BinderItem ID="3" Type="Folder"><MetaData/><Children>
            <BinderItem ID="5" Type="Text"><Title>The
               cellar &amp; more</Title></BinderItem>
            <BinderItem ID="4" Type="Text"/></Children><Title>Ch 4</Title></BinderItem></Children></BinderItem>
            <BinderItem ID="9" Type="Image"><Title>Map</Title></BinderItem>
            </Binder><Collections><Collection><Title>Search</Title></Collection></Collections></ScrivenerProject>
            """
        let files = [
            "project.scrivx": binder, "Files/Docs/5.rtf": rtf("five"), "Files/Docs/4.rtfd/TXT.rtf": rtf("four"),
            "Files/Docs/3.rtf": rtf("three"), "Files/Docs/0.rtf": rtf("zero"), "Files/Docs/9.png": "x",
            "Files/Docs/5_synopsis.txt": "s", "Files/Docs/99.rtf": rtf("not in the binder"),
        ]

        let parts = try sections("Old.scriv", files)

        #expect(
            parts == [
                section("Draft", "Files/Docs/0.rtf", "zero\n"), section("Ch 4", "Files/Docs/3.rtf", "three\n"),
                section("Ch 4 / The cellar & more", "Files/Docs/5.rtf", "five\n"),
                section("Ch 4 / Untitled", "Files/Docs/4.rtfd/TXT.rtf", "four\n"),
            ])
    }

    @Test("Of two binders the one with the project's name counts, and two items of one text are one")
    func twoBinders() throws {
        func binder(_ title: String) -> String {
            let item = "<BinderItem UUID='A' Type='Text'><Title>\(title)</Title></BinderItem>"
            return "<ScrivenerProject><Binder>\(item)\(item)</Binder></ScrivenerProject>"
        }
        let files = [
            "A copy.scrivx": binder("copy"), "Novel.scrivx": binder("mine"), "Files/Data/A/content.rtf": rtf("x"),
        ]

        #expect(try sections("Novel.scriv", files)?.map(\.title) == ["mine"])
        #expect(try sections("Renamed.scriv", files)?.map(\.title) == ["copy"])
    }

    @Test("The marks that Scrivener leaves for its styles are no text; what only looks like them is")
    func marks() throws {
        let binder = "<ScrivenerProject><Binder><BinderItem UUID='A'/></Binder></ScrivenerProject>"
        let text = "<$ScrKeepWithNext><$Scr_H::1><$Scr_Ps::0>Title<!$Scr_Ps::0> a < b <$Scroll on> <$Scr <!b>"

        let parts = try sections("N.scriv", ["N.scrivx": binder, "Files/Data/A/content.rtf": rtf(text)])

        #expect(parts?.first?.text == "Title a < b <$Scroll on> <$Scr <!b>\n")
    }

    @Test("A part that cannot be read is an error, and so is one that cannot be loaded")
    func errors() throws {
        struct Unreadable: Error {}
        #expect(throws: TextError.self) { try sections("a.rtf", ["": "x"]) }
        #expect(throws: Unreadable.self) {
            try DocumentText.sections(name: Array("a.md".utf8), members: [(.root, 1)]) { _ in throw Unreadable() }
        }
    }

    @Test("What is larger than cue reads is not loaded")
    func large() {
        let size = Int64(TextLimits.file) + 1
        #expect(throws: TextError.self) {
            try DocumentText.sections(name: Array("a.md".utf8), members: [(.root, size)]) { _ in
                Issue.record("loaded")
                return []
            }
        }
    }
}
