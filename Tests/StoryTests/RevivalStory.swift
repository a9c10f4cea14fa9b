import CueTestSupport
import Foundation
import Testing

@Suite("Story: what was deleted lives again")
struct RevivalStory {
    private static func sync(_ cue: Cue, _ more: String...) throws -> Running.Result {
        try cue.start(["sync", cue.library, "--json"] + more).result()
    }

    private static func restore(_ cue: Cue, _ names: String...) throws -> Running.Result {
        try cue.start(["restore"] + names + ["--library", cue.library, "--json"]).result()
    }

    @Test(
        "A deleted document that is restored goes on with its history and its settings, and other devices get it back")
    func goesOn() throws {
        let cue = Cue()
        try cue.initialize()
        for name in ["Draft.md", "Novel.scriv/1.rtf", "Notes/One.md", "Other.md", "Third.md", "Fourth.md"] {
            try cue.write(name, "the text of \(name)")
        }
        let other = try SecondDevice(cue)
        #expect(try Self.sync(cue).code == 0 && other.sync().code == 0)
        let before = try cue.snapshot()
        #expect(try cue.run("project", "set", "Draft", "--deadline", "2099-12-31", "--library", cue.library).code == 0)
        for name in ["Draft.md", "Novel.scriv", "Notes"] { try cue.remove("library/" + name) }
        #expect(try Self.sync(cue, "--allow-deletions").code == 0)
        #expect(try other.sync("--allow-deletions").code == 0 && !other.exists("Draft.md"))

        let restored = try Self.restore(cue, "Draft", "Novel", "Notes")
        #expect(restored.code == 0, "\(restored.text)")
        let stored = try Self.sync(cue)
        let received = try other.sync()

        #expect(stored.code == 0 && received.code == 0, "\(stored.text)\(received.text)")
        #expect(received.json["received"].strings == ["Draft.md", "Notes/One.md", "Novel.scriv"], "\(received.text)")
        #expect(try cue.differences("library", "other", "--content-only") == "")
        let log = try cue.run("log", "Draft", "--library", cue.library, "--json").json["versions"].list
        #expect(log.map { $0["deleted"].bool } == [false, true, false])
        #expect(log.map { $0["head"].bool } == [true, false, false])
        let settings = try cue.run("project", "show", "Draft", "--library", cue.library)
        #expect(settings.text.contains("2099-12-31"), "\(settings.text)\(settings.errors)")
        // A time before the deletion is one at which it was there.
        let diff = try cue.run("diff", "Draft", before, "--library", cue.library)
        #expect(diff.code == 0, "\(diff.errors)")
        #expect(try cue.check("--read-data").code == 0)
    }

    @Test("Brought back on one device and deleted on another, it is asked about, and no wish is undone by itself")
    func againstDeletion() throws {
        let cue = Cue()
        try cue.initialize()
        for name in ["Draft.md", "A.md", "B.md", "C.md"] { try cue.write(name, "the text of \(name)") }
        let other = try SecondDevice(cue)
        #expect(try Self.sync(cue).code == 0 && other.sync().code == 0)
        try other.move(to: "vault2")
        try cue.remove("library/Draft.md")
        #expect(try Self.sync(cue).code == 0)
        #expect(try Self.restore(cue, "Draft").code == 0)
        #expect(try Self.sync(cue).code == 0)
        try FileManager.default.removeItem(atPath: other.library + "/Draft.md")
        #expect(try other.sync().code == 0)
        #expect(try cue.shell("cp -rn vault/. vault2/; cp -rn vault2/. vault/").code == 0)

        let met = try Self.sync(cue)

        #expect(met.code == 4 && cue.folder.exists("library/Draft.md"), "\(met.text)")
        #expect(try Self.sync(cue, "--keep", "this").code == 0)
        #expect(cue.folder.exists("library/Draft.md"))
    }

    @Test("One file of a bundle does not come into the folder alone, where it would stand for all of it")
    func noStump() throws {
        let cue = Cue()
        try cue.initialize()
        for number in 1...3 { try cue.write("Novel.scriv/\(number).rtf", "\(number)") }
        try cue.write("Other.md", "other")
        try cue.snapshot()
        try cue.remove("library/Novel.scriv")
        try cue.snapshot()

        let alone = try Self.restore(cue, "Novel", "--file", "1.rtf")
        #expect(alone.code == 1 && alone.text.contains("is not in the folder"), "\(alone.text)")
        #expect(!cue.folder.exists("library/Novel.scriv"))
        #expect(try cue.restore(to: "out", "Novel", "--file", "1.rtf").code == 0)
        #expect(try cue.folder.read("out/Novel.scriv/1.rtf") == "1")

        #expect(try Self.restore(cue, "Novel").code == 0)
        try cue.remove("library/Novel.scriv/1.rtf")
        #expect(try Self.restore(cue, "Novel", "--file", "1.rtf").code == 0)
        #expect(try cue.folder.read("library/Novel.scriv/1.rtf") == "1")
    }

    @Test("The exact path of something deleted is meant, also where the end of another one fits")
    func exactPath() throws {
        let cue = Cue()
        try cue.initialize()
        for name in ["Plan.md", "archive/Plan.md", "Novel.md", "Novel/1.md", "Novel/2.md", "Other.md"] {
            try cue.write(name, "the text of \(name)")
        }
        try cue.snapshot()
        try cue.remove("library/Plan.md")
        try cue.remove("library/Novel")
        #expect(try cue.run("backup", cue.library, "--allow-deletions").code == 0)

        #expect(try Self.restore(cue, "./Plan.md").json["undeleted"].strings == ["Plan.md"])
        #expect(try Self.restore(cue, "Novel").json["undeleted"].strings == ["Novel/1.md", "Novel/2.md"])
        try cue.snapshot()

        // A folder that is there again says what does not come with it.
        try cue.remove("library/Novel/1.md")
        try cue.snapshot()
        let rest = try cue.run("restore", "Novel/", "--library", cue.library)
        #expect(rest.code == 0 && rest.text.contains("Novel/1.md: `cue restore` brings it"), "\(rest.text)")
        #expect(try Self.restore(cue, "Novel").json["left_deleted"].strings == ["Novel/1.md"])
    }

    @Test("Deletions that wait for a word wait until it is said, whatever else changes")
    func staysHeldBack() throws {
        let cue = Cue()
        try cue.initialize()
        for number in 1...12 { try cue.write("Page \(number).md", "page \(number)") }
        try cue.snapshot()
        for number in 1...5 { try cue.remove("library/Page \(number).md") }
        #expect(try cue.backup().json["held_back"].strings.count == 5)
        for number in 1...20 { try cue.write("New \(number).md", "new \(number)") }
        try cue.write("Page 1.md", "page 1")
        try cue.remove("library/Page 12.md")

        for _ in 1...2 {
            let backup = try cue.backup()
            #expect(backup.code == 3, "\(backup.text)")
            #expect(Set(backup.json["held_back"].strings) == Set((2...5).map { "Page \($0).md" }), "\(backup.text)")
        }
        #expect(try cue.run("cat", "Page 2", "--library", cue.library).text == "page 2")
        #expect(try cue.run("cat", "Page 12", "--library", cue.library).code == 1)

        let meant = try cue.run("backup", cue.library, "--allow-deletions", "--json")
        #expect(meant.code == 0 && meant.json["removed"].int == 4, "\(meant.text)")
        #expect(try cue.backup().code == 0)
    }

    @Test(
        "What is stored never stands on a pack that is gone or cut",
        arguments: ["rm \"$1\"", "truncate -s 1000 \"$1\""])
    func lostPack(change: String) throws {
        let cue = Cue()
        try cue.initialize()
        let text = Cue.inPack("draft")
        try cue.write("Draft.md", text)
        try cue.snapshot()
        let pack = try #require(try cue.objects(in: "packs").first)
        #expect(try cue.shell("cp \"$1\" whole && " + change, "vault/" + pack).code == 0)
        try cue.write("Copy.md", text)

        let backup = try cue.backup()

        #expect(backup.code == 3 && backup.json["lost_packs"].int == 1, "\(backup.text)")
        let restored = try cue.restore(to: "out", "Copy")
        #expect(restored.code == 0, "\(restored.text)")
        #expect(try cue.folder.read("out/Copy.md") == text)
        let status = try cue.run("status", cue.library)
        #expect(status.text.contains("The vault is damaged"), "\(status.text)")
        // Said once; what is stored after it does not stand on it either.
        try cue.write("Third.md", text)
        #expect(try cue.backup().code == 0)
        #expect(try cue.restore(to: "out", "Third").code == 0)
    }
}
