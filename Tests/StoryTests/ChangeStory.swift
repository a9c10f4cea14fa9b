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

    @Test("A backup and a sync name what they stored, brought, renamed and removed, with who did it and the way back")
    func named() throws {
        let (cue, _) = try Self.library()
        let laptop = cue.folder.appending("laptop")
        try cue.shell("mkdir laptop")
        #expect(try cue.run("init", laptop, "--vault", cue.vault, "--name", "lap").code == 0)
        #expect(try cue.run("sync", laptop).code == 0)
        try cue.shell(
            """
            cd laptop; echo more >> Novel/One.md; mv Novel/Two.md Novel/Zwei.md; rm Poem.txt; echo new > "It's new.md"
            """)
        let there = try cue.run("sync", laptop, "--allow-deletions")
        try cue.shell("mv library/Novel/Two.md library/Novel/Deux.md")
        let here = try cue.run("sync", cue.library, "--allow-deletions")

        for line in [
            "  changed   Novel/One.md", "  renamed   Novel/Two.md is now Novel/Zwei.md", "  new       It's new.md",
            "  deleted   Poem.txt (`cue restore Poem.txt --library \(laptop)` brings it back)",
        ] { #expect(there.text.contains(line + "\n"), "\(there.text)") }
        for line in [
            "  renamed   Novel/Two.md is now Novel/Deux.md",
            "  removed   Poem.txt (lap deleted it; `cue restore Poem.txt --library \(cue.library)` brings it back)",
            "  received  Novel/One.md (lap)", "  received  It's new.md (lap)",
        ] { #expect(here.text.contains(line + "\n"), "\(here.text)") }
        // One of the two names counts on all devices, whichever it is.
        let both =
            "  renamed   Novel/Two.md became Novel/Deux.md here, and Novel/Zwei.md elsewhere: it is Novel/Zwei.md now"
        #expect(here.text.contains(both) == cue.folder.exists("library/Novel/Zwei.md"), "\(here.text)")
        #expect(try cue.run("restore", "Poem.txt", "--library", cue.library).code == 0)
    }

    @Test("No more than ten documents are named, and of a first backup none")
    func many() throws {
        let cue = Cue()
        try cue.initialize()
        for number in 1...15 { try cue.write("\(number).md", "first") }
        let first = try cue.run("backup", cue.library)
        for number in 1...15 { try cue.write("\(number).md", "second, longer") }
        let second = try cue.run("backup", cue.library)

        #expect(first.text.split(separator: "\n").count == 1, "\(first.text)")
        #expect(second.text.split(separator: "\n").count == 12, "\(second.text)")
        #expect(second.text.hasSuffix("  and 5 other documents; `cue show` names all that is stored\n"))
    }

    @Test("A document that got another time alone is stored, and counts as no change; a renamed one is renamed alone")
    func notChanged() throws {
        let (cue, _) = try Self.library()
        try cue.shell("touch -d '2026-01-01 12:00' library/Poem.txt")

        let told = try cue.run("backup", cue.library)
        try cue.shell("touch -d '2026-01-02 12:00' library/Poem.txt; touch library/Novel")
        let synced = try cue.run("sync", cue.library)
        try cue.shell("touch -d '2026-01-03 12:00' library/Poem.txt")
        let json = try cue.backup().json
        try cue.shell("mv library/Poem.txt library/Song.txt; touch -d '2026-01-04 12:00' library/Song.txt")
        let renamed = try cue.backup().json

        #expect(told.text.contains("3 documents, 1 changed only in times or rights, "), "\(told.text)")
        #expect(told.text.split(separator: "\n").count == 1, "\(told.text)")
        #expect(synced.text.contains("1 changed only in times or rights"), "\(synced.text)")
        #expect(json["touched"].int == 1 && json["changed"].int == 0, "\(json)")
        #expect(renamed["renamed"].int == 1 && renamed["changed"].int == 0, "\(renamed)")
        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.differences("library", "out") == "")
    }

    @Test("A document that was deleted by mistake and restored is no change, as a file and as a bundle")
    func backAgain() throws {
        let (cue, _) = try Self.library()
        try cue.write("Book.rtfd/TXT.rtf", "{\\rtf1 one}")
        try cue.write("Book.rtfd/a.png", "a picture")
        try cue.snapshot()
        try cue.shell("rm -r library/Poem.txt library/Book.rtfd library/Novel/One.md")

        let back = try cue.start(["restore", "Poem.txt", "Book.rtfd", "Novel/One.md"], in: cue.library).result()
        let status = try cue.run("status", "--json", in: cue.library).json

        #expect(back.code == 0, "\(back)")
        #expect(status["changed"].list.isEmpty && status["gone"].list.isEmpty, "\(status)")
        // The folders have another time, as documents went and came: no document has.
        let next = try cue.backup().json
        #expect(["new", "changed", "touched", "removed"].allSatisfy { next[$0].int == 0 }, "\(next)")

        // What is written from here on is seen, also in the same size.
        try cue.write("Book.rtfd/TXT.rtf", "{\\rtf1 two}")
        try cue.write("Poem.txt", "b poem")
        let written = try cue.run("status", "--json", in: cue.library).json
        #expect(written["changed"].list.map(\.string).sorted() == ["Book.rtfd", "Poem.txt"], "\(written)")
    }

    @Test("A bundle that could not be restored is not taken for restored: the next backup stores what stands there")
    func notRestored() throws {
        let cue = Cue()
        try cue.initialize()
        func save(_ text: String, _ notes: String) throws {
            try cue.write("Book.rtfd/TXT.rtf", text)
            try cue.write("Book.rtfd/notes.txt", notes)
            try cue.shell("find library/Book.rtfd -exec touch -d '2026-01-01 12:00' {} +")
            try cue.snapshot()
        }
        try save("one", "short")
        let packs = try cue.objects(in: "packs")
        try save("two", Cue.inPack("much longer"))
        let newest = try cue.objects(in: "packs").filter { !packs.contains($0) }
        try #expect(cue.run("restore", "Book.rtfd", "--version", "latest~1", in: cue.library).code == 0)
        for pack in newest { try cue.shell("printf damaged. | dd of='vault/\(pack)' bs=1 seek=70 conv=notrunc") }

        let failed = try cue.start(["restore", "Book.rtfd"], in: cue.library).result()
        let next = try cue.backup().json

        #expect(failed.code == 6, "\(failed)")
        #expect(next["changed"].int == 1, "\(next)")
        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.differences("library", "out") == "")
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
