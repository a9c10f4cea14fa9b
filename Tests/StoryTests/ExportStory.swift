import CueTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

@Suite("Story: drafts to read, outside of cue")
struct ExportStory {
    private static func library() throws -> Cue {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Novel/Part 1/Letter.rtf", #"{\rtf1\ansi Dear *reader*,\par - the sea\par}"#)
        try cue.write("Novel/Chapter 1 – The ferry.md", "# The ferry\n\nfirst\n")
        try cue.write("Novel/Poem.txt", "a line\nanother\n")
        try cue.write("Novel/Poem.md", "another poem\n")
        try cue.write("Novel/cover.png", Cue.inPack("no text"))
        try cue.snapshot()
        return cue
    }

    private static func export(_ cue: Cue, _ words: String...) throws -> Running.Result {
        try cue.start(["export"] + words + ["--library", cue.library]).result()
    }

    private static func files(_ cue: Cue, _ folder: String) throws -> [String] {
        try cue.shell("cd \"$1\" && find . -type f | sed 's|^./||' | LC_ALL=C sort", folder).text
            .split(separator: "\n").map(String.init)
    }

    @Test("A folder becomes a tree of texts; what is there is never replaced, and the same text is not written twice")
    func folder() throws {
        let cue = try Self.library()

        let first = try Self.export(cue, "Novel", "--to", "out")

        #expect(first.code == 0, "\(first.errors)")
        let names = ["Chapter 1 – The ferry", "Part 1/Letter", "Poem (md)", "Poem (txt)"].map { "Novel/\($0).txt" }
        #expect(try Self.files(cue, "out") == names)
        #expect(try cue.folder.read("out/Novel/Part 1/Letter.txt") == "Dear *reader*,\n- the sea\n")
        #expect(first.text.contains("passed over  Novel/cover.png: it holds no text that cue reads"), "\(first.text)")

        try cue.folder.write("out/Novel/Poem (md).txt", "notes of the writer")
        let again = try Self.export(cue, "Novel", "--to", "out", "--json")

        #expect(again.code == 0 && again.json["kept"].int == 3 && again.json["files"].int == 1, "\(again.text)")
        #expect(again.json["written"].list.map { $0["taken"].string } == ["Novel/Poem (md).txt"])
        #expect(try cue.folder.read("out/Novel/Poem (md).txt") == "notes of the writer")
        let beside = try #require(try Self.files(cue, "out").first { $0.hasPrefix("Novel/Poem (md), ") })
        #expect(try cue.folder.read("out/" + beside) == "another poem\n")
        #expect(try Self.export(cue, "Novel", "--to", "out", "--json").json["kept"].int == 4)
    }

    @Test("As Markdown scenes have headings, paragraphs stand apart, and what was typed is shown as it was typed")
    func markdown() throws {
        let cue = try Self.library()
        let binder = """
            <ScrivenerProject><Binder><BinderItem UUID="A" Type="Text"><Title>The *cellar*</Title></BinderItem>
            <BinderItem UUID="B" Type="Text"><Title>Dawn</Title></BinderItem></Binder></ScrivenerProject>
            """
        try cue.write("Salt.scriv/Salt.scrivx", binder)
        try cue.write("Salt.scriv/Files/Data/A/content.rtf", #"{\rtf1\ansi One\par 2. Two\par}"#)
        try cue.write("Salt.scriv/Files/Data/B/content.rtf", #"{\rtf1\ansi Three\par}"#)
        try cue.snapshot()

        #expect(try Self.export(cue, "Salt", "--to", "out").code == 0)
        #expect(try Self.export(cue, "Salt", "--to", "out", "--as", "md").code == 0)
        #expect(try Self.export(cue, "Chapter 1 – The ferry", "--to", "out", "--as", "md").code == 0)

        #expect(try cue.folder.read("out/Salt.txt") == "The *cellar*\n\nOne\n2. Two\n\nDawn\n\nThree\n")
        #expect(try cue.folder.read("out/Salt.md") == "# The \\*cellar\\*\n\nOne\n\n2\\. Two\n\n# Dawn\n\nThree\n")
        #expect(try cue.folder.read("out/Chapter 1 – The ferry.md") == "# The ferry\n\nfirst\n")
    }

    @Test(
        "Every draft gets a file, in the order in which they were written, and none if its text is that of the one before"
    )
    func allVersions() throws {
        let cue = try Self.library()
        try cue.rename("library/Novel/Chapter 1 – The ferry.md", "library/Novel/The ferry.md")
        try cue.snapshot()
        try cue.write("Novel/The ferry.md", "second\n")
        let second = try cue.snapshot()
        try cue.shell("touch -d 2030-01-01 'library/Novel/The ferry.md'")
        try cue.snapshot()
        try cue.write("Novel/The ferry.md", "third\n")
        try cue.snapshot()
        try cue.remove("library/Novel/Poem.txt")
        try cue.snapshot()

        let all = try Self.export(cue, "Novel", "--to", "all", "--all-versions")
        let until = try Self.export(cue, "The ferry", "--to", "until", "--all-versions", "--at", second, "--json")
        let now = try Self.export(cue, "Novel", "--to", "now", "--json")

        #expect(all.code == 0, "\(all.errors)")
        let drafts = try Self.files(cue, "all")
        let texts = try drafts.filter { $0.contains("ferry") }.map { try cue.folder.read("all/" + $0) }
        #expect(texts == ["# The ferry\n\nfirst\n", "second\n", "third\n"], "\(drafts)")
        #expect(drafts.contains { $0.contains("Poem (txt), ") })
        // Run again it finds what it wrote, also after another draft, of another second.
        try cue.shell("sleep 1.1")
        try cue.write("Novel/The ferry.md", "fourth\n")
        try cue.snapshot()
        #expect(
            try Self.export(cue, "Novel", "--to", "all", "--all-versions", "--json").json["written"].list.count == 1)
        #expect(all.text.contains("passed over  Novel/cover.png: "), "\(all.text)")
        #expect(until.json["files"].int == 2, "\(until.text)")
        #expect(now.json["files"].int == 3, "\(now.text)")
    }

    @Test(
        "A picture alone is refused, the vault is no place for drafts, and in a library a warning says that they count")
    func refused() throws {
        let cue = try Self.library()

        let picture = try Self.export(cue, "cover.png", "--to", "out")
        let vault = try Self.export(cue, "Poem.md", "--to", cue.vault + "/x")
        #expect(try Self.export(cue, "", "--to", "out").code == 2)
        let inside = try Self.export(cue, "Poem.md", "--to", cue.library + "/Drafts")
        try cue.shell("mkdir linked elsewhere && ln -s ../elsewhere linked/Novel")
        let linked = try Self.export(cue, "Novel", "--to", "linked")

        #expect(picture.code == 1 && picture.errors.contains("no text that cue reads"), "\(picture.errors)")
        #expect(!cue.folder.exists("out"))
        #expect(vault.code == 1 && vault.errors.contains("inside the vault"), "\(vault.errors)")
        #expect(inside.code == 0 && inside.errors.contains("next backup stores these drafts too"), "\(inside.errors)")
        #expect(linked.code == 3 && linked.errors.contains("Poem.md: it cannot be written"), "\(linked.errors)")
        #expect(try Self.files(cue, "elsewhere") == [] && Self.files(cue, "linked") == [])
    }

    @Test("A name of 255 bytes and two versions in conflict both get names that a disk takes")
    func names() throws {
        let cue = try Self.library()
        let long = String(repeating: "ä", count: 126)
        try cue.write("\(long).md", "long")
        try cue.write("\u{1b}[2J.md", "hostile")
        #expect(try cue.run("sync", cue.library).code == 0)
        let other = try SecondDevice(cue)
        #expect(try other.sync().code == 0)
        try cue.write("Novel/Poem.md", "here")
        #expect(try cue.run("sync", cue.library).code == 0)
        try cue.shell("echo there > other/Novel/Poem.md")
        #expect(try other.sync().code == 4)

        let result = try Self.export(cue, ".", "--to", "out")
        let all = try Self.export(cue, ".", "--to", "all", "--all-versions")

        #expect(result.code == 0 && all.code == 0, "\(result.errors)\(all.errors)")
        #expect(!result.text.contains("\u{1b}"))
        let files = try Self.files(cue, "out")
        #expect(files.contains { $0.hasPrefix("ää") && $0.hasSuffix(".txt") })
        let poems = try files.filter { $0.hasPrefix("Novel/Poem (md)") || $0.hasPrefix("Novel/Poem (") }
            .map { try cue.folder.read("out/" + $0) }
        #expect(Set(poems) == ["here\n", "there\n", "a line\nanother\n"], "\(files)")
    }

    @Test("Damage in the vault is named, and everything else is exported")
    func damage() throws {
        let cue = try Self.library()
        let packs = try cue.objects(in: "packs")
        try cue.write("Later.md", "later")
        try cue.snapshot()
        for pack in packs { try cue.remove("vault/" + pack) }

        let result = try cue.run("export", ".", "--to", "out", "--vault", cue.vault, "--json")

        #expect(result.code == 6, "\(result.text)")
        #expect(result.json["written"].list.map { $0["path"].string } == ["Later.txt"], "\(result.text)")
        #expect(result.json["failed"].list.map { $0["path"].string }.contains("Novel/Poem.md"), "\(result.text)")
    }

    @Test("An export of many drafts that is killed leaves nothing behind after the next one, which goes on from there")
    func killed() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.shell("for n in $(seq 300); do echo \"draft $n\" > library/$n.md; done")
        try cue.snapshot()
        let export = ["export", ".", "--to", "out", "--library", cue.library]
        let running = try cue.start(export)
        // Some are unfinished now, or it has just ended.
        while running.isRunning, try cue.shell("[ $(ls -A out 2>/dev/null | wc -l) -gt 2 ]").code != 0 {}
        running.send(SIGKILL)
        _ = try running.result()

        let next = try cue.start(export + ["--json"]).result()

        #expect(next.code == 0 && next.json["documents"].int == 300, "\(next.text)\(next.errors)")
        #expect(next.json["files"].int + next.json["kept"].int == 300, "\(next.text)")
        #expect(try Self.files(cue, "out").count == 300)
        #expect(try cue.folder.read("out/77.txt") == "draft 77\n")
    }
}
