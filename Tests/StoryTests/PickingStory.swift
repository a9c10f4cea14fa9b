import CueTestSupport
import Foundation
import Testing

@Suite("Story: one document out of many")
struct PickingStory {
    /// A library of three documents, one of which has two versions.
    private static func library() throws -> (cue: Cue, first: String, second: String) {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Drafts/Novel.scriv/Files/1.rtf", "one")
        try cue.write("Drafts/Novel.scriv/Files/2.rtf", "two")
        try cue.write("Drafts/Letter.docx", "a letter")
        try cue.write("Essay.md", "an essay")
        let first = try cue.snapshot()
        try cue.write("Drafts/Novel.scriv/Files/1.rtf", "one, better")
        return (cue, first, try cue.snapshot())
    }

    @Test(
        "A document is found by its path, its name, its name without the ending, and its folder brings all that is in it",
        arguments: [
            ("Drafts/Novel.scriv", 1), ("Novel.scriv", 1), ("Novel", 1), ("./Essay.md", 1), ("Drafts/Novel.scriv/", 1),
            ("Drafts", 2),
        ])
    func byName(name: String, documents: Int) throws {
        let (cue, _, _) = try Self.library()

        let restored = try cue.restore(to: "out", name)

        #expect(restored.code == 0, "\(restored.text)")
        #expect(restored.json["documents"].int == documents)
        #expect(cue.folder.exists("out/Essay.md") == name.contains("Essay"))
        #expect(cue.folder.exists("out/Drafts/Novel.scriv/Files/2.rtf") == !name.contains("Essay"))
    }

    @Test("What was deleted comes back by its name as it was before, a folder with all that went with it")
    func deleted() throws {
        let (cue, first, _) = try Self.library()
        try cue.write("Drafts/Old.md", "gone long before")
        try cue.snapshot()
        try cue.remove("library/Drafts/Old.md")
        try cue.snapshot()
        try cue.remove("library/Drafts/Novel.scriv")
        #expect(try cue.run("backup", cue.library, "--allow-deletions").code == 0)
        try cue.remove("library/Drafts")
        try cue.remove("library/Essay.md")
        #expect(try cue.run("backup", cue.library, "--allow-deletions").code == 0)

        let essay = try cue.run("restore", "Essay", "--library", cue.library)
        let folder = try cue.run("restore", "Drafts", "--library", cue.library, "--json")

        #expect(essay.code == 0 && essay.text.contains("Essay.md was deleted"), "\(essay.text)\(essay.errors)")
        #expect(folder.code == 0, "\(folder.text)")
        #expect(
            folder.json["undeleted"].strings == ["Drafts/Letter.docx", "Drafts/Novel.scriv", "Drafts/Old.md"],
            "\(folder.text)")
        #expect(try cue.folder.read("library/Essay.md") == "an essay")
        #expect(try cue.folder.read("library/Drafts/Novel.scriv/Files/1.rtf") == "one, better")
        #expect(try cue.folder.read("library/Drafts/Letter.docx") == "a letter")
        // Where an older state is asked for, that is what counts.
        #expect(try cue.restore(to: "then", "Novel", "--at", first).code == 0)
        #expect(try cue.folder.read("then/Drafts/Novel.scriv/Files/1.rtf") == "one")
        #expect(try cue.check("--read-data").code == 0)
    }

    @Test("The versions before a deletion are listed, shown and brought back under the name of what came in its place")
    func lives() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Other.md", "other")
        try cue.write("Draft.md", "first life")
        try cue.snapshot()
        try cue.remove("library/Draft.md")
        let without = try cue.snapshot()

        let at = try cue.restore(to: "at", "Draft.md", "--at", without)
        #expect(at.code == 1 && at.json["error"]["message"].string.contains("Draft.md was deleted"), "\(at.text)")
        try cue.refuses(["cat", "Draft.md", "--library", cue.library], 1, "Draft.md was deleted")
        let diff = try cue.run("diff", "Draft.md", "--library", cue.library)
        #expect(diff.text.contains(", deleted") && diff.text.contains("2 removed"), "\(diff.text)")

        try cue.write("Draft.md", "second life, longer")
        try cue.snapshot()
        let log = try cue.run("log", "Draft.md", "--library", cue.library, "--json").json["versions"].list
        try #require(log.count == 3)
        #expect(log.map { $0["deleted"].bool } == [false, true, false])
        #expect(log.map { $0["head"].bool } == [true, false, false])
        let old = log[2]["short"].string
        #expect(try cue.run("cat", "Draft.md", "--version", old, "--library", cue.library).text == "first life")
        let between = try cue.run("diff", "Draft.md", old, log[0]["short"].string, "--library", cue.library)
        #expect(between.code == 0 && between.text.contains("longer"), "\(between.text)\(between.errors)")
        let restored = try cue.restore(to: "out", "Draft.md", "--version", old)
        #expect(restored.code == 0, "\(restored.text)")
        #expect(try cue.folder.read("out/Draft.md") == "first life")
        let deletion = try cue.restore(to: "none", "--version", log[1]["short"].string)
        #expect(deletion.code == 1, "\(deletion.text)")
    }

    @Test("One file comes out of a bundle, and out of an old state of it")
    func oneFile() throws {
        let (cue, first, _) = try Self.library()

        let now = try cue.restore(to: "now", "Novel", "--file", "Files/1.rtf")
        let then = try cue.restore(to: "then", "Novel", "--file", "Files/1.rtf", "--at", first)

        #expect(now.code == 0 && then.code == 0, "\(now.text)\(then.text)")
        #expect(try cue.folder.read("now/Drafts/Novel.scriv/Files/1.rtf") == "one, better")
        #expect(try cue.folder.read("then/Drafts/Novel.scriv/Files/1.rtf") == "one")
        #expect(!cue.folder.exists("now/Drafts/Novel.scriv/Files/2.rtf"))
    }

    @Test("A version comes back by the id that the log shows, whole or short")
    func byVersion() throws {
        let (cue, _, _) = try Self.library()
        let log = try cue.run("log", "Novel", "--vault", cue.vault, "--json").json["versions"].list
        try #require(log.count == 2)

        let whole = try cue.restore(to: "whole", "--version", log[1]["version"].string)
        let short = try cue.restore(to: "short", "Novel", "--version", log[0]["short"].string)

        #expect(whole.code == 0 && short.code == 0, "\(whole.text)\(short.text)")
        #expect(try cue.folder.read("whole/Drafts/Novel.scriv/Files/1.rtf") == "one")
        #expect(try cue.folder.read("whole/Drafts/Novel.scriv/Files/2.rtf") == "two")
        #expect(try cue.folder.read("short/Drafts/Novel.scriv/Files/1.rtf") == "one, better")
    }

    @Test("A version of one document is not restored for another")
    func versionOfAnother() throws {
        let (cue, _, _) = try Self.library()
        let log = try cue.run("log", "Novel", "--vault", cue.vault, "--json").json["versions"].list
        let version = try #require(log.first)["short"].string

        let restored = try cue.restore(to: "out", "Essay", "--version", version)

        #expect(restored.code == 1)
        #expect(restored.json["error"]["message"].string.contains("is no version of Essay"), "\(restored.text)")
        #expect(!cue.folder.exists("out"))
    }

    @Test("cat prints a document, a file of a bundle, and an old version, byte for byte")
    func cat() throws {
        let (cue, first, _) = try Self.library()
        let place = ["--vault", cue.vault]

        let letter = try cue.start(["cat", "Letter"] + place).result()
        let inner = try cue.start(["cat", "Novel:Files/1.rtf"] + place).result()
        let old = try cue.start(["cat", "Novel:Files/1.rtf", "--at", first] + place).result()
        let bundle = try cue.start(["cat", "Novel"] + place).result()

        #expect([letter.text, inner.text, old.text] == ["a letter", "one, better", "one"])
        #expect(bundle.code == 1)
        #expect(bundle.errors.contains("name one of them"), "\(bundle.errors)")
    }

    @Test("An old state is named by its time, and a time before the first backup is refused")
    func byTime() throws {
        let (cue, first, _) = try Self.library()
        let snapshots = try cue.run("log", "--vault", cue.vault, "--json").json["snapshots"].list
        #expect(snapshots.map { $0["snapshot"].string }.last == first)
        let time = try #require(snapshots.last)["time"].string

        let now = try cue.restore(to: "now", "--at", "now")
        let before = try cue.restore(to: "before", "--at", "2001-01-01")

        #expect(time.hasSuffix("Z"))
        #expect(now.code == 0 && cue.folder.exists("now/Essay.md"), "\(now.text)")
        #expect(before.code == 1)
        #expect(before.json["error"]["message"].string.contains("no snapshot as old as"), "\(before.text)")
        #expect(!cue.folder.exists("before"))
    }
}
