import CueTestSupport
import Foundation
import Testing

@Suite("Story: what a check finds, and what is to be done then")
struct CheckStory {
    private static let oneOff = #"""
        import sys
        with open(sys.argv[1], "r+b") as file:
            file.seek(1000)
            there = file.read(2)
            file.seek(1000)
            file.write(bytes(byte ^ 0x55 for byte in there))
        """#

    /// Two backups, so two packs; the one of the first is given.
    private static func stored(_ more: String...) throws -> (Cue, pack: String) {
        let cue = Cue()
        try FileManager.default.createDirectory(atPath: cue.library, withIntermediateDirectories: true)
        let made = try cue.start(["init", cue.library, "--vault", cue.vault, "--kdf-memory", "64"] + more).result()
        #expect(made.code == 0, "\(made.errors)")
        for page in 1...3 { try cue.write("Page \(page).md", "page \(page)") }
        try cue.write("Page 4.md", Cue.inPack("page 4"))
        try cue.snapshot()
        let first = try #require(try cue.objects(in: "packs").first)
        try cue.write("Page 2.md", "page 2, better")
        try cue.write("Page 5.md", Cue.inPack("page 5"))
        try cue.snapshot()
        return (cue, "vault/" + first)
    }

    private static func expectWhole(_ cue: Cue) throws {
        // What was named is read again, as the vault may have lost it.
        #expect(try cue.run("backup", cue.library).code == 0)
        #expect(try cue.run("status", cue.library, "--short").text == "ok\n")
        #expect(try cue.run("status", cue.library, "--json").json["vault_problem"].string == "")
    }

    @Test("What a reading finds, the status says until a reading finds nothing")
    func changedInPlace() throws {
        let (cue, pack) = try Self.stored()
        try cue.python(Self.oneOff, pack)

        let found = try cue.run("check", cue.library, "--read-data")

        #expect(found.code == 6, "\(found.text)")
        let status = try cue.run("status", cue.library)
        #expect(status.text.contains("The vault is damaged (packs/"), "\(status.text)")
        #expect(status.text.contains("verified 1 of 2 packs was read back and found right"), "\(status.text)")
        #expect(try cue.run("status", cue.library, "--short").text == "damaged vault\n")
        let read = try cue.run("status", cue.library, "--json").json
        #expect(read["vault_problem"].string.contains("packs/") && read["never_verified"].int == 1)

        // Its size is right; what was found damaged before is read in any case.
        let again = try cue.run("check", cue.library)
        #expect(again.code == 6 && again.errors.contains("packs/"), "\(again.text)\(again.errors)")
        #expect(try cue.run("status", cue.library, "--short").text == "damaged vault\n")
        try cue.python(Self.oneOff, pack)
        #expect(try cue.run("check", cue.library).code == 0)
        try Self.expectWhole(cue)
        let whole = try cue.run("status", cue.library).text
        #expect(whole.contains("verified all of the vault was read back and found right"), "\(whole)")
    }

    @Test("What is seen without reading, the status says until a check sees it no more")
    func missing() throws {
        let (cue, pack) = try Self.stored()
        try cue.rename(pack, "aside")

        #expect(try cue.run("check", cue.library).code == 6)

        #expect(try cue.run("status", cue.library, "--short").text == "damaged vault\n")
        try cue.rename("aside", pack)
        #expect(try cue.run("check", cue.library).code == 0)
        try Self.expectWhole(cue)
    }

    @Test("What a lost pack held is stored again from the folder, after a backup has noticed it, without a check")
    func lostPack() throws {
        let (cue, pack) = try Self.stored()
        try cue.remove(pack)
        try cue.write("Page 9.md", "page 9")

        let noticed = try cue.run("backup", cue.library)

        #expect(noticed.code == 3 && noticed.errors.contains("stored again from this folder"), "\(noticed.errors)")
        #expect(try cue.run("backup", cue.library).code == 0)
        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.differences("library", "out", "--content-only") == "")
        // The old text of page 2 was in that pack alone.
        let check = try cue.run("check", cue.library)
        #expect(check.code == 6 && check.errors.contains("Page 2.md"), "\(check.errors)")
        #expect(!check.errors.contains("Page 1.md"))
    }

    @Test("A lost pack of which everything was stored again is no damage any more")
    func replacedPack() throws {
        let cue = Cue()
        try cue.initialize()
        for page in 1...3 { try cue.write("Page \(page).md", Cue.inPack("page \(page)")) }
        try cue.snapshot()
        let pack = "vault/" + (try #require(try cue.objects(in: "packs").first))
        try cue.remove(pack)
        #expect(try cue.run("check", cue.library).code == 6)

        let again = try cue.run("backup", cue.library, "--json")

        #expect(again.code == 3 && again.json["stored_again"].strings.count == 3, "\(again.text)")
        let check = try cue.run("check", cue.library, "--read-data")
        #expect(check.code == 0, "\(check.errors)")
        try Self.expectWhole(cue)
    }

    @Test("What a run refuses, the status says until a run reads the vault again")
    func wentBack() throws {
        let (cue, _) = try Self.stored()
        try cue.copy("vault", "older")
        try cue.write("Page 2.md", "page 2, better still")
        try cue.snapshot()
        try cue.rename("vault", "newer")
        try cue.rename("older", "vault")

        let library = ["--library", cue.library]
        for command in [
            ["ls"], ["log"], ["log", "Page 2"], ["cat", "Page 2"], ["diff", "Page 2"],
            ["restore", "--to", cue.folder.appending("out")],
        ] {
            let shown = try cue.start(command + library).result()
            #expect(shown.errors.contains("older than what was stored"), "\(command): \(shown.errors)")
        }
        for form in [[], ["--json"]] {
            let shown = try cue.start(["conflicts", cue.library] + form).result()
            #expect(shown.errors.contains("older than what was stored"), "\(shown.errors)")
        }
        #expect(try cue.run("sync", cue.library).code == 6)

        let status = try cue.run("status", cue.library)
        #expect(status.text.contains("The vault is damaged (the vault went back in time: 1 commit"), "\(status.text)")
        #expect(try cue.run("status", cue.library, "--short").text == "damaged vault\n")
        try cue.rename("vault", "older")
        try cue.rename("newer", "vault")
        try Self.expectWhole(cue)
    }

    @Test("What a check finds in a copy of the vault says nothing of the vault itself")
    func copy() throws {
        let (cue, pack) = try Self.stored()
        try cue.copy("vault", "copy")
        try cue.python(Self.oneOff, pack)
        #expect(try cue.run("check", cue.library, "--read-data").code == 6)

        let whole = try cue.run("check", cue.library, "--vault", cue.folder.appending("copy"), "--read-data")

        #expect(whole.code == 0, "\(whole.text)\(whole.errors)")
        #expect(try cue.run("status", cue.library, "--short").text == "damaged vault\n")
    }

    @Test("What a watcher reads each day begins with what a check found broken")
    func readNext() throws {
        let (cue, pack) = try Self.stored()
        #expect(try cue.run("check", cue.library, "--read-data").code == 0)
        try cue.python(Self.oneOff, pack)
        #expect(try cue.run("check", cue.library, "--read-data").code == 6)
        let slice = """
            import sqlite3, glob
            store = sqlite3.connect(glob.glob("home/libraries/*/store.db")[0])

            """
        try cue.python(
            slice + "store.execute(\"UPDATE meta SET value = '5' WHERE key = 'last slice'\"); store.commit()")
        let watching = try Watching(cue)

        let asked = slice + "print(*store.execute(\"SELECT value FROM meta WHERE key = 'last slice'\").fetchone())"
        #expect(try eventually { try cue.python(asked).text != "5\n" })
        #expect(try watching.stop().errors.contains("the vault is damaged: packs/"))
        #expect(try cue.run("status", cue.library, "--short").text == "damaged vault\n")
    }

    @Test("A check that finds damage says what to do; done so, what is still in the folder is in the vault again")
    func storedAgain() throws {
        let (cue, pack) = try Self.stored("--name", "desk")
        try cue.python(Self.oneOff, pack)
        let found = try cue.run("check", cue.library, "--read-data")
        let wayOut =
            "`cue init \(cue.library) --vault \(cue.vault) --accept-older-vault`, then `cue backup \(cue.library)`"
        #expect(found.errors.contains("hint: if there is a copy of the vault that is whole"), "\(found.errors)")
        #expect(
            found.errors.contains("move what is cut or changed out of the vault, then \(wayOut)"), "\(found.errors)")

        try cue.rename(pack, "aside")
        let without = try cue.run("check", cue.library, "--json")
        #expect(without.json["hints"].strings.count == 4 && !"\(without.json["hints"])".contains("move what"))
        let again = try cue.run("init", cue.library, "--vault", cue.vault, "--accept-older-vault", "--json")
        #expect(again.code == 0 && again.json["device"].string == "desk", "\(again.text)\(again.errors)")
        #expect(try cue.run("backup", cue.library).code == 0)

        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.differences("library", "out", "--content-only") == "")
        #expect(try cue.run("status", cue.library, "--json").json["device"].string == "desk")
        // The version that only the lost pack had stays lost, and is named.
        let rest = try cue.run("check", cue.library, "--json")
        #expect(rest.code == 6 && rest.json["damaged_documents"].strings.count == 1, "\(rest.text)")
    }

    @Test("Where only a key slot is wrong, nothing is to be stored again")
    func keys() throws {
        let (cue, _) = try Self.stored()
        #expect(try cue.shell("for slot in vault/keys/*; do echo > \"$slot\"; done").code == 0)

        let found = try cue.run("check", cue.library, "--json")

        #expect(found.code == 6 && !found.json["hints"].strings.isEmpty, "\(found.text)")
        #expect(!found.text.contains("--accept-older-vault"), "\(found.text)")
    }
}
