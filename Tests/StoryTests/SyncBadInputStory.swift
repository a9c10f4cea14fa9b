import CueTestSupport
import Foundation
import Testing

@Suite("Story: a sync that meets what it must not touch")
struct SyncBadInputStory {
    /// Two devices with the same thirty documents.
    private static func devices() throws -> (Cue, SecondDevice) {
        let cue = Cue()
        try cue.initialize()
        for number in 1...29 { try cue.write("Page \(number).md", "page \(number)") }
        try cue.write("Novel.scriv/Files/1.rtf", "{\\rtf1 one}")
        let other = try SecondDevice(cue)
        #expect(try sync(cue).code == 0)
        #expect(try other.sync().code == 0)
        return (cue, other)
    }

    private static func sync(_ cue: Cue, _ more: String...) throws -> Running.Result {
        try cue.start(["sync", cue.library, "--json"] + more).result()
    }

    private static func waiting(_ result: Running.Result) -> [String] {
        result.json["waiting"].list.map { $0["path"].string }
    }

    // MARK: Open documents

    @Test(
        "A document that a program has open is not replaced, renamed or removed; it is named, and follows when it is closed"
    )
    func openElsewhere() throws {
        let (cue, other) = try Self.devices()
        try cue.write("Page 1.md", "changed")
        try cue.write("Novel.scriv/Files/1.rtf", "{\\rtf1 changed}")
        try cue.rename("library/Page 2.md", "library/Renamed.md")
        try cue.remove("library/Page 3.md")
        #expect(try Self.sync(cue).code == 0)
        let script = """
            import sys, time
            files = [open(name, "rb") for name in sys.argv[1:]]
            print("open", flush=True)
            time.sleep(60)
            """
        let names = ["Page 1.md", "Novel.scriv/Files/1.rtf", "Page 2.md", "Page 3.md"]
        let holder = try Running(Machine.anyPython, ["-c", script] + names.map { "\(other.library)/\($0)" })
        // Its output is a file; what counts is that the files are open.
        let deadline = Date() + 20
        while try cue.shell("ls -l /proc/[0-9]*/fd 2>/dev/null | grep -c 'other/Page 3.md'").text == "0\n" {
            try #require(Date() < deadline)
            usleep(20_000)
        }

        let result = try other.sync()

        #expect(result.code == 3, "\(result.text)\(result.errors)")
        #expect(Set(Self.waiting(result)) == ["Page 1.md", "Novel.scriv", "Page 2.md", "Page 3.md"], "\(result.text)")
        #expect(result.text.contains("python"), "the program is named: \(result.text)")
        #expect(try other.read("Page 1.md") == "page 1")
        #expect(try other.read("Novel.scriv/Files/1.rtf") == "{\\rtf1 one}")
        #expect(other.exists("Page 2.md") && other.exists("Page 3.md"))
        holder.send(9)
        _ = try holder.result()
        #expect(try other.sync().code == 0)
        #expect(try cue.differences("library", "other") == "")
    }

    @Test(
        "A document beside which a lock file lies is left as it is until that is gone",
        arguments: [
            ("Page 1.md", ".~lock.Page 1.md#"), ("Page 1.md", "~$Page 1.md"), ("Page 1.md", ".Page 1.md.swp"),
            ("Novel.scriv", "Novel.scriv/Files/user.lock"),
        ])
    func lockFiles(name: String, lock: String) throws {
        let (cue, other) = try Self.devices()
        let file = name == "Novel.scriv" ? "Novel.scriv/Files/1.rtf" : name
        let before = try other.read(file)
        try cue.write(file, "changed there")
        #expect(try Self.sync(cue).code == 0)
        try other.write(lock, "somebody")

        let result = try other.sync()

        // A lock in a bundle is a part of it, and is stored as an edit that nobody has to be asked about.
        if name != "Novel.scriv" {
            #expect(result.code == 3, "\(result.text)")
            #expect(Self.waiting(result) == [name])
        }
        #expect(try other.read(file) == before)
        try cue.remove("other/" + lock)
        #expect([0, 4].contains(try other.sync("--keep", "both").code))
    }

    // MARK: Deletions

    @Test("Many documents gone at once are no deletion until somebody says so, on this device and on the other")
    func massDeletion() throws {
        let (cue, other) = try Self.devices()
        #expect(try cue.shell("cd library && for n in $(seq 1 21); do rm \"Page $n.md\"; done").code == 0)

        let held = try Self.sync(cue)
        #expect(held.code == 3, "\(held.text)")
        #expect(held.json["held_back"].strings.count == 21 && held.json["removed_from_vault"].int == 0)
        #expect(try other.sync().code == 0)
        #expect(other.exists("Page 1.md") && other.exists("Page 21.md"))

        let meant = try Self.sync(cue, "--allow-deletions")
        #expect(meant.code == 0 && meant.json["removed_from_vault"].int == 21, "\(meant.text)")
        let asked = try other.sync()
        #expect(asked.code == 3 && asked.json["held_back"].strings.count == 21, "\(asked.text)")
        #expect(other.exists("Page 1.md") && other.exists("Page 21.md"))

        let done = try other.sync("--allow-deletions")
        #expect(done.code == 0 && done.json["removed"].strings.count == 21, "\(done.text)")
        #expect(try cue.differences("library", "other", "--content-only") == "")
    }

    @Test("A library folder that is empty, or is another file system's bare mount point, deletes nothing")
    func emptyLibrary() throws {
        let (cue, other) = try Self.devices()
        #expect(try cue.shell("mv library kept && mkdir -p library && cp -a kept/.cue library/").code == 0)
        let empty = try Self.sync(cue)
        #expect(empty.code == 3 && empty.json["held_back"].strings.count == 30, "\(empty.text)\(empty.errors)")

        #expect(try cue.shell("rm -rf library && mkdir library").code == 0)
        let bare = try Self.sync(cue)
        #expect(bare.code != 0 && bare.json["snapshot"].string == "", "\(bare.text)\(bare.errors)")

        #expect(try other.sync().code == 0)
        #expect(try cue.differences("kept", "other", "--content-only") == "")
        #expect(try cue.shell("rmdir library && mv kept library").code == 0)
        #expect(try Self.sync(cue).code == 0)
        #expect(try cue.differences("library", "other", "--content-only") == "")
    }

    // MARK: A vault that lost something

    @Test("A vault that lost a commit, or went back in time, deletes nothing and says so")
    func lostCommit() throws {
        let (cue, other) = try Self.devices()
        #expect(try cue.shell("cp -a vault 'vault of then'").code == 0)
        try cue.write("Page 1.md", "changed")
        try cue.write("New.md", "new")
        #expect(try Self.sync(cue).code == 0)
        #expect(try other.sync().code == 0)
        #expect(try cue.shell("mv vault 'vault of now' && mv 'vault of then' vault").code == 0)
        let before = try cue.fingerprint("library", "other", "vault")

        for result in [try Self.sync(cue), try other.sync(), try other.sync("--allow-deletions")] {
            #expect(result.code == 6, "\(result.text)\(result.errors)")
            #expect(result.text.contains("went back in time"), "\(result.text)")
        }

        #expect(try cue.fingerprint("library", "other", "vault") == before, "something was changed")
        #expect(try cue.shell("rm -rf vault && mv 'vault of now' vault").code == 0)
        #expect(try Self.sync(cue).code == 0)
        #expect(try other.sync().code == 0)
    }

    enum Arrival: CaseIterable {
        case firstIsLate, firstIsTorn, lastIsTorn
    }

    @Test(
        "Commits of another device come in any order and in part: what is new here is stored, and what came whole follows",
        arguments: Arrival.allCases)
    func late(_ arrival: Arrival) throws {
        let cue = Cue()
        try cue.initialize()
        // Large enough that a version says only what is other than in the one before.
        for number in 1...9 { try cue.write("Novel.scriv/\(number).rtf", "{\\rtf1 \(number)}") }
        try cue.write("Essay.md", "essay")
        let other = try SecondDevice(cue)
        #expect(try Self.sync(cue).code == 0 && other.sync().code == 0)
        var commits: [String] = []
        for (name, text) in [("Novel.scriv/1.rtf", "one"), ("Novel.scriv/2.rtf", "two")] {
            let before = Set(try cue.objects(in: "log"))
            try other.write(name, text)
            if name.contains("2") { try other.write("Letter.md", "a letter") }
            #expect(try other.sync().code == 0)
            commits += Set(try cue.objects(in: "log")).subtracting(before)
        }
        try #require(commits.count == 2)
        let object = cue.vault + "/" + commits[arrival == .lastIsTorn ? 1 : 0]
        let change = arrival == .firstIsLate ? "rm \"$1\"" : "head -c 100 whole > \"$1\""
        #expect(try cue.shell("cp \"$1\" whole && " + change, object).code == 0)
        try cue.write("Essay.md", "essay, longer")

        let backup = try cue.backup()
        #expect(backup.code == (arrival == .firstIsLate ? 0 : 3), "\(backup.text)\(backup.errors)")
        #expect(backup.json["not_arrived"].strings.count == (arrival == .firstIsLate ? 0 : 1), "\(backup.text)")
        #expect(try cue.stored("Essay.md") == "essay, longer")
        let first = try Self.sync(cue)
        let again = try Self.sync(cue)

        for result in [first, again] {
            #expect(result.code == 3 && result.text.contains("arrived"), "\(result.text)\(result.errors)")
        }
        #expect(try cue.folder.read("library/Novel.scriv/2.rtf") == "{\\rtf1 2}")
        #expect(cue.folder.exists("library/Letter.md") == (arrival != .lastIsTorn))
        let status = try cue.run("status", cue.library)
        #expect(status.code == 0 && status.text.contains("arrived"), "\(status.text)")
        let list = try cue.run("ls", "--vault", cue.vault)
        #expect(list.code == 0 && list.text.contains("Essay.md"), "\(list.text)\(list.errors)")
        let log = try cue.run("log", "Novel.scriv", "--vault", cue.vault)
        #expect(log.code == 0, "\(log.text)\(log.errors)")

        #expect(try cue.shell("cp whole \"$1\"", object).code == 0)
        let healed = try Self.sync(cue)
        #expect(healed.code == 0, "\(healed.text)\(healed.errors)")
        #expect(try other.sync().code == 0)
        #expect(try cue.folder.read("library/Novel.scriv/2.rtf") == "two")
        #expect(try cue.differences("library", "other", "--content-only") == "")
        #expect(try cue.check("--read-data").code == 0)
    }

    @Test("A commit that was read and does not open any more ends the run, and nothing is written on top of it")
    func seenDamaged() throws {
        let (cue, other) = try Self.devices()
        #expect(try Self.sync(cue).code == 0)
        let commit = try #require(try cue.objects(in: "log").min())
        #expect(try cue.shell("cp \"$1\" whole && head -c 100 whole > \"$1\"", cue.vault + "/" + commit).code == 0)
        // Something new, so that the history is looked at.
        try other.write("New.md", "new")
        let more = try other.sync()
        // If the commit is its own, content is gone that it stored: it says so, and stores it again.
        #expect([0, 3].contains(more.code), "\(more.text)\(more.errors)")
        try cue.write("Page 1.md", "changed")
        let objects = try cue.objects(in: "")

        let result = try Self.sync(cue)

        #expect(result.code == 6, "\(result.text)\(result.errors)")
        #expect(try cue.objects(in: "") == objects)
        #expect(try cue.shell("cp whole \"$1\"", cue.vault + "/" + commit).code == 0)
        #expect(try Self.sync(cue).code == 0)
        #expect(try other.sync().code == 0)
        #expect(try cue.differences("library", "other", "--content-only") == "")
    }

    @Test("A commit under this device's id that it does not know and cannot open is named, and counts once it opens")
    func ownDamaged() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Draft.md", "1")
        try cue.snapshot()
        let before = Set(try cue.objects(in: "log"))
        #expect(try cue.shell("cp -a home then").code == 0)
        try cue.write("Draft.md", "2")
        try cue.snapshot()
        let own = cue.vault + "/" + (try #require(Set(try cue.objects(in: "log")).subtracting(before).first))
        let torn = try cue.shell("rm -r home && mv then home && cp \"$1\" whole && head -c 100 whole > \"$1\"", own)
        #expect(torn.code == 0, "\(torn.errors)")

        try cue.write("New.md", "new")

        let result = try cue.backup()

        #expect(result.code == 3 && "\(result.json)".contains("damaged"), "\(result.text)\(result.errors)")
        #expect(try cue.shell("cp whole \"$1\"", own).code == 0)
        try cue.snapshot()
        #expect(try cue.check("--read-data").code == 0)
        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.differences("library", "out", "--content-only") == "")
    }

    @Test("Where a pack is lost, the document stays as it is, everything else follows, and that is said")
    func lostPack() throws {
        let (cue, other) = try Self.devices()
        let before = try cue.objects(in: "packs")
        let changed = Cue.inPack("changed")
        try cue.write("Page 1.md", changed)
        #expect(try Self.sync(cue).code == 0)
        let lost = try #require(Set(try cue.objects(in: "packs")).subtracting(before).first)
        try cue.write("Page 2.md", "changed too")
        #expect(try Self.sync(cue).code == 0)
        #expect(try cue.shell("mv \"vault/$1\" lost", lost).code == 0)

        let result = try other.sync()

        // Nobody can tell here whether it is lost or on its way; `cue check` calls it missing.
        #expect(result.code == 3, "\(result.text)")
        #expect(result.text.contains("has not arrived in the vault yet"), "\(result.text)")
        #expect(try other.read("Page 1.md") == "page 1")
        #expect(try other.read("Page 2.md") == "changed too")
        #expect(try cue.shell("find other -name '.cue-restore-*'").text == "")
        #expect(try cue.shell("mv lost \"vault/$1\"", lost).code == 0)
        #expect(try other.sync().code == 0)
        #expect(try other.read("Page 1.md") == changed)
    }
}

/// The small runs of what `tools/sync-histories.py` does for hours.
@Suite("Fault: random histories of whole devices")
struct SyncHistoryFault {
    @Test(
        "Devices that edit, are killed, and carry their vaults about end with the same, and nothing is lost",
        .enabled(if: Machine.python != nil, "no Python that can read a vault"))
    func histories() throws {
        let count = ProcessInfo.processInfo.environment["CUE_STORY_HISTORIES"] ?? "4"
        let arguments = ["\(Project.root)/tools/sync-histories.py", Cue.binary, "--histories", count, "--jobs", "2"]

        let result = try Running("/usr/bin/env", [Machine.python ?? "python3"] + arguments).result(deadline: 7200)

        #expect(result.code == 0, "\(result.text)\(result.errors)")
        print(result.text)
    }
}
