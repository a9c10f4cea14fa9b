import CueTestSupport
import Foundation
import Testing

@Suite("Fault: there is no room, or nobody listens")
struct FullDiskFault {
    @Test(
        "A full vault disk is told, the old snapshot comes back from it, and there is room again later",
        .enabled(if: Machine.canMount, "needs root, to mount"), arguments: [600, 1500, 4000, 7000])
    func fullVault(kilobytes: Int) throws {
        let cue = Cue()
        try cue.shell("mkdir vault && mount -t tmpfs -o size=\(kilobytes)k cue-test vault")
        defer { _ = try? cue.shell("umount vault") }
        try cue.write("a.md", "a first page")
        try cue.initialize()
        let first = try cue.snapshot()
        try cue.copy("library", "first")
        var generator = SeededGenerator(seed: 9)
        for number in 1...20 { try cue.write("Page \(number).bin", Data(generator.bytes(400_000))) }

        let full = try cue.run("backup", cue.library)
        let json = try cue.backup()
        let check = try cue.run("check", cue.library, "--read-data")
        let restored = try cue.restore(to: "old", "--at", first, environment: cue.elsewhere)

        #expect(full.code == 1 && json.code == 1, "\(full)")
        #expect(full.errors.contains("no space is left"), "\(full.errors)")
        #expect(json.json["error"]["message"].string.contains("no space is left"), "\(json.text)")
        #expect(check.code == 0, "\(check.errors)")
        #expect(restored.code == 0, "\(restored.text)")
        #expect(try cue.differences("first", "old") == "")

        try cue.shell("mount -o remount,size=40m vault")
        try cue.snapshot()
        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.differences("library", "out") == "")
        #expect(try cue.run("check", cue.library, "--read-data").code == 0)
    }

    @Test("No room for a vault at all makes none, and says so", .enabled(if: Machine.canMount, "needs root, to mount"))
    func noRoomForVault() throws {
        let cue = Cue()
        try cue.shell("mkdir vault && mount -t tmpfs -o size=16k,nr_inodes=4 cue-test vault")
        defer { _ = try? cue.shell("umount vault") }
        try cue.write("a.md", "a")

        let made = try cue.run("init", cue.library, "--vault", cue.vault, "--kdf-memory", "64")

        #expect(made.code == 1, "\(made)")
        #expect(made.errors.contains("no space is left"), "\(made.errors)")
        #expect(!cue.folder.exists("vault/vault.json"))
        try cue.shell("mount -o remount,size=1m,nr_inodes=100 vault")
        try cue.initialize()
        try cue.snapshot()
    }

    @Test(
        "An index that fills the disk is removed again, so that backups go on",
        .enabled(if: Machine.canMount, "needs root, to mount"))
    func index() throws {
        let cue = Cue()
        try cue.shell("mkdir home && mount -t tmpfs -o size=6m,mode=700 cue-test home")
        defer { _ = try? cue.shell("umount home") }
        try cue.initialize()
        try cue.shell(
            "for i in 1 2 3 4 5 6 7 8; do seq -f \"line %.0f of $i and what a writer wrote\" 1 15000 > library/$i.md; done"
        )
        try cue.snapshot()

        let found = try cue.run("find", "writer wrote", "--library", cue.library)

        #expect(found.code == 1 && found.errors.contains("no space is left"), "\(found.errors)")
        #expect(try cue.shell("find home -name 'search.db*'").text.isEmpty)
        try cue.write("9.md", "one more")
        #expect(try cue.backup().code == 0)
    }

    @Test(
        "A full disk to which restore and export write is named, what is complete there stays, and they go on later",
        .enabled(if: Machine.canMount, "needs root, to mount"))
    func fullTarget() throws {
        let cue = Cue()
        try cue.initialize()
        var generator = SeededGenerator(seed: 11)
        for number in 1...5 { try cue.write("Page \(number).txt", Data(generator.bytes(60_000).map { $0 % 26 + 97 })) }
        try cue.snapshot()
        try cue.shell("mkdir stick && mount -t tmpfs -o size=200k cue-test stick")
        defer { _ = try? cue.shell("umount stick") }
        let stick = cue.folder.appending("stick")
        let commands = [
            ["restore", "--vault", cue.vault, "--to", "\(stick)/all"],
            ["export", ".", "--library", cue.library, "--to", "\(stick)/drafts"],
        ]

        for command in commands {
            let place = try #require(command.last)
            let full = try cue.start(command, in: cue.library).result()
            #expect(
                full.code == 1 && full.errors.contains("no space is left at \(place); what is complete there stays"))
            #expect(full.errors.contains("make room there, then run the command again"), "\(full.errors)")
            #expect(try cue.shell("find stick -name '.cue*'").text.isEmpty)
            try cue.shell("mount -o remount,size=2m stick")
            #expect(try cue.start(command, in: cue.library).result().code == 0)
            #expect(try cue.shell("ls stick/*/*.txt | wc -l").text == "5\n")
            try cue.shell("rm -r stick/*; mount -o remount,size=200k stick")
        }
        try cue.shell("mount -o remount,ro stick")
        for command in commands {
            let closed = try cue.start(command, in: cue.library).result()
            #expect(closed.code == 1 && closed.errors.contains("the disk at \(stick)/"), "\(closed.errors)")
            #expect(closed.errors.contains(" is read-only; nothing can be written there"), "\(closed.errors)")
        }
    }

    @Test("A full disk under cue's own memory loses nothing", .enabled(if: Machine.canMount, "needs root, to mount"))
    func fullHome() throws {
        let cue = Cue()
        try cue.shell("mkdir home && mount -t tmpfs -o size=900k,mode=700 cue-test home")
        defer { _ = try? cue.shell("umount home") }
        try cue.write("a.md", "a")
        try cue.initialize()
        try cue.snapshot()
        // Whatever cue keeps there: room for a little more, and not for 4,000 documents.
        try cue.shell("dd if=/dev/zero of=home/fill bs=4k 2>/dev/null; truncate -s -160k home/fill")
        for number in 1...4000 { try cue.write("Folder \(number % 50)/Page \(number).md", "page \(number)") }

        let full = try cue.run("backup", cue.library)

        #expect(full.code == 1 && full.errors.contains("full"), "\(full)")
        #expect(!full.errors.contains("unexpected"), "\(full.errors)")
        try cue.shell("mount -o remount,size=40m home")
        try cue.snapshot()
        #expect(try cue.run("check", cue.library, "--read-data").code == 0)
        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.differences("library", "out") == "")
    }

    @Test(
        "A reader that goes away ends a command quietly",
        arguments: ["ls", "log", "cat Recording.bin", "ls --json", "check"])
    func closedPipe(command: String) throws {
        let cue = try Cue.small()
        var generator = SeededGenerator(seed: 10)
        try cue.write("Recording.bin", Data(generator.bytes(1 << 20)))
        try cue.snapshot()

        let result = try cue.shell("\"$CUE\" \(command) --vault vault | true; echo ${PIPESTATUS[0]}")
        let some = try cue.shell("\"$CUE\" \(command) --vault vault | head -c 1 >/dev/null; echo ${PIPESTATUS[0]}")

        #expect(result.text == "0\n" && result.errors == "", "\(result.text)\(result.errors)")
        #expect(some.text == "0\n" && some.errors == "", "\(some.text)\(some.errors)")
    }

    @Test("An output that takes nothing is told, with exit code 1")
    func fullOutput() throws {
        let cue = try Cue.small()

        let full = try cue.shell("\"$CUE\" ls --vault vault >/dev/full")
        let closed = try cue.shell("\"$CUE\" ls --vault vault >&-")

        #expect(full.code == 1 && full.errors.contains("the result cannot be written"), "\(full)")
        #expect(closed.code == 1 && closed.signal == nil, "\(closed)")
    }
}
