import CueTestSupport
import Foundation
import Testing

@Suite("Story: a conflict is answered by its number, and one that waits is told")
struct KeepStory {
    /// Three devices that wrote in one poem; `third` sees all three versions, and `fresh` bears the name of the first
    /// and has none of them.
    private static func devices() throws -> (cue: Cue, other: SecondDevice, fresh: [String: String?]) {
        let (cue, other) = try SecondDevice.both(["Poem.md": "the first line\n", "Quiet.md": "nobody writes here"])
        let fresh: [String: String?] = ["CUE_HOME": cue.folder.appending("fresh home")]
        try other.joinThird(writingIn: "Poem.md")
        try cue.shell(
            "mkdir fresh && \"$CUE\" init fresh --vault vault --name desk && \"$CUE\" sync fresh", environment: fresh)
        return (cue, other, fresh)
    }

    @Test("--keep takes the number that cue conflicts shows, and refuses one that there is not with the list")
    func number() throws {
        let (cue, other, fresh) = try Self.devices()
        for number in [2, 1, 3] {
            let versions = try other.run("conflicts", "--json").json["conflicts"].list[0]["versions"].list
            let shown = try other.run("conflicts").text
            try #require(versions.count == 3)
            let wanted = versions[number - 1]["version"].string
            #expect(shown.contains(try Regex("\\[\(number)\\] [^\\n]*  \(wanted.prefix(8))-")), "\(shown)")

            let kept = try other.run("resolve", "Poem", "--keep", "\(number)", "--json")

            #expect(kept.code == 0 && kept.json["resolved"].list.map { $0["kept"].string } == [wanted], "\(kept)")
            #expect(try other.run("resolve", "--undo", "Poem").code == 0)
            #expect(try other.read("Poem.md").hasSuffix("from other\n"), "\(number)")
        }
        for wrong in ["4", "0", "deadbeef-1"] {
            let refused = try other.run("resolve", "Poem", "--keep", wrong)
            #expect(refused.code == 2, "\(refused)")
            #expect(refused.errors.contains("with 3 versions, and \(wrong) is none of them; none was chosen"))
            #expect(
                refused.errors.contains("--keep 1: this device, ") && refused.errors.contains("--keep 3:"))
        }
        // A device of the same name wrote one of them; this folder has none.
        let this = try cue.run("resolve", "Poem", "--keep", "this", "--library", "fresh", environment: fresh)
        #expect(
            this.code == 2
                && this.errors.contains("none of the versions of Poem.md that are in conflict is in this folder now"))
        #expect(this.errors.contains("desk, saved ") && !this.errors.contains("this device"), "\(this)")
        let last = try other.run("resolve", "Poem", "--keep", "1")
        #expect(last.text.contains(/kept this device's Poem\.md \([0-9a-f]{8}-\d+\); the two others stay/), "\(last)")
    }

    @Test("A number means the version that was shown under it: where another has come since, nothing is chosen")
    func meanwhile() throws {
        let (cue, other, _) = try Self.devices()
        let third: [String: String?] = ["CUE_HOME": cue.folder.appending("third home")]
        let shown = try other.run("conflicts", "--json").json["conflicts"].list[0]["versions"].list
        let devices = shown.map { $0["device"].string }
        let tablet = try #require(devices.firstIndex(of: "tablet"))
        try cue.shell("echo more >> third/Poem.md; \"$CUE\" sync third", environment: third)

        let refused = try other.run("resolve", "Poem", "--keep", "\(tablet + 1)")
        let again = try other.run("resolve", "Poem", "--keep", "\(tablet + 1)", "--json")

        #expect(refused.code == 2 && refused.errors.contains("has come since its versions were listed"), "\(refused)")
        #expect(again.code == 0, "\(again)")
        #expect(try other.read("Poem.md").hasSuffix("from third\nmore\n"))
    }

    @Test("Of a document that this device deleted and another changed, an undone answer leaves the deletion its own")
    func deletionIsOwn() throws {
        let (cue, other) = try SecondDevice.both(["Poem.md": "the first line\n", "Quiet.md": "nobody writes here"])
        try cue.write("Poem.md", "the first line, longer\n")
        try cue.shell("rm other/Poem.md")
        #expect(try cue.run("sync", cue.library).code == 0)
        #expect(try other.sync("--allow-deletions").code == 4)

        for answer in ["both", "other", "this"] {
            let here = try other.run("conflicts", "--json").json["conflicts"].list[0]["versions"].list[0]
            #expect(here["here"].bool == true && here["deleted"].bool == true, "\(here)")
            try #expect(other.run("resolve", "Poem.md", "--keep", answer).code == 0)
            try #expect(other.run("resolve", "--undo", "Poem.md").code == 0)
        }
        let kept = try other.run("resolve", "Poem.md", "--keep", "this")

        #expect(kept.code == 0, "\(kept)")
        #expect(try cue.shell("ls other").text == "Quiet.md\n")
    }

    @Test("A conflict that waits is offered by the tab key alone, and status --exit-code ends with 4 for it")
    func waits() throws {
        let (cue, other, _) = try Self.devices()
        try #require(try other.sync().code == 4)
        func complete(_ words: String...) throws -> String {
            try cue.start(["complete", "zsh"] + words, environment: other.environment, in: other.library).result().text
        }

        let status = try cue.run("status", other.library, "--exit-code", environment: other.environment)
        let plain = try cue.run("status", other.library, environment: other.environment)
        let offered = try complete("resolve", "")
        let undone = try complete("resolve", "--undo", "")
        let settled = try other.run("resolve", "Poem", "--keep", "this")
        let after = try cue.run("status", other.library, "--exit-code", environment: other.environment)
        try other.write("Quiet.md", "somebody writes here")
        let changed = try cue.run("status", other.library, "--exit-code", environment: other.environment)

        #expect(status.code == 4 && plain.code == 0, "\(status)")
        #expect(offered == "names\nPoem.md\n", "\(offered)")
        #expect(undone == "names\nPoem.md\nQuiet.md\n", "\(undone)")
        #expect(settled.code == 0 && after.code == 0 && changed.code == 1, "\(settled)\(after)")
        #expect(try complete("resolve", "") == "names\n")
    }

    @Test("q leaves a conflict, and all after it, as they are; the list of names takes it too")
    func quits() throws {
        let (cue, other, _) = try Self.devices()
        let question = "Your choice (nothing is lost by it): "
        let before = try other.read("Poem.md")

        let left = try Typing.run(
            cue, ["sync", "other"], answers: [(question, "?\n"), (question, "q\n")], rows: 50,
            environment: other.environment)
        try other.write("Poem 2.md", "another")
        #expect(try other.sync().code == 4)
        let none = try Typing.run(
            cue, ["restore", "oe", "--library", "other"], answers: [("q: none] ", "q\n")],
            environment: other.environment)

        #expect(left.code == 4 && left.text.contains("q, Ctrl-C or Ctrl-D ends the questions"), "\(left.text)")
        #expect(left.text.contains("Left for later: Poem.md. Here it stays as it is"), "\(left.text)")
        #expect(try other.read("Poem.md") == before)
        #expect(
            none.code == 1 && none.text.contains("no document was taken for oe; nothing was changed"), "\(none.text)")
    }

    @Test("A deletion that is in conflict is not counted as one, and one that counts is")
    func deletion() throws {
        let cue = Cue()
        try cue.initialize()
        for name in ["Poem", "Quiet", "a", "b", "c", "d", "e", "f"] { try cue.write("\(name).md", name) }
        #expect(try cue.run("sync", cue.library).code == 0)
        let other = try SecondDevice(cue)
        #expect(try other.sync().code == 0)
        try cue.write("Quiet.md", "somebody writes here")
        #expect(try cue.run("sync", cue.library).code == 0)
        try cue.shell("rm other/Quiet.md other/Poem.md")

        let open = try cue.run("sync", "other", environment: other.environment)

        #expect(open.code == 4 && open.text.contains("  conflict  Quiet.md\n"), "\(open)")
        #expect(open.text.contains("  1 deleted  (") && open.text.contains("  deleted   Poem.md"), "\(open)")
        #expect(!open.text.contains("deleted   Quiet.md") && !open.text.contains("2 deleted"), "\(open)")
    }

    @Test("The list of snapshots says of an answer what it settled, and of one without a document that there is none")
    func settles() throws {
        let (cue, other, _) = try Self.devices()
        #expect(try other.run("resolve", "Poem", "--keep", "both").code == 0)

        let log = try other.run("log")
        let show = try other.run("show")
        let json = try other.run("log", "--json").json["snapshots"].list

        #expect(log.text.contains(/other +3 changes  settled Poem\.md\n/), "\(log)")
        #expect(log.text.contains("only folders or links changed\n") && !log.text.contains("0 changes"), "\(log)")
        #expect(show.text.contains(/settled .*Poem\.md  in place of 3 versions\n/), "\(show)")
        #expect(json.contains { $0["changes"].int == 0 })
        #expect(try other.run("resolve", "--undo", "Poem").code == 0)
        #expect(try !other.run("show").text.contains("settled"))
        _ = cue
    }

    @Test("An answer that is taken back settles nothing")
    func settlesNothing() throws {
        let (cue, other) = try SecondDevice.both(["Poem.md": "the first line\n"])
        try cue.write("Poem.md", "the first line, here\n")
        try other.write("Poem.md", "the first line, there\n")
        #expect(try cue.run("sync", cue.library).code == 0)
        #expect(try other.sync().code == 4)

        try #expect(other.run("resolve", "Poem.md", "--keep", "this").code == 0)
        let answered = try other.run("show").text
        try #expect(other.run("resolve", "--undo", "Poem.md").code == 0)
        let undone = try other.run("show").text + other.run("log", "-l", "1").text

        #expect(answered.contains("settled"), "\(answered)")
        #expect(!undone.contains("settled"), "\(undone)")
    }
}
