import CueTestSupport
import Foundation
import Testing

@Suite("Story: a vault that moved is found")
struct MovedVaultStory {
    /// A library that was backed up, and its vault under another name.
    private func moved() throws -> Cue {
        let cue = try Cue.small()
        try cue.rename("vault", "vault of 2026")
        return cue
    }

    @Test(
        "A vault with another name beside its old place is named by errors and by status, with the command that takes it"
    )
    func named() throws {
        let cue = try moved()
        let place = cue.vault + " of 2026"

        let failed = try cue.run("backup", cue.library)
        let status = try cue.run("status", cue.library)
        let json = try cue.run("status", cue.library, "--json").json

        #expect(failed.code == 7 && failed.errors.contains("is at \(place) now"), "\(failed.errors)")
        #expect(failed.errors.contains("`cue init \(cue.library) --vault '\(place)'`"), "\(failed.errors)")
        #expect(status.text.contains("is at \(place) now"), "\(status.text)")
        #expect(json["vault_found_at"].string == place)
        #expect(try cue.run("init", cue.library, "--vault", place).code == 0)
        #expect(try cue.run("backup", cue.library).code == 0)
    }

    @Test("cue init with another place, or with the old one, names the place where the vault is")
    func initialized() throws {
        let cue = try moved()

        for place in [cue.vault, cue.folder.appending("new")] {
            let refused = try cue.run("init", cue.library, "--vault", place)
            #expect(refused.code != 0 && refused.errors.contains("is at \(cue.vault) of 2026 now"), "\(refused.errors)")
            #expect(!cue.folder.exists("new"))
        }
    }

    @Test("On a terminal Enter goes on with it there, and no leaves everything as it was")
    func asked() throws {
        let cue = try moved()
        func backup(_ answer: String) throws -> Running.Result {
            try Typing.run(cue, ["backup", cue.library], answers: [("[Y/n]: ", answer + "\n")])
        }

        let refused = try backup("n")
        #expect(refused.code == 7 && refused.text.contains("goes on with it there"), "\(refused.text)")
        let taken = try backup("")
        #expect(taken.code == 0, "\(taken.text)")
        #expect(try cue.run("backup", cue.library).code == 0)
        #expect(try cue.run("status", cue.library, "--json").json["vault"].string == cue.vault + " of 2026")
    }

    @Test("Another vault at the old place's neighbour is not offered, nor one behind a link")
    func others() throws {
        let cue = try Cue.small()
        let other = try Cue.small()
        // Where no search for it goes.
        let away = TemporaryFolder()
        defer { withExtendedLifetime(away) {} }
        try cue.shell("mkdir -p \"$2/a/b\"; mv vault \"$2/a/b\"; ln -s \"$2/a/b/vault\" link", other.vault, away.path)
        try cue.shell("cp -a \"$1\" other", other.vault)

        let failed = try cue.run("backup", cue.library)

        #expect(failed.code == 7 && failed.errors.contains("is its disk plugged in"), "\(failed.errors)")
    }

    @Test(
        "A stick with a new mount point is found under the mounted disks",
        .enabled(if: Machine.canMount, "needs root, to mount"))
    func stick() throws {
        let cue = Cue()
        let point = "/mnt/cue-test-\(UUID().uuidString)"
        defer { _ = try? cue.shell("umount \"$1\"/usb*; rmdir \"$1\"/usb* \"$1\"", point) }
        let mounted = try cue.shell("mkdir -p \"$1/usb\" \"$1/usb1\" library; mount -t tmpfs none \"$1/usb\"", point)
        try #require(mounted.code == 0, "\(mounted.errors)")
        try cue.write("a.md", "a")
        let made = try cue.run(
            "init", cue.library, "--vault", point + "/usb/backups/of/mine", "--kdf-memory", "64", "--json")
        #expect(made.code == 0, "\(made)")
        #expect(made.json["vault_on_same_disk"].bool == false)
        #expect(try cue.backup().code == 0)

        let moved = try cue.shell("mount --move \"$1/usb\" \"$1/usb1\" || { umount \"$1/usb\"; exit 1; }", point)
        try #require(moved.code == 0, "\(moved.errors)")
        let failed = try cue.run("backup", cue.library)

        #expect(failed.code == 7, "\(failed)")
        #expect(failed.errors.contains("is at \(point)/usb1/backups/of/mine now"), "\(failed.errors)")
    }

    @Test("A copy from before the last backup is named and not taken, and the vault itself is found behind it")
    func older() throws {
        let cue = try Cue.small()
        try cue.shell("cp -a vault 'a copy'")
        try cue.write("b.md", "written since")
        #expect(try cue.backup().code == 0)
        try cue.rename("vault", "moved")

        let found = try cue.run("backup", cue.library)
        try cue.shell("mv moved /tmp/cue-away-$$ && rm -r /tmp/cue-away-$$")
        let alone = try Typing.run(cue, ["backup", cue.library], answers: [("[Y/n]", "\n")])

        #expect(found.errors.contains("is at \(cue.folder.appending("moved")) now"), "\(found.errors)")
        #expect(alone.code == 7 && alone.text.contains("from before your last backups"), "\(alone.text)")
        #expect(!alone.text.contains("[Y/n]"))
        #expect(try cue.run("status", cue.library, "--json").json["vault"].string == cue.vault)
    }

    @Test("A watcher says once where the vault is now, and goes on when it is told")
    func watcher() throws {
        let cue = try Cue.small()
        let (watcher, place) = (try Watching(cue), cue.folder.appending("elsewhere"))
        try cue.rename("vault", "elsewhere")
        try cue.write("b.md", "new")
        #expect(try eventually { try watcher.logSoFar().contains("goes on with it there") })

        #expect(try cue.run("init", cue.library, "--vault", place).code == 0)
        try cue.write("b.md", "newer")
        #expect(try eventually { try cue.run("ls", "--vault", place).text.contains("b.md") })

        let log = try watcher.stop().errors
        #expect(log.components(separatedBy: "goes on with it there").count == 2, "\(log)")
    }

    @Test("init says once that vault and library are on one disk")
    func oneDisk() throws {
        let cue = Cue()
        try cue.shell("mkdir library")

        let made = try cue.run("init", cue.library, "--vault", cue.vault, "--kdf-memory", "64")

        #expect(made.text.contains("a broken disk takes both"), "\(made.text)")
        #expect(try cue.run("status", cue.library, "--json").json["vault_on_same_disk"].bool == true)
        #expect(try !cue.run("status", cue.library).text.contains("broken disk"))
    }
}
