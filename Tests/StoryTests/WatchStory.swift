import CueTestSupport
import Foundation
import Testing

@Suite("Story: a watcher saves by itself")
struct WatchStory {
    @Test("A saved document is in the vault after the debounce, and not before")
    func debounce() throws {
        let cue = Cue()
        try cue.initialize()
        let watching = try Watching(cue, debounce: 1.5)
        let before = try cue.commits()

        try cue.write("Draft.md", "once upon a time")
        usleep(1_000_000)
        #expect(try cue.commits() == before)
        #expect(try watching.status().json["watcher"]["waiting"].strings == ["Draft.md"])

        #expect(try cue.arrives("Draft.md", "once upon a time"))
        #expect(try cue.commits() == before + 1)
        #expect(watching.isRunning)
    }

    @Test("A document that is written in all the time is stored at the latest after the limit")
    func limit() throws {
        let cue = Cue()
        try cue.initialize()
        let watching = try Watching(cue, debounce: 1.5, "--limit", "2.5")
        let before = try cue.commits()

        let began = Date()
        var storedAfter: Double?
        for line in 1...40 where storedAfter == nil {
            try cue.write("Draft.md", String(repeating: "line \(line)\n", count: line))
            usleep(200_000)
            if try cue.commits() > before { storedAfter = Date().timeIntervalSince(began) }
        }

        let seconds = try #require(storedAfter)
        #expect(seconds > 2.2, "not before the limit")
        #expect(watching.isRunning)
    }

    @Test("A bundle whose members are written one after the other becomes one version, and that is whole")
    func bundle() throws {
        let cue = Cue()
        try cue.initialize()
        let watching = try Watching(cue, debounce: 0.8)

        for member in ["TXT.rtf", "Files/Data/one.rtf", "Files/Data/Deep/two.rtf", "Settings/ui.plist"] {
            try cue.write("Novel.scriv/" + member, "state 1")
            usleep(350_000)
        }

        #expect(try cue.arrives("Novel.scriv:Settings/ui.plist", "state 1"))
        let log = try cue.run("log", "Novel.scriv", "--vault", cue.vault, "--json").json
        #expect(log["versions"].list.count == 1)
        #expect(watching.isRunning)
        #expect(try cue.restore(to: "out").code == 0)
        let differences = try cue.differences("library", "out", "--content-only")
        #expect(differences == "")
    }

    @Test("New folders, files in them, and what is deleted")
    func folders() throws {
        let cue = Cue()
        try cue.initialize()
        let watching = try Watching(cue)

        try cue.write("Book/Part/Deep/one.md", "1")
        #expect(try cue.arrives("Book/Part/Deep/one.md", "1"))
        try watching.settle()
        try cue.write("Book/Part/Deep/two.md", "2")
        #expect(try cue.arrives("Book/Part/Deep/two.md", "2"))
        try cue.remove("library/Book/Part/Deep/one.md")
        #expect(try cue.arrives("Book/Part/Deep/one.md", nothing: true))
    }

    @Test("A folder that was renamed is still watched, itself and what is in it")
    func renamedFolder() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Letters.rtfd/TXT.rtf", "1")
        try cue.write("Part/Deep/one.md", "1")
        let watching = try Watching(cue)

        try cue.rename("library/Letters.rtfd", "library/Post.rtfd")
        try cue.rename("library/Part", "library/Chapter")
        #expect(try cue.arrives("Chapter/Deep/one.md", "1"))
        try watching.settle()
        // One after the other: a look that one of them brings about finds all.
        try cue.write("Post.rtfd/TXT.rtf", "2")
        #expect(try cue.arrives("Post.rtfd:TXT.rtf", "2"))
        try watching.settle()
        try cue.write("Chapter/new.md", "2")
        #expect(try cue.arrives("Chapter/new.md", "2"))
        try watching.settle()
        try cue.write("Chapter/Deep/one.md", "2")
        #expect(try cue.arrives("Chapter/Deep/one.md", "2"))
        #expect(watching.isRunning)
    }

    @Test("A bundle that is saved as a new folder in the place of the old one is still watched")
    func safeSave() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Letters.rtfd/TXT.rtf", "1")
        let watching = try Watching(cue)

        try cue.write("Letters.saving/TXT.rtf", "2")
        usleep(200_000)
        try cue.rename("library/Letters.rtfd", "library/Letters.old")
        try cue.rename("library/Letters.saving", "library/Letters.rtfd")
        try cue.remove("library/Letters.old")
        #expect(try cue.arrives("Letters.rtfd:TXT.rtf", "2"))
        try watching.settle()
        try cue.write("Letters.rtfd/TXT.rtf", "3")

        #expect(try cue.arrives("Letters.rtfd:TXT.rtf", "3"))
    }

    @Test("What is no longer ignored is watched")
    func ignoredNoLonger() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write(".cueignore", "Notes/\n")
        try cue.write("Notes/one.md", "1")
        let watching = try Watching(cue)

        try cue.write(".cueignore", "nothing\n")
        #expect(try cue.arrives("Notes/one.md", "1"))
        try watching.settle()
        try cue.write("Notes/one.md", "2")

        #expect(try cue.arrives("Notes/one.md", "2"))
    }

    @Test("What another device stores arrives within seconds, though its watcher asks only once in a minute")
    func otherDevice() throws {
        let cue = Cue()
        try cue.initialize()
        let other = try SecondDevice(cue)
        let here = try Watching(cue, poll: 60)
        let there = try Watching(cue, poll: 60, library: other.library, environment: other.environment)

        try cue.write("Draft.md", "from here")
        #expect(try eventually(within: 10) { try other.exists("Draft.md") && other.read("Draft.md") == "from here" })
        try there.settle()
        try other.write("Draft.md", "and from there")

        #expect(try eventually(within: 10) { try cue.folder.read("library/Draft.md") == "and from there" })
        #expect(here.isRunning && there.isRunning)
    }

    @Test("Backup, sync, restore, conflicts and status work beside it")
    func beside() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Draft.md", "1")
        let watching = try Watching(cue)

        for turn in 2...4 {
            try cue.write("Draft.md", String(repeating: "x", count: turn))
            for command in [["backup", cue.library], ["sync", cue.library], ["conflicts", cue.library]] {
                let result = try cue.start(command + ["--json"]).result()
                #expect(result.code == 0, "\(command): \(result.text)\(result.errors)")
            }
        }
        try cue.remove("library/Draft.md")
        let restored = try cue.run("restore", "Draft.md", "--library", cue.library, "--json")

        #expect(restored.code == 0, "\(restored.text)\(restored.errors)")
        #expect(try watching.status().code == 0)
        try watching.settle()
        #expect(try watching.stop().code == 0)
    }

    @Test("A change that the kernel did not tell of is found by the next look at everything")
    func unreported() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Draft.md", "what was")
        let watching = try Watching(cue, "--rescan", "1.2")
        // Writing to mapped memory makes no event (inotify(7), BUGS); closing the file would.
        let script = """
            import mmap, sys, time
            f = open(sys.argv[1], "r+b"); m = mmap.mmap(f.fileno(), 0); m[:8] = b"what is!"; m.flush(); time.sleep(30)
            """
        let writer = try Running(Machine.anyPython, ["-c", script, cue.library + "/Draft.md"])
        defer { writer.send(SIGKILL) }

        #expect(try eventually { try cue.folder.read("library/Draft.md") == "what is!" })
        #expect(try watching.status().json["watcher"]["waiting"].strings == [])

        #expect(try cue.arrives("Draft.md", "what is!"))
    }
}
