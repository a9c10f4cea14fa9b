import CueTestSupport
import Foundation
import Testing

@Suite("Story: what changed?")
struct ChangeStory {
    private static func library() throws -> (cue: Cue, first: String) {
        let cue = Cue()
        try cue.initialize("--name", "desk")
        try cue.write("Novel/One.md", "the first chapter")
        try cue.write("Novel/Two.md", "the second chapter")
        try cue.write("Poem.txt", "a poem")
        return (cue, try cue.snapshot())
    }

    private static func edit(_ cue: Cue) throws {
        try cue.write("Novel/One.md", "the very first chapter")
        try cue.write("New.md", "three new words")
        try cue.remove("library/Poem.txt")
        try cue.shell("touch -d '2026-01-01 12:00' library/Novel/Two.md")
    }

    @Test(
        "Without a change diff says so, of everything and of a folder; with changes it shows each document and no other"
    )
    func diff() throws {
        let (cue, first) = try Self.library()
        for name in [[], ["Novel"], ["."]] {
            let nothing = try cue.start(["diff"] + name, in: cue.library).result()
            #expect(nothing.code == 0 && nothing.text == "Nothing changed.\n", "\(nothing)")
        }
        try Self.edit(cue)

        let all = try cue.run("diff", "--stat", in: cue.library)
        let folder = try cue.run("diff", "Novel", "--stat", in: cue.library)
        let whole = try cue.run("diff", in: cue.library)
        try #expect(cue.run("backup", cue.library, "--allow-deletions").code == 0)
        let since = try cue.run("diff", ".", first, "--stat", in: cue.library)
        let between = try cue.run("diff", ".", first, "latest", "--stat", "--vault", cue.vault)
        let json = try cue.run("diff", "Novel", first, "--json", in: cue.library)

        let lines = """
              new           +3         words  New.md
              changed       +1         words  Novel/One.md
              gone                  -2 words  Poem.txt
            3 documents changed: 4 words added, 2 removed.
            In 1 document only times or rights changed.

            """
        for told in [all, since, between] { #expect(told.code == 0 && told.text == lines, "\(told)") }
        #expect(
            folder.text.hasPrefix("  changed       +1         words  Novel/One.md\n1 document changed"), "\(folder)")
        #expect(whole.text.contains("{+very") && whole.text.contains("removed: a poem"), "\(whole.text)")
        #expect(json.json["documents"].list.map { $0["path"].string } == ["Novel/One.md"], "\(json)")
        #expect(json.json["touched"].int == 1)
    }

    @Test("show names what a snapshot changed, and backup, log and show count the same")
    func show() throws {
        let (cue, first) = try Self.library()
        try Self.edit(cue)
        try cue.shell("mv library/Novel/Two.md library/Novel/Last.md")
        let backup = try cue.run("backup", cue.library, "--allow-deletions", "--json")

        let last = try cue.run("show", "--json", in: cue.library)
        let begin = try cue.run("show", first, in: cue.library)
        let log = try cue.run("log", "--json", in: cue.library)

        #expect(
            last.json["changes"].list.map { $0["change"].string + " " + $0["path"].string } == [
                "new New.md", "renamed Novel/Last.md", "changed Novel/One.md", "deleted Poem.txt",
            ], "\(last)")
        #expect(last.json["changes"].list.map { $0["added"].int } == [3, 0, 1, 0])
        let counted = ["new", "changed", "renamed", "removed"].map { backup.json[$0].int }.reduce(0, +)
        #expect(counted == 4 && log.json["snapshots"].list.map { $0["changes"].int } == [4, 3], "\(log)\(backup)")
        #expect(begin.text.contains("3 changes: 8 words added, 0 removed."), "\(begin.text)")
    }

    @Test("A version in which only times changed is folded in the log, and --all shows it")
    func touched() throws {
        let (cue, _) = try Self.library()
        for day in 1...3 {
            try cue.shell("touch -d '2026-01-0\(day) 12:00' library/Poem.txt")
            try cue.snapshot()
        }
        try cue.write("Poem.txt", "a longer poem")
        try cue.snapshot()

        let folded = try cue.run("log", "Poem", in: cue.library)
        let all = try cue.run("log", "Poem", "--all", in: cue.library)
        let limited = try cue.run("log", "-l", "2", in: cue.library)

        #expect(folded.text.split(separator: "\n").count == 3, "\(folded.text)")
        #expect(folded.text.contains("and 3 versions in which only times or rights changed: --all shows them"))
        #expect(all.text.split(separator: "\n").count == 5 && !all.text.contains("--all"), "\(all.text)")
        #expect(limited.text.split(separator: "\n").count == 3, "\(limited.text)")
        #expect(try cue.run("log", "-l", "0", in: cue.library).code == 2)
    }
}
