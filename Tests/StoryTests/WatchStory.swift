import CueTestSupport
import Foundation
import Testing

@Suite("Story: a watcher saves by itself")
struct WatchStory {
    @Test("A saved document is in the vault after the debounce, and not before")
    func debounce() throws {
        let cue = Cue()
        try cue.initialize()
        let debounce = 6.0
        let watching = try Watching(cue, debounce: debounce)
        let before = try cue.commits()

        let written = Date()
        try cue.write("Draft.md", "once upon a time")
        usleep(1_000_000)
        let (commits, waiting) = (try cue.commits(), try watching.status().json["watcher"]["waiting"].strings)
        // On a machine that stood still for so long it may be stored by now; the time of the commit tells in any case.
        if Date().timeIntervalSince(written) < debounce {
            #expect(commits == before)
            #expect(waiting == ["Draft.md"])
        }

        #expect(try cue.arrives("Draft.md", "once upon a time", within: 30))
        #expect(try cue.commits() == before + 1)
        // The kernel gives files a time that is some milliseconds old.
        #expect(try cue.lastCommit().timeIntervalSince(written) > debounce - 0.1)
        #expect(watching.isRunning)
    }

    @Test("The debounce of .cue/library.toml holds, and that of the command line comes before it")
    func settings() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.shell("printf '\n[watch]\ndebounce = 0.3\nverify_days = 0\n' >> library/.cue/library.toml")
        let process = try cue.start(["watch", cue.library])
        defer { process.send(SIGKILL) }
        #expect(
            try eventually { try cue.run("status", cue.library, "--json").json["watcher"]["phase"].string == "idle" })
        try cue.write("Draft.md", "by the file")
        #expect(try cue.arrives("Draft.md", "by the file"))
        process.send(SIGTERM)
        #expect(try process.result().code == 0)

        try cue.shell("sed -i 's/debounce = 0.3/debounce = 600/' library/.cue/library.toml")
        let watching = try Watching(cue, debounce: 0.3)
        try cue.write("Draft.md", "by the command line")
        #expect(try cue.arrives("Draft.md", "by the command line"))
        #expect(watching.isRunning)
    }

    @Test("A wrong setting stops the watcher before it begins, and names the file, the line and what is valid")
    func wrongSetting() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.shell("printf '\n[watch]\ndebounce = \"soon\"\n' >> library/.cue/library.toml")
        let lines = try cue.folder.read("library/.cue/library.toml").split(
            separator: "\n", omittingEmptySubsequences: false)
        let line = (lines.firstIndex { $0.hasPrefix("debounce") } ?? 0) + 1

        let refused = try cue.run("watch", cue.library)

        #expect(refused.code == 1)
        #expect(
            refused.errors.contains(
                ".cue/library.toml is not understood: line \(line): [watch] debounce is a number of seconds from 0.1 to 3600"
            ),
            "\(refused.errors)")
        try cue.refuses(["watch", cue.library, "--verify-days", "-1"], 2, "verify-days")
    }

    @Test("A document that is written in all the time is stored at the latest after the limit")
    func limit() throws {
        let cue = Cue()
        try cue.initialize()
        let watching = try Watching(cue, debounce: 6, "--limit", "9")
        let before = try cue.commits()
        let script = """
            import os, time
            pause, last = 0, time.monotonic()
            while not os.path.exists("stop"):
                with open("library/Draft.md", "a") as file: file.write("line\\n")
                pause, last = max(pause, time.monotonic() - last), time.monotonic()
                time.sleep(0.1)
            print(pause)
            """

        let began = Date()
        let writer = try Running(Machine.anyPython, ["-c", script], in: cue.folder.path)
        defer { writer.send(SIGKILL) }
        #expect(try eventually(within: 60) { try cue.commits() > before }, "not after the limit either")
        let seconds = try cue.lastCommit().timeIntervalSince(began)
        #expect(writer.isRunning)
        try cue.folder.write("stop", "")
        let pause = try #require(Double(try writer.result().text.trimmingCharacters(in: .newlines)))

        #expect(seconds > 8 || pause > 5, "not before the limit: \(seconds) s, a pause of \(pause) s")
        #expect(watching.isRunning)
    }

    @Test("A bundle whose members are written one after the other becomes one version, and that is whole")
    func bundle() throws {
        let cue = Cue()
        try cue.initialize()
        let watching = try Watching(cue, debounce: 4)

        for member in ["TXT.rtf", "Files/Data/one.rtf", "Files/Data/Deep/two.rtf", "Settings/ui.plist"] {
            try cue.write("Novel.scriv/" + member, "state 1")
            usleep(350_000)
        }

        #expect(try cue.arrives("Novel.scriv:Settings/ui.plist", "state 1", within: 30))
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
        #expect(try watching.status().code == 0)
        try watching.settle()
        #expect(try watching.stop().code == 0)
        // One that does not store the deletion before it is taken back.
        let patient = try Watching(cue, debounce: 60)
        try cue.remove("library/Draft.md")
        let restored = try cue.run("restore", "Draft.md", "--library", cue.library, "--json")

        #expect(restored.code == 0, "\(restored.text)\(restored.errors)")
        #expect(try cue.folder.read("library/Draft.md") == "xxxx")
        #expect(try patient.stop().code == 0)
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

    @Test(
        "What .cue/library.toml says counts while a watcher runs; a mistake in it is said, and keeps nothing from being saved"
    )
    func changedSettings() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Draft.md", "1")
        let watching = try Watching(cue)
        let marker = try cue.folder.read("library/.cue/library.toml")

        try cue.write(".cue/library.toml", marker + "\n[bundles]\nendings = [\".novel\"]\n")
        try cue.write("Sea.novel/one.md", "one")
        try cue.write("Sea.novel/two.md", "two")
        #expect(try cue.arrives("Sea.novel:two.md", "two"))
        try cue.write(".cue/library.toml", marker + "\n[bundles]\nending = [\".novel\"]\n")
        try cue.write("Sea.novel/two.md", "more")
        #expect(try cue.arrives("Sea.novel:two.md", "more"))
        try cue.write(".cue/library.toml", marker)
        try cue.write("Draft.md", "2")
        #expect(try cue.arrives("Draft.md", "2"))
        // Another place is not taken; without an edit in a document, too, a wrong one is mended.
        try cue.write(".cue/library.toml", marker.replacing("vault = '", with: "vault = '/nowhere"))
        #expect(try eventually { try watching.phase() == "error" })
        try cue.write(".cue/library.toml", marker)
        #expect(try eventually { try watching.phase() == "idle" })
        try cue.remove("library/.cue/library.toml")
        try cue.write("Draft.md", "3")
        #expect(try cue.arrives("Draft.md", "3"))

        let said = try watching.stop().errors
        #expect(said.contains("it is gone, or names another library"), "\(said)")
        #expect(said.components(separatedBy: "counts from here on").count >= 3, "\(said)")
        #expect(said.components(separatedBy: "line ").count == 2 && said.contains("ending"), "\(said)")
    }

    @Test("While a look at everything is due, status says so and why; after it no more")
    func lookDue() throws {
        let cue = Cue()
        try cue.initialize()
        let watching = try Watching(cue, debounce: 3)

        try cue.write("Chapters/one.md", "1")

        #expect(try eventually { try watching.state()["rescan"].string == "newFolders" })
        let status = try cue.run("status", cue.library)
        #expect(status.text.contains("it looks at everything soon: folders came"), "\(status.text)")
        #expect(try cue.arrives("Chapters/one.md", "1"))
        #expect(try eventually { try watching.status().json["watcher"]["rescan"].string.isEmpty })
    }
}
