import CueTestSupport
import Foundation
import Testing

@Suite("Story: what was deleted, and what is called otherwise")
struct DeletedStory {
    private static func rows(_ cue: Cue, _ more: String...) throws -> [String] {
        try cue.start(["ls", "--deleted", "--vault", cue.vault, "--json"] + more).result().json["documents"].list.map {
            $0["path"].string
        }
    }

    /// A bundle and a text are deleted, one after the other; another text was, and is there again.
    private static func deleted() throws -> Cue {
        let cue = Cue()
        try cue.write("Novel.scriv/Files/1.rtf", "{\\rtf1 one}")
        for name in ["Poem.md", "Diary.md", "Kept 1.md", "Kept 2.md", "Kept 3.md"] { try cue.write(name, name) }
        try cue.initialize("--name", "desk")
        try cue.snapshot()
        for gone in ["Poem.md", "Diary.md", "Novel.scriv"] {
            try cue.remove("library/" + gone)
            try cue.snapshot()
            try cue.shell("sleep 0.01")
        }
        try cue.write("Diary.md", "a new diary")
        try cue.snapshot()
        return cue
    }

    @Test("What was deleted is listed, the newest first; what is there again is not")
    func listed() throws {
        let cue = try Self.deleted()

        let people = try cue.run("ls", "--deleted", "--vault", cue.vault)
        let programs = try cue.run("ls", "--deleted", "--vault", cue.vault, "--json").json["documents"].list
        let there = try cue.run("ls", "--vault", cue.vault, "--json").json["documents"].list

        let lines = people.text.split(separator: "\n")
        #expect(people.code == 0 && lines.count == 2, "\(people.text)\(people.errors)")
        #expect(lines.first?.hasSuffix("Novel.scriv/") ?? false && lines.last?.hasSuffix("Poem.md") ?? false)
        #expect(programs.map { $0["path"].string } == ["Novel.scriv", "Poem.md"])
        #expect(programs.map { $0["kind"].string } == ["bundle", "file"])
        #expect(programs.allSatisfy { !$0["deleted"].string.isEmpty && $0["device"].string == "desk" })
        #expect(there.allSatisfy { $0["deleted"].string.isEmpty })
        #expect(there.map { $0["path"].string }.contains("Diary.md"))
    }

    @Test("At an earlier time, it lists what was deleted then; a path that was deleted twice stands there once")
    func earlier() throws {
        let cue = try Self.deleted()
        let before = try cue.run("log", "--vault", cue.vault, "--json").json["snapshots"].list.map {
            $0["snapshot"].string
        }
        try cue.remove("library/Diary.md")
        try cue.snapshot()

        #expect(try Self.rows(cue) == ["Diary.md", "Novel.scriv", "Poem.md"])
        #expect(try Self.rows(cue, "--at", before[2]) == ["Diary.md", "Poem.md"])
        #expect(try Self.rows(cue, "--at", before[4]).isEmpty)
        #expect(try cue.run("ls", "Poem", "--deleted", "--vault", cue.vault).code == 2)
    }

    @Test("A file of a bundle that was deleted is said to be gone with it")
    func fileOfDeleted() throws {
        let cue = try Self.deleted()

        let result = try cue.run("cat", "Novel.scriv:Files/1.rtf", "--vault", cue.vault)

        #expect(result.code == 1)
        #expect(result.errors.contains("Novel.scriv was deleted; the vault says so since"), "\(result.errors)")
        let unknown = try cue.run("cat", "Nothing.scriv:Files/1.rtf", "--vault", cue.vault)
        #expect(unknown.errors.contains("nothing in the vault is called Nothing.scriv:Files/1.rtf"))
    }

    @Test("For an unknown name each near one is suggested once, and for a short one only what is nearly it")
    func suggestions() throws {
        let cue = try Self.deleted()
        try cue.remove("library/Diary.md")
        try cue.snapshot()
        for name in ["Ab.md", "Cde.md"] { try cue.write(name, name) }
        try cue.snapshot()

        let twice = try cue.run("cat", "Diari", "--vault", cue.vault).errors
        let short = try cue.run("cat", "Xyz", "--vault", cue.vault).errors
        let near = try cue.run("cat", "Abc", "--vault", cue.vault).errors

        #expect(twice.contains("hint: did you mean Diary.md?\n"), "\(twice)")
        #expect(twice.contains("`cue ls --deleted` what was deleted"), "\(twice)")
        #expect(!short.contains("did you mean") && short.contains("`cue ls` lists what is there"), "\(short)")
        #expect(near.contains("did you mean Ab.md?"), "\(near)")
    }
}
