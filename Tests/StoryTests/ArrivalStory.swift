import CueTestSupport
import Foundation
import Testing

@Suite("Story: what comes to the vault late, and piece by piece")
struct ArrivalStory {
    /// What `Page 1.md` is changed to.
    private static let changedPage = Cue.inPack("changed")

    /// Two devices with the same documents, and one that this device changed since: its pack's object is given.
    private static func changed() throws -> (Cue, SecondDevice, pack: String) {
        let cue = Cue()
        try cue.initialize()
        for number in 1...5 { try cue.write("Page \(number).md", "page \(number)") }
        let other = try SecondDevice(cue)
        #expect(try cue.run("sync", cue.library).code == 0)
        #expect(try other.sync().code == 0)
        let before = try cue.objects(in: "packs")
        try cue.write("Page 1.md", changedPage)
        #expect(try cue.run("sync", cue.library).code == 0)
        let pack = try #require(Set(try cue.objects(in: "packs")).subtracting(before).first)
        try cue.write("Page 2.md", "changed too")
        #expect(try cue.run("sync", cue.library).code == 0)
        return (cue, other, "vault/" + pack)
    }

    private static func short(_ other: SecondDevice) throws -> String {
        try other.cue.run("status", other.library, "--short", environment: other.environment).text
    }

    @Test("A pack of which only the beginning has arrived keeps its document waiting, and is called no damage")
    func halfPack() throws {
        let (cue, other, pack) = try Self.changed()
        #expect(try cue.shell("cp \"$1\" whole && head -c 500 whole > \"$1\"", pack).code == 0)

        let result = try other.sync()

        let size = try Data(contentsOf: URL(fileURLWithPath: cue.folder.appending("whole"))).count
        // Nobody can tell here whether it was cut or is on its way; `cue check` calls it damaged.
        #expect(result.code == 3, "\(result.text)")
        #expect(result.text.contains("has not arrived whole in the vault yet (packs/"), "\(result.text)")
        #expect(result.text.contains(": 500 of \(size) bytes)"), "\(result.text)")
        #expect(try other.read("Page 1.md") == "page 1")
        #expect(try other.read("Page 2.md") == "changed too")
        #expect(try cue.shell("find other -name '.cue-restore-*'").text == "")
        #expect(try Self.short(other) == "1 incoming\n")
        #expect(try cue.run("check", cue.library).code == 6)
        #expect(try cue.shell("cp whole \"$1\"", pack).code == 0)
        #expect(try other.sync().code == 0)
        #expect(try other.read("Page 1.md") == Self.changedPage)
        #expect(try Self.short(other) == "ok\n")
    }

    @Test("A conflict of which a version has not arrived is not called safe, and what is there can still be chosen")
    func conflictWithoutContent() throws {
        let (cue, other, _) = try Self.changed()
        #expect(try other.sync().code == 0)
        try cue.write("Page 3.md", "mine")
        #expect(try cue.run("sync", cue.library).code == 0)
        let before = try cue.objects(in: "packs")
        try other.write("Page 3.md", Cue.inPack("theirs"))
        #expect(try other.sync().code == 4)
        #expect(try cue.run("sync", cue.library).code == 4)
        #expect(try cue.run("conflicts", cue.library, "--json").text.contains("\"content_there\":true"))
        let pack = try #require(Set(try cue.objects(in: "packs")).subtracting(before).first)
        try cue.rename("vault/" + pack, "pack")

        let shown = try cue.run("conflicts", cue.library)
        #expect(shown.code == 4)
        #expect(shown.text.contains("not in the vault now: it has not arrived, or it is lost"), "\(shown.text)")
        #expect(try cue.run("conflicts", cue.library, "--json").text.contains("\"content_there\":false"))

        #expect(try cue.run("resolve", "Page 3", "--keep", "this", "--library", cue.library).code == 0)
        try cue.rename("pack", "vault/" + pack)
        #expect(try other.sync().code == 0)
        #expect(try other.read("Page 3.md") == "mine")
    }

    @Test("A device that joined stops where a commit below a checkpoint opens no more, and goes on once it does")
    func tornBelowCheckpoint() throws {
        let cue = Cue()
        try cue.initialize()
        var number = 0
        repeat {
            number += 1
            try cue.write("Page.md", "page \(number)")
            try cue.snapshot()
        } while try number < 100 && cue.objects(in: "checkpoints").isEmpty
        try #require(try !cue.objects(in: "checkpoints").isEmpty)
        let other = try SecondDevice(cue)
        #expect(try other.sync().code == 0)
        // A conflict makes it read the whole history.
        try cue.write("Page.md", "from here")
        try cue.snapshot()
        let old = try #require(try cue.objects(in: "log").first { $0.contains("/0000000003-") })
        #expect(try cue.shell("cp \"$1\" whole && head -c 100 whole > \"$1\"", "vault/" + old).code == 0)
        try other.write("Page.md", "from there")
        try other.write("Mine.md", "mine")

        let result = try other.sync()

        // It has held the checkpoint against all commits when it joined: this one was read.
        #expect(result.code == 6 && result.text.contains("changed or cut"), "\(result.text)")
        #expect(try cue.shell("cp whole \"$1\"", "vault/" + old).code == 0)
        #expect(try other.sync("--keep", "this").code == 0)
        #expect(try cue.stored("Mine.md") == "mine")
        #expect(try cue.check("--read-data").code == 0)
    }

    @Test("A restore from the vault alone calls a cut pack what it is")
    func cutForRestore() throws {
        let (cue, _, pack) = try Self.changed()
        #expect(try cue.shell("cp \"$1\" whole && head -c 500 whole > \"$1\"", pack).code == 0)

        let result = try cue.restore(to: "out")

        let size = try Data(contentsOf: URL(fileURLWithPath: cue.folder.appending("whole"))).count
        #expect(result.code == 6, "\(result.text)")
        #expect(result.text.contains("it has 500 bytes and should have \(size)"), "\(result.text)")
    }

    @Test("Where a commit has not arrived whole, nobody knows of how much, and the short status says so")
    func halfCommit() throws {
        let (cue, other, _) = try Self.changed()
        let before = Set(try cue.objects(in: "log"))
        try cue.write("Page 3.md", "changed as well")
        #expect(try cue.run("sync", cue.library).code == 0)
        let commit = try #require(Set(try cue.objects(in: "log")).subtracting(before).first)
        #expect(try cue.shell("cp \"vault/$1\" whole && head -c 500 whole > \"vault/$1\"", commit).code == 0)

        #expect(try other.sync().code == 3)

        #expect(try Self.short(other) == "incoming\n")
        #expect(try cue.shell("cp whole \"vault/$1\"", commit).code == 0)
        #expect(try other.sync().code == 0)
        #expect(try Self.short(other) == "ok\n")
    }

    @Test("A watcher that is stopped while the vault is away promises no further try")
    func stoppedWhileAway() throws {
        let cue = Cue()
        try cue.write("Page.md", "one")
        try cue.initialize()
        try cue.snapshot()
        let watching = try Watching(cue, debounce: 30, poll: 60)
        try cue.write("Page.md", "two")
        try cue.rename("vault", "unplugged")

        let said = try watching.stop(SIGINT).errors

        #expect(said.contains("cannot be reached") || said.contains("the vault is not in it"), "\(said)")
        #expect(!said.contains("tried again"), "\(said)")
        #expect(said.contains("not stored yet"), "\(said)")
    }
}
