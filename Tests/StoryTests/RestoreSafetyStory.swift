import CueTestSupport
import Foundation
import Testing

@Suite("Story: a restore harms nothing")
struct RestoreSafetyStory {
    @Test(
        "Work in the library that no snapshot holds is never overwritten, and the restore stops before it wrote anything"
    )
    func unsavedWork() throws {
        let cue = try Cue.small()
        let snapshot = try cue.snapshot()
        try cue.write("Essay.md", "a day's work")
        try cue.write("Novel.scriv/Files/1.rtf", "another day's work")
        try cue.write("Novel.scriv/Files/2.rtf", "a new scene")
        try cue.remove("library/Poems")

        try cue.refuses(["restore", "--library", cue.library], 1, "2 files are in the way that no snapshot holds")
        try cue.refuses(["restore", "--library", cue.library, "--at", snapshot, "Essay"], 1, "Essay.md")
        #expect(try cue.folder.read("library/Essay.md") == "a day's work")
        #expect(!cue.folder.exists("library/Poems"))
    }

    @Test("What is in a snapshot as it is now may be replaced by an older state, and comes back again")
    func backedUpWork() throws {
        let cue = try Cue.small()
        let first = try cue.snapshot()
        try cue.write("Essay.md", "a better essay")
        try cue.write("Novel.scriv/Files/2.rtf", "a new scene")
        try cue.shell("sleep 0.05")
        let second = try cue.snapshot()
        try cue.copy("library", "second")

        let back = try cue.run("restore", "--library", cue.library, "--at", first, "--json")
        #expect(back.code == 0, "\(back.text)")
        #expect(try cue.folder.read("library/Essay.md") == "an essay")
        #expect(!cue.folder.exists("library/Novel.scriv/Files/2.rtf"))
        try cue.shell("sleep 0.05")
        try cue.snapshot()
        let forth = try cue.run("restore", "--library", cue.library, "--at", second, "--json")
        #expect(forth.code == 0, "\(forth.text)")
        #expect(try cue.differences("second", "library") == "")
    }

    @Test("A folder that is no library keeps what is in it; with --overwrite under a name beside")
    func otherFolder() throws {
        let cue = try Cue.small()
        for name in ["Essay.md", "Novel.scriv/mine.rtf", "Poems", "My own.md"] {
            try cue.folder.write("out/" + name, "mine")
        }
        let before = try cue.fingerprint("out")

        let refused = try cue.restore(to: "out")
        #expect(refused.code == 1)
        #expect(refused.json["error"]["message"].string.contains("in the way"), "\(refused.text)")
        #expect(try cue.fingerprint("out") == before)

        try cue.remove("out/Poems")
        let forced = try cue.restore(to: "out", "--overwrite")
        #expect(forced.code == 0, "\(forced.text)")
        #expect(try cue.folder.read("out/Essay.md") == "an essay")
        #expect(!cue.folder.exists("out/Novel.scriv/mine.rtf"))
        #expect(try cue.folder.read("out/My own.md") == "mine")
        #expect(try cue.folder.read("out/Essay (kept by restore).md") == "mine")
        #expect(try cue.folder.read("out/Novel (kept by restore).scriv/mine.rtf") == "mine")
        #expect(
            forced.json["set_aside"].list.map(\.string) == [
                "Essay (kept by restore).md", "Novel (kept by restore).scriv",
            ])
    }

    @Test("Restoring twice does nothing the second time")
    func twice() throws {
        let cue = try RoundTripStory.library()
        try cue.snapshot()
        #expect(try cue.restore(to: "out").code == 0)
        let before = try cue.shell("find out -printf '%p %i %C@ %T@\\n' | sort | sha256sum").text

        let again = try cue.restore(to: "out")

        #expect(again.code == 0, "\(again.text)")
        #expect(again.json["files"].int == 0 && again.json["bytes"].int == 0, "\(again.text)")
        #expect(again.json["kept"].int > 50)
        // Folders get their modes and times again, which changes their ctime and nothing else.
        let after = try cue.shell("find out -printf '%p %i %C@ %T@\\n' | sort | sha256sum").text
        let files = "find out ! -type d -printf '%p %i %C@ %T@\\n' | sort | sha256sum"
        #expect(try before == after || cue.shell(files).code == 0)
        #expect(try cue.shell("find out -name '.cue-restore*'").text == "")
    }

    @Test(
        "Nothing is written through a link that stands where a document, a bundle or a folder should be",
        arguments: ["Essay.md", "Novel.scriv", "Novel.scriv/Files", "Poems", "Poems/The Clockmaker.md"],
        [[], ["--overwrite"]])
    func links(name: String, more: [String]) throws {
        let cue = try Cue.small()
        try cue.folder.write("outside/victim.md", "untouched")
        try cue.folder.write("outside/The Clockmaker.md", "untouched")
        try cue.folder.write("outside/1.rtf", "untouched")
        let target = name.hasSuffix(".md") ? "victim.md" : ""
        try cue.shell("mkdir -p \"$(dirname \"out/$1\")\" && ln -s \"$PWD/outside/$2\" \"out/$1\"", name, target)
        let before = try cue.fingerprint("outside")

        let result = try cue.start(
            ["restore", "--vault", cue.vault, "--to", cue.folder.appending("out")] + more
        ).result(deadline: 10)

        #expect(result.signal == nil, "\(result)")
        #expect(try cue.fingerprint("outside") == before)
        // What was in the way has a name beside.
        try cue.shell("find out -name '*(kept by restore)*' -prune -exec rm -r {} +")
        if result.code == 0 { #expect(try cue.differences("library", "out", "--content-only") == "") }
        #expect(more.isEmpty ? result.code == 1 : [0, 1, 3].contains(result.code), "\(result.errors)")
        #expect(try cue.shell("find out -name '.cue-restore*'").text == "")
    }

    @Test("A target that is a link itself is taken for what it names; one to nothing is refused")
    func linkedTarget() throws {
        let cue = try Cue.small()
        try cue.shell("mkdir real; ln -s real linked; ln -s nowhere broken")

        let linked = try cue.restore(to: "linked")
        let broken = try cue.restore(to: "broken")

        #expect(linked.code == 0, "\(linked.text)")
        #expect(try cue.differences("library", "real") == "")
        #expect(broken.code == 1, "\(broken.text)")
        #expect(!cue.folder.exists("nowhere"))
    }

    @Test(
        "A FIFO or a socket in the way does not hold the restore up", arguments: ["Essay.md", "Novel.scriv", "Poems"])
    func specialFiles(name: String) throws {
        let cue = try Cue.small()
        try cue.shell("mkdir out; mkfifo \"out/$1\"", name)

        for more in [[], ["--overwrite"]] {
            let arguments = ["restore", "--vault", cue.vault, "--to", cue.folder.appending("out")] + more
            let result = try cue.start(arguments).result(deadline: 10)
            #expect(result.signal == nil, "it hung")
            #expect(more.isEmpty ? result.code == 1 : [0, 1].contains(result.code), "\(result)")
        }
    }

    @Test("The vault is no place to restore to, by no name for it")
    func insideVault() throws {
        let cue = try Cue.small()
        try cue.shell("ln -s vault link")
        for target in ["vault", "vault/packs/new", "link", "link/new", "library/../vault/x"] {
            try cue.refuses(
                ["restore", "--vault", cue.vault, "--to", cue.folder.appending(target)], 1, "inside the vault")
        }
    }

    @Test(
        "A target disk that is full keeps no half file, and another run completes once there is room",
        .enabled(if: Machine.canMount, "needs root, to mount"))
    func fullTarget() throws {
        let cue = Cue()
        try cue.initialize()
        var generator = SeededGenerator(seed: 3)
        for number in 1...12 { try cue.write("Page \(number).bin", Data(generator.bytes(200_000))) }
        for number in 1...4 { try cue.write("Novel.scriv/\(number).bin", Data(generator.bytes(150_000))) }
        try cue.snapshot()
        try cue.shell("mkdir out && mount -t tmpfs -o size=1500k cue-test out")
        defer { _ = try? cue.shell("umount out") }

        let full = try cue.run("restore", "--vault", cue.vault, "--to", cue.folder.appending("out"))

        #expect(full.code == 1, "\(full)")
        #expect(full.errors.contains("space"), "\(full.errors)")
        let left = try cue.differences("library", "out", "--content-only").split(separator: "\n")
        #expect(left.dropLast().allSatisfy { $0.hasSuffix("is missing") }, "\(left)")
        #expect(try cue.shell("find out -name '.cue-restore*'").text == "")
        try cue.shell("mount -o remount,size=20m out")
        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.differences("library", "out") == "")
    }
}
