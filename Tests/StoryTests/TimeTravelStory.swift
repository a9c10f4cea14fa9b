import CueTestSupport
import Foundation
import Testing

@Suite("Story: vaults are copied, put back and merged")
struct TimeTravelStory {
    @Test("A vault that was put back to an older copy is reported, nothing is changed, and it can be accepted")
    func rolledBack() throws {
        let cue = try Cue.small()
        try cue.copy("vault", "older")
        try cue.write("New.md", "new")
        try cue.snapshot()
        try cue.remove("vault")
        try cue.rename("older", "vault")
        try cue.write("Newer.md", "newer")

        try cue.refuses(["backup", cue.library], 6, "went back in time")
        let check = try cue.run("check", cue.library, "--json")
        #expect(check.code == 6)
        #expect(check.json["problems"].strings.contains { $0.contains("went back in time") }, "\(check.text)")

        let accepted = try cue.run("init", cue.library, "--vault", cue.vault, "--accept-older-vault")
        #expect(accepted.code == 0, "\(accepted.errors)")
        #expect(accepted.text.contains("Accepted without 1 snapshot that this device had seen."), "\(accepted.text)")
        try cue.snapshot()
        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.differences("library", "out") == "")
        #expect(try cue.run("check", cue.library, "--read-data").code == 0)
    }

    @Test("Joining a vault that is older than what this device has seen warns, until the older vault is accepted")
    func joinedOlder() throws {
        let cue = try Cue.small()
        try cue.copy("vault", "older")
        try cue.write("New.md", "new")
        try cue.snapshot()
        try cue.remove("vault")
        try cue.rename("older", "vault")

        let joined = try cue.run("init", cue.library, "--vault", cue.vault)
        let accepted = try cue.run("init", cue.library, "--vault", cue.vault, "--accept-older-vault")

        #expect(joined.code == 0 && accepted.code == 0, "\(joined.errors)\(accepted.errors)")
        #expect(joined.errors.contains("cue: warning: the vault went back in time: 1 commit "), "\(joined.errors)")
        #expect(!accepted.errors.contains("went back in time"), "\(accepted.errors)")
    }

    @Test("Who goes on with an older vault has no conflicts: each document was edited since the version there")
    func acceptedOlder() throws {
        let cue = try Cue.small()
        try cue.copy("vault", "older")
        try cue.write("Essay.md", "edited since")
        try cue.shell("rm -r library/Poems; mv library/Stories library/Tales")
        try cue.snapshot()
        try cue.remove("vault")
        try cue.rename("older", "vault")

        let accepted = try cue.run("init", cue.library, "--vault", cue.vault, "--accept-older-vault")
        let synced = try cue.run("sync", cue.library, "--json")

        #expect(accepted.code == 0 && synced.code == 0, "\(synced.text)\(synced.errors)")
        #expect(try cue.run("conflicts", cue.library).text.contains("No conflicts"))
        #expect(try cue.folder.read("library/Essay.md") == "edited since")
        // What was edited or renamed since is stored, and what was deleted since comes back.
        #expect(cue.folder.exists("library/Tales/The Clockmaker.md") && !cue.folder.exists("library/Stories"))
        #expect(try cue.run("log", "Tales/The Clockmaker.md", "--library", cue.library).text.contains("renamed"))
        #expect(cue.folder.exists("library/Poems"))
        #expect(try cue.run("check", cue.library, "--read-data").code == 0)
    }

    @Test("What another device stored in the older vault meanwhile is in conflict, also where a checkpoint sums it up")
    func acceptedUnseen() throws {
        let (cue, there) = (try Cue.small(), Cue().elsewhere)
        let other = cue.folder.appending("other")
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        #expect(try cue.run("init", other, "--vault", cue.vault, "--name", "laptop", environment: there).code == 0)
        #expect(try cue.run("sync", other, environment: there).code == 0)
        try cue.copy("vault", "older")
        try cue.write("Essay.md", "edited on the desk")
        try cue.snapshot()
        try cue.remove("vault")
        try cue.rename("older", "vault")
        for number in 0..<40 {
            try cue.shell("echo 'edited on the laptop \(number)' > other/Essay.md")
            #expect(try cue.run("sync", other, environment: there).code == 0)
        }
        #expect(try !cue.objects(in: "checkpoints").isEmpty)

        #expect(try cue.run("init", cue.library, "--vault", cue.vault, "--accept-older-vault").code == 0)
        _ = try cue.run("sync", cue.library)

        #expect(try cue.run("conflicts", cue.library).text.contains("Essay.md"))
        #expect(try cue.folder.read("library/Essay.md") == "edited on the desk")
    }

    @Test("Another vault in the place of the own one is refused")
    func replaced() throws {
        let cue = try Cue.small()
        let another = try Cue.small()
        try cue.remove("vault")
        try cue.shell("cp -a \"$1\" vault", another.vault)

        try cue.refuses(["backup", cue.library], 6, "is not the one that this library belongs to")
        try cue.refuses(["check", cue.library], 6, "is not the one that this library belongs to")
        try cue.refuses(["restore", "--library", cue.library], 6, "is not the one that this library belongs to")
    }

    @Test(
        "Two copies of a vault that two devices wrote to become one by copying files, and both devices' documents come back"
    )
    func merged() throws {
        let cue = try Cue.small()
        try cue.copy("vault", "vault 2")
        try cue.shell("mkdir other && echo theirs > other/Theirs.md && echo 'their essay' > other/Essay.md")
        let laptop: [String: String?] = ["CUE_HOME": cue.folder.appending("laptop")]
        let other = (cue.folder.appending("other"), cue.folder.appending("vault 2"))
        let joined = try cue.run("init", other.0, "--vault", other.1, "--name", "laptop", environment: laptop)
        try cue.write("Mine.md", "mine")
        try cue.write("Essay.md", "my essay")
        try cue.snapshot()
        let theirs = try cue.run("backup", other.0, "--json", environment: laptop)

        try cue.shell("cp -rn vault/. 'vault 2/'; cp -rn 'vault 2/.' vault/")
        let restored = try cue.restore(to: "out", environment: cue.elsewhere)

        #expect(joined.code == 0 && theirs.code == 0, "\(joined.errors)\(theirs.errors)")
        #expect(restored.code == 0, "\(restored.text)")
        #expect(try cue.folder.read("out/Theirs.md") == "theirs\n" && cue.folder.read("out/Mine.md") == "mine")
        let essays = try cue.shell("cat out/Essay*.md").text
        #expect(essays.contains("their essay") && essays.contains("my essay"), "\(essays)\(restored.text)")
        #expect(restored.json["copies"].list.count == 1, "\(restored.text)")
        #expect(try cue.check("--read-data").code == 0)
        // Both devices go on.
        #expect(try cue.backup().code == 0)
        #expect(try cue.run("backup", other.0, environment: laptop).code == 0)
        #expect(try cue.run("check", cue.library, "--read-data").code == 0)
    }

    @Test("A cloned device that wrote to its own copy of the vault is told apart, and both its lives are kept")
    func clonedDevice() throws {
        let cue = try Cue.small()
        try cue.shell("cp -a home clone; cp -a vault 'vault 2'; cp -a library kept")
        try cue.write("One.md", "first life")
        try cue.snapshot()
        let first = try cue.shell(
            "cp -a library first; cp -a vault merged; rm -rf library vault; cp -a kept library; cp -a 'vault 2' vault")
        let clone: [String: String?] = ["CUE_HOME": cue.folder.appending("clone")]
        try cue.write("Two.md", "second life")
        let second = try cue.run("backup", cue.library, environment: clone)
        try cue.shell("cp -rn merged/. vault/")

        let restored = try cue.restore(to: "out", environment: cue.elsewhere)
        let next = try cue.run("backup", cue.library, "--json", environment: clone)

        #expect(first.code == 0 && second.code == 0, "\(second.errors)")
        #expect(restored.code == 0, "\(restored.text)")
        #expect(try cue.folder.read("out/One.md") == "first life" && cue.folder.read("out/Two.md") == "second life")
        #expect(next.code == 0, "\(next.text)")
        #expect(try cue.run("check", cue.library, "--read-data", environment: clone).code == 0)
    }

    @Test("A device that lost its memory is tied again and uploads nothing twice")
    func lostMemory() throws {
        let cue = try RoundTripStory.library()
        try cue.snapshot()
        let size = try cue.vaultBytes()
        try cue.remove("home")

        try cue.refuses(["backup", cue.library], 1, "this device does not remember it")
        #expect(try cue.run("init", cue.library, "--vault", cue.vault).code == 0)
        let again = try cue.backup()

        #expect(again.code == 0, "\(again.text)")
        #expect(
            again.json["new"].int == 0 && again.json["changed"].int == 0 && again.json["removed"].int == 0,
            "\(again.text)")
        #expect(try cue.vaultBytes() - size < 64 << 10)
        #expect(
            try cue.shell("printf garbage > home/libraries/*/store.db; rm -f home/libraries/*/store.db-*").code == 0)
        try cue.refuses(["backup", cue.library], 1, "cue cannot use its memory")
    }

    @Test("A library that was copied is another one; one that was moved is the same")
    func copiedAndMoved() throws {
        let cue = try Cue.small()
        try cue.copy("library", "copy")
        try cue.refuses(["backup", cue.folder.appending("copy")], 1, "is a copy of the library at")
        try cue.remove("copy")
        try cue.rename("library", "moved")

        let backup = try cue.run("backup", cue.folder.appending("moved"), "--json")

        #expect(backup.code == 0, "\(backup.text)")
        #expect(backup.json["new"].int == 0 && backup.json["removed"].int == 0, "\(backup.text)")
    }
}
