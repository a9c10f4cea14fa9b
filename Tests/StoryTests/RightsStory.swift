import CueTestSupport
import Foundation
import Testing

@Suite("Story: what may not be read or written")
struct RightsStory {
    /// What starts a program as a user without rights: root may read everything.
    private static let nobody = Machine.isRoot ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : ""

    private static let canDropRights = !Machine.isRoot || Machine.has("setpriv")

    /// A small library that belongs to somebody without rights.
    private static func library() throws -> Cue {
        let cue = Cue()
        try cue.write("Good.md", "good")
        try cue.write("Secret.md", "secret")
        try cue.write("Shut/inside.md", "inside")
        try cue.write("Novel.scriv/1.rtf", "one")
        try cue.write("Novel.scriv/2.rtf", "two")
        if Machine.isRoot { try cue.shell("chown -R 65534:65534 .") }
        let made = try cue.shell("\(nobody) \"$CUE\" init library --vault vault --kdf-memory 64")
        #expect(made.code == 0, "\(made.errors)")
        return cue
    }

    private static func run(_ cue: Cue, _ command: String) throws -> Running.Result {
        try cue.shell("\(nobody) \"$CUE\" \(command)")
    }

    @Test(
        "What cannot be read is named, the rest is stored, and the exit code is 3",
        .enabled(if: canDropRights, "root reads everything, and setpriv is not here"))
    func unreadable() throws {
        let cue = try Self.library()
        try cue.shell("chmod 000 library/Secret.md library/Shut library/Novel.scriv/2.rtf")

        let backup = try Self.run(cue, "backup library")
        let json = try Self.run(cue, "backup library --json")
        let restored = try cue.restore(to: "out")
        let status = try Self.run(cue, "status library")
        #expect(status.text.contains("1 folder cannot be read, and is not stored as it is now"), "\(status.text)")
        #expect(try Self.run(cue, "status library --short").text == "error\n")

        #expect(backup.code == 3, "\(backup)")
        for name in ["Secret.md", "Shut", "Novel.scriv"] {
            #expect(backup.errors.contains("warning: \(name)"), "\(backup.errors)")
        }
        #expect(json.code == 3)
        #expect(
            json.json["skipped"].list.map { $0["path"].string }.sorted() == ["Novel.scriv", "Secret.md", "Shut"],
            "\(json.text)")
        #expect(restored.code == 0)
        #expect(try cue.folder.read("out/Good.md") == "good")
        #expect(!cue.folder.exists("out/Secret.md"))

        // Nothing was taken for deleted, and once it may be read it is stored.
        try cue.shell("chmod 755 library/Shut; chmod 644 library/Secret.md library/Novel.scriv/2.rtf")
        #expect(try Self.run(cue, "backup library").code == 0)
        #expect(try cue.restore(to: "all").code == 0)
        #expect(try cue.differences("library", "all") == "")
    }

    @Test(
        "What was stored and cannot be read any more is not taken for deleted",
        .enabled(if: canDropRights, "root reads everything, and setpriv is not here"))
    func unreadableLater() throws {
        let cue = try Self.library()
        #expect(try Self.run(cue, "backup library").code == 0)
        try cue.copy("library", "before")
        try cue.shell("chmod 000 library/Shut; echo changed > library/Secret.md; chmod 000 library/Secret.md")

        let backup = try Self.run(cue, "backup library --json")
        let restored = try cue.restore(to: "out")

        #expect(backup.code == 3)
        #expect(backup.json["removed"].int == 0, "\(backup.text)")
        #expect(restored.code == 0)
        #expect(try cue.differences("before", "out", "--content-only") == "")
    }

    @Test(
        "A library that cannot be read is refused, and nothing is taken for deleted",
        .enabled(if: canDropRights, "root reads everything, and setpriv is not here"))
    func unreadableLibrary() throws {
        let cue = try Self.library()
        #expect(try Self.run(cue, "backup library").code == 0)
        let before = try cue.fingerprint("vault")
        try cue.shell("chmod 000 library")

        let backup = try Self.run(cue, "backup library")

        try cue.shell("chmod 755 library")
        #expect(backup.code == 1, "\(backup)")
        #expect(backup.errors.contains("library"), "\(backup.errors)")
        #expect(!backup.errors.contains("unexpected"), "\(backup.errors)")
        #expect(try cue.fingerprint("vault") == before)
    }

    @Test(
        "A vault of somebody else can be restored and checked, and a backup to it says what is missing",
        .enabled(if: canDropRights, "root reads everything, and setpriv is not here"))
    func vaultWithoutRights() throws {
        let cue = try Self.library()
        #expect(try Self.run(cue, "backup library").code == 0)
        try cue.shell("find vault -type d -exec chmod 555 {} +; echo more > library/More.md")
        let before = try cue.fingerprint("vault", "library")

        let backup = try Self.run(cue, "backup library")
        let check = try Self.run(cue, "check library --read-data")
        let list = try Self.run(cue, "ls --vault vault")

        #expect(backup.code == 1, "\(backup)")
        #expect(backup.errors.contains("no permission in the vault"), "\(backup.errors)")
        #expect(check.code == 0 && list.code == 0, "\(check.errors)\(list.errors)")
        #expect(try cue.fingerprint("vault", "library") == before)
        try cue.shell("find vault -type d -exec chmod 755 {} +")
        #expect(try Self.run(cue, "backup library").code == 0)
    }

    @Test(
        "A vault on a read-only disk restores, checks and lists; a backup says that it is read-only",
        .enabled(if: Machine.canMount, "needs root, to mount"))
    func readOnlyVault() throws {
        let cue = try Cue.small()
        try cue.shell("mount --bind vault vault && mount -o remount,bind,ro vault")
        try cue.shell("mkdir disk && mount -t tmpfs -o ro cue-test disk")
        defer { _ = try? cue.shell("umount vault disk") }
        try cue.write("More.md", "more")
        let second = cue.folder.appending("second")
        try FileManager.default.createDirectory(atPath: second, withIntermediateDirectories: true)

        try cue.refuses(["backup", cue.library], 1, "is read-only")
        try cue.refuses(["init", second, "--vault", cue.folder.appending("disk/new")], 1, "read-only")
        #expect(try cue.check("--read-data").code == 0)
        #expect(try cue.restore(to: "out", environment: cue.elsewhere).code == 0)
        #expect(try cue.folder.read("out/Essay.md") == "an essay")
        #expect(try cue.run("log", "--vault", cue.vault).code == 0)
        #expect(try cue.run("status", cue.library).code == 0)
        #expect(!cue.folder.exists("second/.cue"))
    }

    @Test(
        "A library on a read-only disk is backed up once it belongs to a vault",
        .enabled(if: Machine.canMount, "needs root, to mount"))
    func readOnlyLibrary() throws {
        let cue = try Cue.small()
        try cue.write("More.md", "more")
        try cue.shell("mount --bind library library && mount -o remount,bind,ro library")
        defer { _ = try? cue.shell("umount library") }

        #expect(try cue.backup().code == 0)
        try cue.refuses(
            ["restore", "Essay", "--at", "now", "--library", cue.library, "--overwrite", "--file", "x"], 1,
            "holds no file")
        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.folder.read("out/More.md") == "more")
    }

    @Test(
        "A state folder that cannot be written is said, and nothing else is touched",
        .enabled(if: canDropRights, "root writes everywhere, and setpriv is not here"))
    func stateFolder() throws {
        let cue = try Self.library()
        #expect(try Self.run(cue, "backup library").code == 0)
        try cue.shell("echo more > library/More.md; chown -R 0:0 home 2>/dev/null; chmod -R a-w,a+rX home")
        let before = try cue.fingerprint("vault", "library")

        let backup = try Self.run(cue, "backup library")

        #expect(backup.code == 1, "\(backup)")
        #expect(!backup.errors.contains("unexpected"), "\(backup.errors)")
        #expect(try cue.fingerprint("vault", "library") == before)
    }

    @Test(
        "A pack that may not be read is no damage, and nothing is stored because of it",
        .enabled(if: canDropRights, "root reads everything, and setpriv is not here"))
    func unreadablePack() throws {
        let cue = try Self.library()
        try cue.write("Long.md", Cue.inPack("long"))
        #expect(try Self.run(cue, "backup library").code == 0)
        try cue.shell("chmod 000 vault/packs/*/*")

        let check = try Self.run(cue, "check library --read-data --json")
        let backup = try Self.run(cue, "backup library --json")
        try cue.shell("chmod 644 vault/packs/*/*")

        #expect(check.code == 6 && check.text.contains("no permission to read it"), "\(check.text)")
        #expect(check.json["damaged_documents"].strings == [] && !check.text.contains("accept-older-vault"))
        #expect(backup.code == 0 && backup.json["added_bytes"].int == 0, "\(backup.text)")
        #expect(try Self.run(cue, "check library --read-data").code == 0)
    }

    @Test("A sync that has only the rights of a folder to tell does not say that there was nothing to do")
    func folderRights() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Drafts/1.md", "one")
        let other = try SecondDevice(cue)
        #expect(try cue.run("sync", cue.library).code == 0)
        #expect(try other.sync().code == 0)
        try cue.shell("chmod 700 library/Drafts")

        let told = try cue.run("sync", cue.library)
        let heard = try cue.run("sync", other.library, environment: other.environment)

        #expect(told.code == 0 && told.text.contains("B added  ("), "\(told.text)")
        #expect(heard.code == 0 && heard.text.contains("1 folder received  ("), "\(heard.text)")
        #expect(try cue.shell("stat -c %a other/Drafts").text == "700\n")
        #expect(try cue.run("sync", cue.library).text.contains("nothing to do"))
    }

    @Test(
        "A folder that may not be written is named by restore and export, with what to look at",
        .enabled(if: canDropRights, "root writes everywhere, and setpriv is not here"))
    func closedTarget() throws {
        let cue = try Self.library()
        #expect(try Self.run(cue, "backup library").code == 0)
        try cue.shell("mkdir shut && chmod 555 shut")
        defer { _ = try? cue.shell("chmod 755 shut") }

        for command in ["restore --vault vault --to", "export Good.md --library library --to"] {
            let there = try Self.run(cue, "\(command) shut")
            let made = try Self.run(cue, "\(command) shut/new")

            #expect(there.code == 3 && there.errors.contains("Good.md: it cannot be written"), "\(there)")
            #expect(there.errors.contains("hint: you may not write everywhere at shut: look who owns"), "\(there)")
            let told =
                made.errors.contains("you may not write at shut/new") || made.errors.contains("everywhere at shut/new")
            #expect(made.code != 0 && told && made.errors.contains("(`ls -ld`)"), "\(made)")
        }
    }
}
