import CueTestSupport
import Foundation
import Testing

@Suite("Story: documents by the names that a writer calls them")
struct NameStory {
    private static func library() throws -> Cue {
        let cue = Cue()
        try cue.initialize("--name", "desk")
        for (number, title) in ["The ferry", "Salt", "Nineteenth of June"].enumerated() {
            try cue.write("My Novel/Chapter \(number + 1) – \(title).md", "chapter \(number + 1)")
        }
        try cue.write("Stories/Café Übergang.md", "the crossing")
        try cue.write("“Poems” – 2026.txt", "a poem")
        try cue.write("-draft.md", "with a hyphen")
        try cue.snapshot()
        return cue
    }

    @Test(
        "A document is found in other letters, by a part of its name, and by a path as the shell gives it",
        arguments: [
            ("Chapter 1", "chapter 1"), ("my novel/chapter 2 - salt", "chapter 2"), ("SALT", "chapter 2"),
            ("\"poems\" - 2026", "a poem"), ("Cafe\u{301} U\u{308}bergang", "the crossing"),
            ("cafe ubergang", "the crossing"), ("../library/Stories/Café Übergang.md", "the crossing"),
            ("./-draft.md", "with a hyphen"), ("LIBRARY/My Novel/Chapter 2 – Salt.md", "chapter 2"),
        ])
    func found(name: String, text: String) throws {
        let cue = try Self.library()

        let shown = try cue.run("cat", name.replacing("LIBRARY", with: cue.library), in: cue.library)

        #expect(shown.code == 0 && shown.text == text, "\(shown)")
        // A program gets the content alone.
        #expect(shown.errors.isEmpty)
    }

    @Test("In a folder of the library a name means what stands there, and a whole path in the library comes first")
    func inFolder() throws {
        let cue = try Self.library()
        try cue.write("My Novel/Notes.md", "of the novel")
        try cue.write("Stories/Notes.md", "of the stories")
        try cue.write("Plan.md", "of all")
        try cue.write("My Novel/Plan.md", "of the novel")
        try cue.snapshot()
        let novel = cue.library + "/My Novel"

        #expect(try cue.run("cat", "Notes.md", in: novel).text == "of the novel")
        #expect(try cue.run("cat", "../Stories/Notes.md", in: novel).text == "of the stories")
        #expect(try cue.run("cat", "Plan.md", in: novel).text == "of all")
        #expect(try cue.run("cat", "./Plan.md", in: novel).text == "of the novel")
        #expect(try cue.run("ls", ".", "--json", in: novel).json["documents"].list.count == 5)
        #expect(try cue.run("ls", "..", "--json", in: novel).json["documents"].list.count == 10)
        // Outside of the library it is no path of it.
        #expect(try cue.run("cat", "../../../etc/passwd", in: novel).code == 1)
    }

    @Test("Deadlines and reminders find a document by the same names: to read it is taken, to write a person is asked")
    func projects() throws {
        let cue = try Self.library()

        #expect(try cue.run("project", "show", "cafe ubergang", in: cue.library).text.contains("Café Übergang"))
        let refused = try cue.run("project", "set", "chapter 2", "--deadline", "2099-12-31", in: cue.library)
        #expect(refused.code == 1 && refused.errors.contains("did you mean My Novel/Chapter 2 – Salt.md?"))
        let asked = try Typing.run(
            cue, ["project", "set", "chapter 2", "--deadline", "2099-12-31"], answers: [("[Y/n] ", "\n")],
            in: cue.library)
        #expect(asked.code == 0 && asked.text.contains("2099-12-31"), "\(asked.text)")
        let path = cue.library + "/My Novel/Chapter 2 – Salt.md"
        #expect(try cue.run("nudge", "--snooze", path, "1h", in: cue.library).code == 0)
        let none = try cue.run("project", "show", "no such thing", in: cue.library)
        #expect(none.code == 1 && none.errors.contains("nothing in this library is called no such thing"))
    }

    @Test("Where several fit, all are named and none is taken; what nothing fits is told from typing errors")
    func several() throws {
        let cue = try Self.library()

        let several = try cue.run("log", "chapter", "--library", cue.library)
        let none = try cue.run("log", "Sonnets", "--library", cue.library)

        #expect(several.code == 1 && several.errors.contains("may be any of 3 documents"), "\(several.errors)")
        #expect(several.errors.contains("My Novel/Chapter 3 – Nineteenth of June.md"))
        #expect(none.code == 1 && none.errors.contains("nothing in the vault is called Sonnets"), "\(none.errors)")
    }

    @Test("A renamed document is found under its former name, and a terminal is told what it is called now")
    func former() throws {
        let cue = try Self.library()
        try cue.shell("mv 'library/Stories/Café Übergang.md' 'library/Stories/Late.md'")
        try cue.snapshot()

        let program = try cue.run("cat", "Café Übergang", "--library", cue.library)
        let person = try Typing.run(cue, ["cat", "cafe uber", "--library", cue.library], answers: [])

        #expect(program.code == 0 && program.text == "the crossing", "\(program)")
        #expect(
            person.code == 0 && person.text.contains("Stories/Café Übergang.md is called Stories/Late.md since"),
            "\(person.text)")
        #expect(person.text.contains("(desk)") && person.text.contains("the crossing"))
    }

    @Test("A command that writes asks before it takes another name than was typed")
    func asked() throws {
        let cue = try Self.library()
        func restore(_ name: String, to place: String, _ question: String, _ keys: String) throws -> Running.Result {
            try Typing.run(
                cue, ["restore", name, "--library", cue.library, "--to", cue.folder.appending(place)],
                answers: [(question, keys)])
        }

        let program = try cue.run("restore", "chapter 1", "--library", cue.library, "--to", cue.folder.appending("a"))
        let yes = try restore("chapter 1", to: "b", "[Y/n] ", "\n")
        let no = try restore("chapter 1", to: "c", "[Y/n] ", "n\n")
        let second = try restore("chapter", to: "d", "none] ", "2\n")
        let none = try restore("chapter", to: "e", "none] ", "\n")

        #expect(program.code == 1 && program.errors.contains("did you mean My Novel/Chapter 1 – The ferry.md?"))
        #expect(yes.code == 0 && cue.folder.exists("b/My Novel/Chapter 1 – The ferry.md"), "\(yes.text)")
        #expect(yes.text.contains("Do you mean My Novel/Chapter 1 – The ferry.md? [Y/n]"))
        #expect(no.code == 1 && no.text.contains("nothing was changed"), "\(no.text)")
        #expect(second.code == 0 && cue.folder.exists("d/My Novel/Chapter 2 – Salt.md"), "\(second.text)")
        #expect(none.code == 1 && none.text.contains("nothing was changed"), "\(none.text)")
        for place in ["a", "c", "e"] { #expect(!cue.folder.exists(place)) }
    }

    @Test("A folder is a name too: ls lists the documents in it, log the snapshots that changed them")
    func folders() throws {
        let cue = try Self.library()
        try cue.write("Stories/New.md", "new")
        let second = try cue.snapshot()
        try cue.write("My Novel/Chapter 2 – Salt.md", "chapter 2, and more")
        let third = try cue.snapshot()

        let listed = try cue.run("ls", "my novel", "--library", cue.library, "--json")
        let novel = try cue.run("log", "My Novel", "--library", cue.library, "--json")
        let stories = try cue.run("log", "Stories", "--library", cue.library, "--json")

        #expect(
            listed.json["documents"].list.map { $0["path"].string } == [
                "My Novel/Chapter 1 – The ferry.md", "My Novel/Chapter 2 – Salt.md",
                "My Novel/Chapter 3 – Nineteenth of June.md",
            ], "\(listed)")
        #expect(novel.json["snapshots"].list.map { $0["snapshot"].string }.first == third, "\(novel)")
        #expect(novel.json["snapshots"].list.map { $0["changes"].int } == [1, 3])
        #expect(stories.json["snapshots"].list.map { $0["snapshot"].string }.first == second, "\(stories)")
    }
}
