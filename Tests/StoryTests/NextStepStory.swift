import CueTestSupport
import Foundation
import Testing

@Suite("Story: what cue says is true, and names the next step")
struct NextStepStory {
    private static let nobody = Machine.isRoot ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : ""
    private static let canDropRights = !Machine.isRoot || Machine.has("setpriv")

    @Test("Where all is deleted, restore and ls say so, and the command that they name brings everything back")
    func emptied() throws {
        let cue = Cue()
        try cue.initialize()
        #expect(try cue.run("ls", "--deleted", in: cue.library).text == "Nothing is stored yet: `cue backup`.\n")
        for name in ["One.md", "Two.md"] { try cue.write(name, name) }
        try cue.snapshot()
        #expect(try cue.run("ls", "--deleted", in: cue.library).text == "Nothing is deleted.\n")
        for name in ["One.md", "Two.md"] { try cue.remove("library/" + name) }
        #expect(try cue.run("backup", cue.library, "--allow-deletions").code == 0)

        for command in ["restore", "ls"] {
            let told = try cue.run(command, in: cue.library)
            #expect(told.code == 0 && told.text.contains("newest snapshot: 2 were deleted, the last on "), "\(told)")
            #expect(told.text.contains("`cue restore --at latest~1` brings them back."), "\(told)")
            #expect(!told.text.contains("it is so already") && !told.text.contains("--undo"), "\(told)")
        }
        let outside = try cue.run("ls", "--vault", "vault").text
        #expect(outside.contains("`cue ls --deleted --vault vault`"), "\(outside)")
        #expect(outside.contains("`cue restore --at latest~1 --vault vault --to FOLDER`"), "\(outside)")
        let back = try cue.run("restore", "--at", "latest~1", in: cue.library)
        #expect(back.code == 0, "\(back)")
        #expect(try cue.folder.read("library/One.md") + cue.folder.read("library/Two.md") == "One.mdTwo.md")
    }

    @Test("Diff shows a document that is gone with its words, and tells times and rights from nothing")
    func gone() throws {
        let cue = Cue()
        try cue.initialize()
        for name in ["One.md", "Two.md"] { try cue.write(name, "four words of text") }
        try cue.snapshot()
        try cue.shell("touch -d '2026-01-01 12:00' library/Two.md")
        #expect(try cue.run("diff", "Two", in: cue.library).text.contains("Only times or rights changed.\n"))
        try cue.snapshot()
        try cue.remove("library/One.md")

        let gone = try cue.run("diff", "One", in: cue.library)
        let touched = try cue.run("diff", "Two", "latest~1", in: cue.library)
        let short = try cue.run("diff", "Two", "latest~1", "--stat", in: cue.library)
        let same = try cue.run("diff", "Two", in: cue.library)

        #expect(gone.code == 0 && gone.text.contains("0 words added, 4 removed"), "\(gone)")
        #expect(gone.text.contains("not there"), "\(gone)")
        #expect(touched.text.contains("Only times or rights changed.\n"), "\(touched)")
        #expect(short.text == "Only times or rights changed.\n", "\(short)")
        #expect(same.text.contains("Nothing changed."), "\(same)")
    }

    @Test("Diff compares with the document that had the name then, though it has another one now")
    func namesake() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Old.md", "the old words")
        let first = try cue.snapshot()
        try cue.rename("library/Old.md", "library/New.md")
        try cue.snapshot()
        #expect(try cue.run("restore", "Old", "--at", first, in: cue.library).code == 0)
        try cue.write("Old.md", "the old words and more")
        try cue.snapshot()

        let diff = try cue.run("diff", "Old.md", first, in: cue.library)

        #expect(diff.code == 0 && diff.text.contains("2 words added, 0 removed"), "\(diff)")
    }

    @Test("A document in conflict is none that a sync would bring")
    func conflict() throws {
        let (cue, other) = try SecondDevice.both(["One.md": "One.md", "Two.md": "Two.md"])
        try cue.write("One.md", "edited")
        try cue.remove("other/One.md")
        #expect(try cue.run("sync", cue.library).code == 0)
        #expect(try other.sync().code == 4)

        let status = try cue.run("status", other.library, "--json", environment: other.environment)

        #expect(status.json["only_in_vault"].int == 0 && status.json["conflicts"].strings == ["One.md"], "\(status)")
    }

    @Test("Restore counts what it wrote, and replaces a document of which times alone differ")
    func already() throws {
        let cue = try Cue.small()
        let first = try cue.snapshot()
        try cue.write("Essay.md", "a better essay")
        try cue.snapshot()
        try cue.shell("touch -d '2026-01-01 12:00' library/Essay.md library/Novel.scriv/Files/1.rtf")

        let restored = try cue.run("restore", "--at", first, in: cue.library)

        #expect(restored.code == 0, "\(restored)")
        #expect(restored.text.contains("restored 2 documents to "), "\(restored)")
        #expect(restored.text.contains("; 2 were so already"), "\(restored)")
        #expect(try cue.folder.read("library/Essay.md") == "an essay")
        // Another folder: the same holds where the content is what is asked for.
        #expect(try cue.restore(to: "out").code == 0)
        try cue.shell("touch -d '2026-01-01 12:00' out/Essay.md")
        let again = try cue.restore(to: "out")
        #expect(again.code == 0 && again.json["already"].int == 3, "\(again)")
        // Equal length, other words: that is work.
        try cue.folder.write("out/Essay.md", "my essay")
        #expect(try cue.restore(to: "out").code == 1)
    }

    @Test("Writing that is overdue is said to be that, beside a deadline that is ahead")
    func overdue() throws {
        let cue = Cue()
        try cue.write("Essay.md", "an essay")
        try cue.shell("touch -d '10 days ago' library/Essay.md")
        try cue.initialize()
        try cue.snapshot()
        #expect(try cue.run("project", "set", "Essay", "--deadline", "in 4 days", in: cue.library).code == 0)

        let shown = try cue.run("project", "show", "Essay", in: cue.library)

        #expect(shown.text.contains("status    writing is overdue: the last was on "), "\(shown)")
        #expect(shown.text.contains(/deadline  \S+ \S+, in 4 days/), "\(shown)")
    }

    @Test("Cat of a folder names what lists it and what writes its text", arguments: [[], ["--text"]])
    func folder(more: [String]) throws {
        let cue = try Cue.small()

        let result = try cue.start(["cat", "Poems", "--vault", cue.vault] + more).result()

        #expect(result.code == 1 && result.errors.contains("Poems is a folder"), "\(result)")
        #expect(result.errors.contains("`cue ls Poems`") && result.errors.contains("`cue export Poems --to"))
    }

    @Test(
        "Diff goes on where one document cannot be read, names it, and ends with 3",
        .enabled(if: canDropRights, "root reads everything, and setpriv is not here"))
    func unreadable() throws {
        let cue = try Cue.small()
        for name in ["Essay.md", "Stories/The Clockmaker.md", "New.md"] { try cue.write(name, "other words") }
        if Machine.isRoot { try cue.shell("chown -R 65534:65534 .") }
        try cue.shell("chmod 000 library/Essay.md library/New.md")

        let diff = try cue.shell("cd library && \(Self.nobody) \"$CUE\" diff --stat")
        let one = try cue.shell("cd library && \(Self.nobody) \"$CUE\" diff Essay")

        #expect(diff.code == 3 && diff.text.contains("Stories/The Clockmaker.md"), "\(diff)")
        #expect(
            diff.errors.contains("Essay.md: it cannot be read (") && diff.errors.contains("New.md: it cannot be read (")
        )
        #expect(one.code == 1 && one.errors.contains("Essay.md cannot be read ("), "\(one)")
    }

    @Test(
        "Init of a folder that cannot be written says what is wrong, and makes nothing",
        .enabled(if: canDropRights, "root writes everywhere, and setpriv is not here"))
    func readOnly() throws {
        let cue = try InitStory.empty()
        if Machine.isRoot { try cue.shell("chown -R 65534:65534 .") }
        try cue.shell("chmod a-w library")
        defer { _ = try? cue.shell("chmod u+w library") }

        let result = try cue.shell("\(Self.nobody) \(InitStory.initialize)")

        #expect(result.code == 1 && result.errors.contains("cue cannot write in "), "\(result)")
        #expect(result.errors.contains("make it writable"), "\(result)")
        #expect(!cue.folder.exists("vault/vault.json"))
    }

    @Test("Where a damaged vault gives no document back, restore names what looks closer and where older versions are")
    func damaged() throws {
        let cue = try Cue.small(inPack: true)
        try cue.shell("rm -r vault/packs; mkdir vault/packs")

        let result = try cue.run("restore", "Essay", "--vault", cue.vault, "--to", cue.folder.appending("out"))

        #expect(result.code == 6, "\(result)")
        #expect(
            result.errors.contains("`cue check --read-data --vault ") && result.errors.contains("`cue log NAME"),
            "\(result)")
    }

    @Test(
        "The questions about a conflict of two take letters and numbers, as the help of resolve says",
        arguments: ["2\n", "other\n"])
    func letters(answer: String) throws {
        let (cue, other) = try SecondDevice.both(["One.md": "One.md", "Two.md": "Two.md"])
        try cue.write("One.md", "mine")
        try other.write("One.md", "theirs")
        #expect(try cue.run("sync", cue.library).code == 0)
        #expect(try other.sync().code == 4)

        let asked = try Typing.run(
            cue, ["resolve", "One", "--library", "other"],
            answers: [("Your choice (nothing is lost by it): ", answer)], environment: other.environment)

        #expect(asked.code == 0, "\(asked)")
        #expect(try other.read("One.md") == "mine")
    }

    @Test("Outside of the library, the command that brings a deleted document back names the library")
    func outside() throws {
        let cue = try Cue.small()
        try cue.remove("library/Essay.md")

        let told = try cue.run("backup", "library")

        #expect(told.text.contains("(`cue restore Essay.md --library library` brings it back)"), "\(told)")
    }
}
