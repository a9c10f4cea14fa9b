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
