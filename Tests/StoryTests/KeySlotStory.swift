import CueTestSupport
import Foundation
import Testing

@Suite("Story: a key slot that was damaged, and one that costs too much")
struct KeySlotStory {
    /// A library with one backup; gives the file of the slot that a passphrase or a recovery code opens.
    private static func stored(_ kind: String) throws -> (Cue, slot: String) {
        let cue = Cue()
        try cue.write("Essay.md", "an essay")
        try cue.initialize()
        try cue.snapshot()
        let slots = try cue.run("key", "list", "--vault", cue.vault, "--json").json["slots"].list
        let slot = try #require(slots.first { $0["kind"].string == kind }?["slot"].string)
        return (cue, "vault/keys/" + slot)
    }

    private static let damages = [
        "head -c 9 /dev/urandom | dd of=\"$1\" bs=1 seek=100 conv=notrunc",
        "truncate -s -1 \"$1\"", "printf x >> \"$1\"", ": > \"$1\"", "cat vault/keys/* > \"$1\"",
        "printf '\\377' | dd of=\"$1\" bs=1 seek=35 conv=notrunc",
    ]

    @Test(
        "A damaged slot is named by check, status and backup; backup writes it again, and it opens the vault",
        arguments: damages)
    func damaged(how: String) throws {
        let (cue, slot) = try Self.stored("passphrase")
        try cue.shell(how, slot)
        let name = slot.dropFirst("vault/".count)

        let check = try cue.run("check", cue.library, "--json")
        #expect(check.code == 6 && check.json["problems"].strings.contains { $0.hasPrefix(name) }, "\(check.text)")
        #expect(try cue.run("status", cue.library, "--json").json["vault_problem"].string.hasPrefix(name))
        let backup = try cue.run("backup", cue.library)
        #expect(backup.code == 0 && backup.errors.contains("written again"), "\(backup.errors)")

        #expect(try cue.run("check", cue.library).code == 0)
        #expect(try cue.run("status", cue.library, "--short").text == "ok\n")
        #expect(try cue.restore(to: "out", environment: cue.elsewhere).code == 0)
    }

    @Test(
        "The slots of a library whose vault is away are not listed: the exit code is 7",
        arguments: ["mv vault away", "mv vault away && mkdir vault"])
    func away(how: String) throws {
        let (cue, _) = try Self.stored("passphrase")
        #expect(try cue.run("key", "list", "--library", cue.library).code == 0)
        try cue.shell(how)

        let listed = try cue.run("key", "list", "--library", cue.library)

        #expect(listed.code == 7 && listed.text.isEmpty, "\(listed.text)\(listed.errors)")
        #expect(listed.errors.contains("is its disk plugged in"), "\(listed.errors)")
    }

    @Test("Two slots that were exchanged are both named, and both written again")
    func exchanged() throws {
        let (cue, _) = try Self.stored("passphrase")
        try cue.shell("cd vault/keys; set -- *; cp $1 ../x; cp $2 $1; mv ../x $2")

        #expect(try cue.run("check", cue.library, "--json").json["problems"].list.count == 2)
        let backup = try cue.backup()
        #expect(backup.code == 0, "\(backup.text)")
        #expect(backup.json["key_slots"].list.map { $0["mended"].bool } == [true, true])

        #expect(try cue.run("check", cue.library).code == 0)
    }

    @Test("A slot that was deleted is damage, which a backup and a sync name; and another device is told as well")
    func deleted() throws {
        let (cue, slot) = try Self.stored("passphrase")
        let other = cue.elsewhere
        try cue.shell("mkdir second")
        let second = cue.folder.appending("second")
        #expect(try cue.run("init", second, "--vault", cue.vault, environment: other).code == 0)
        try cue.rename(slot, "slot")

        for (library, machine) in [(cue.library, [:]), (second, other)] {
            let check = try cue.run("check", library, environment: machine)
            #expect(check.code == 6 && check.errors.contains("the key slot is missing"), "\(check.errors)")
            for command in ["backup", "sync"] {
                let result = try cue.run(command, library, "--json", environment: machine)
                #expect(result.code == 3, "\(result.text)")
                let trouble = try #require(result.json["key_slots"].list.first)
                #expect(trouble["problem"].string == "missing" && trouble["mended"].bool == false)
            }
            let status = try cue.run("status", library, "--short", environment: machine)
            #expect(status.text == "damaged vault\n")
        }

        try cue.rename("slot", slot)
        for (library, machine) in [(cue.library, [:]), (second, other)] {
            #expect(try cue.run("backup", library, environment: machine).code == 0)
            #expect(try cue.run("status", library, "--short", environment: machine).text == "ok\n")
        }
    }

    @Test("A device that saw a slot whole names it when it is damaged, and writes it again, though another made it")
    func otherDevice() throws {
        let (cue, slot) = try Self.stored("recovery code")
        let other = cue.elsewhere
        try cue.shell("mkdir second")
        let second = cue.folder.appending("second")
        #expect(try cue.run("init", second, "--vault", cue.vault, environment: other).code == 0)
        try cue.shell(Self.damages[0], slot)

        let seen = try cue.run("backup", second, "--json", environment: other)
        #expect(seen.code == 0 && seen.json["key_slots"].list.map { $0["mended"].bool } == [true], "\(seen.text)")

        #expect(try cue.run("check", cue.library).code == 0)
        #expect(try cue.run("check", second, environment: other).code == 0)
    }

    @Test("A damaged slot and a wrong passphrase have one answer, which speaks of the recovery code")
    func oneAnswer() throws {
        let (cue, slot) = try Self.stored("passphrase")
        let list = ["ls", "--vault", cue.vault, "--json"]
        let wrong = try cue.start(
            list, environment: cue.elsewhere.merging(["CUE_PASSPHRASE": "another"]) { $1 }
        ).result()
        var answers: [String] = [wrong.text]
        // In the message's salt, its commitment, its content, and the slot's salt.
        for at in [60, 90, 120, 50] {
            try cue.copy(slot, "kept")
            try cue.shell("head -c 9 /dev/urandom | dd of=\"$1\" bs=1 seek=\(at) conv=notrunc", slot)
            answers.append(try cue.start(list, environment: cue.elsewhere).result().text)
            try cue.rename("kept", slot + ".kept")
            try cue.shell("mv \"$1.kept\" \"$1\"", slot)
        }

        #expect(Set(answers).count == 1, "\(answers)")
        #expect(wrong.code == 5 && wrong.text.contains("its key slot may be damaged"), "\(wrong.text)")
    }

    // MARK: Slots that cost too much

    /// Plants a slot that asks for the most that is allowed, under a name that comes first, and never opens.
    private static func plantDearest(in cue: Cue, like slot: String) throws {
        let script = """
            import os, struct, sys
            head = bytearray(open(sys.argv[1], "rb").read()[:92])
            head[28:40] = struct.pack("<IQ", 16, 2 << 30)
            open("vault/keys/0000000000000001", "wb").write(bytes(head) + os.urandom(178))
            """
        try cue.python(script, slot)
    }

    @Test("A slot that asks for more memory than there is keeps no other from opening, and is named where none does")
    func tooDear() throws {
        let (cue, slot) = try Self.stored("passphrase")
        try Self.plantDearest(in: cue, like: slot)
        let limited = "ulimit -v 1800000; \"$CUE\" ls --vault vault"

        let opened = try cue.shell(limited, environment: cue.elsewhere)
        let wrong = try cue.shell(
            limited, environment: cue.elsewhere.merging(["CUE_PASSPHRASE": "another"]) { $1 })

        #expect(opened.code == 0 && opened.text.contains("Essay.md"), "\(opened.errors)")
        #expect(wrong.code == 1, "\(wrong.errors)")
        #expect(wrong.errors.contains("keys/0000000000000001 asks for 2048 MiB"), "\(wrong.errors)")
    }

    @Test("Ctrl-C ends the work on a passphrase at once", arguments: [SIGINT, SIGTERM])
    func interrupted(signal: Int32) throws {
        let (cue, slot) = try Self.stored("passphrase")
        try Self.plantDearest(in: cue, like: slot)
        let wrong = cue.elsewhere.merging(["CUE_PASSPHRASE": "another"]) { $1 }
        let running = try cue.start(["ls", "--vault", cue.vault], environment: wrong)
        // It works on the dear slot once it has more memory than the cheap ones take.
        while running.isRunning, Self.memory(of: running.id) < 400_000 { usleep(20_000) }
        let started = ContinuousClock.now

        running.send(signal)
        let result = try running.result(deadline: 60)

        // Sixteen passes over 2 GiB take more than this on any machine, and several times that on a loaded one.
        #expect(result.code == 130, "\(result)")
        #expect(ContinuousClock.now - started < .seconds(10))
    }

    /// In KiB.
    private static func memory(of process: Int32) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }
}
