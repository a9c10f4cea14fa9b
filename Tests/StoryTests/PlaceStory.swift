import CueTestSupport
import Foundation
import Testing

@Suite("Story: places that others may have changed")
struct PlaceStory {
    // MARK: The vault's place

    /// A library of which `.cue/library.toml` names a copy of the vault.
    private static func redirected() throws -> Cue {
        let cue = try Cue.small()
        try cue.copy("vault", "copy")
        try cue.shell("sed -i 's#/vault#/copy#' library/.cue/library.toml")
        return cue
    }

    @Test("Another place for the vault in .cue/library.toml is refused without a terminal, and nothing goes there")
    func redirect() throws {
        let cue = try Self.redirected()
        try cue.write("New.md", "new")
        let before = try cue.fingerprint("copy")

        for command in [["backup", cue.library], ["sync", cue.library], ["ls", "--library", cue.library]] {
            try cue.refuses(command, 1, "names another place for the vault")
        }

        #expect(try cue.fingerprint("copy") == before)
        #expect(try cue.run("status", cue.library).text.contains("not where this device knows it"))
    }

    @Test("cue init takes the new place over, and a marker that names the old one again is as before")
    func accepted() throws {
        let cue = try Self.redirected()
        let taken = try cue.run("init", cue.library, "--vault", cue.folder.appending("copy"), "--json")
        #expect(taken.code == 0 && taken.json["created"].bool == false, "\(taken.text)")
        #expect(try cue.backup().code == 0)

        let back = try Self.redirected()
        try back.shell("sed -i 's#/copy#/vault#' library/.cue/library.toml")
        #expect(try back.backup().code == 0)
    }

    @Test("On a terminal the new place is asked about: no changes nothing, yes holds", arguments: ["n", "y"])
    func asked(answer: String) throws {
        let cue = try Self.redirected()
        try cue.write("New.md", "new")

        let first = try Self.onTerminal(cue, ["backup", cue.library], typing: answer)

        #expect(first.contains("names another place for the vault than before"), "\(first)")
        #expect(try cue.backup().code == (answer == "y" ? 0 : 1))
    }

    /// Runs the program on a terminal of its own; gives what it showed.
    static func onTerminal(_ cue: Cue, _ arguments: [String], typing text: String = "") throws -> String {
        let script = """
            import os, pty, select, sys
            pid, terminal = pty.fork()
            if pid == 0: os.execv(sys.argv[1], [sys.argv[1]] + sys.argv[3:])
            shown, typed = b"", False
            while True:
                try: piece = os.read(terminal, 65536)
                except OSError: break
                if not piece: break
                shown += piece
                if sys.argv[2] and not typed and b"[n] no: " in shown:
                    typed = True
                    os.write(terminal, sys.argv[2].encode() + b"\\n")
            os.waitpid(pid, 0)
            sys.stdout.buffer.write(shown)
            """
        let result = try Running(
            Machine.anyPython, ["-c", script, Cue.binary, text] + arguments, environment: cue.environment,
            in: cue.folder.path
        ).result()
        return result.text
    }

    // MARK: What a terminal would obey

    private static let hostile = "one\u{1b}[2J two\u{9b}31m three\u{202e}four\ttab\r\nnext line\u{7}\n"

    @Test("cat obeys nothing on a terminal, and writes the bytes as they are to a pipe and with --raw")
    func cat() throws {
        let cue = Cue()
        try cue.write("Hostile.md", Self.hostile)
        try cue.initialize()
        try cue.snapshot()
        let command = ["cat", "Hostile", "--library", cue.library]

        let shown = try Self.onTerminal(cue, command)
        #expect(
            shown == "one\\x1b[2J two\\xc2\\x9b31m three\\xe2\\x80\\xaefour\ttab\r\nnext line\\x07\r\n",
            "\(shown.debugDescription)")
        #expect(try cue.start(command).result().text == Self.hostile)
        // The terminal itself puts a carriage return before each line end.
        #expect(
            try Self.onTerminal(cue, command + ["--raw"])
                == Self.hostile.replacingOccurrences(of: "\n", with: "\r\n"))
    }

    @Test("events list --json holds nothing on a terminal that it would obey, and says the same")
    func events() throws {
        let cue = try Cue.small()
        let payload = "{\"note\":\"\u{9b}31m and \u{202e}this\"}"
        #expect(try cue.run("events", "add", "walk", "--payload", payload, "--library", cue.library).code == 0)
        let command = ["events", "list", "--type", "walk", "--json", "--library", cue.library]

        let shown = try Self.onTerminal(cue, command)
        let piped = try cue.start(command).result()

        #expect(shown.contains("\\u009b31m and \\u202ethis"), "\(shown)")
        #expect(piped.text.contains("\u{9b}31m and \u{202e}this"))
        let same = JSON(Data(shown.utf8))["events"].list.first?["payload"]["note"].string
        #expect(same == piped.json["events"].list.first?["payload"]["note"].string && same != nil)
    }

    // MARK: The state folder

    @Test("A state folder in which others may write, or that is theirs, is refused with what to do")
    func stateOfOthers() throws {
        let cue = try Cue.small()
        try cue.shell("chmod 777 home")
        try cue.refuses(["backup", cue.library], 1, "other users may write in the folder with cue's memory")
        try cue.shell("chmod 720 home")
        try cue.refuses(["status", cue.library], 1, "(mode 720)")
        try cue.shell("chmod 700 home")
        #expect(try cue.backup().code == 0)
    }

    @Test(
        "A state folder of another user is refused; root, which stands in for users, takes it",
        .enabled(if: Machine.isRoot && Machine.has("setpriv")))
    func stateOfAnother() throws {
        let cue = try Cue.small()
        try cue.shell("chown -R 65534:65534 . && chown 12345 home && chmod 755 home")
        let asNobody = "setpriv --reuid=65534 --regid=65534 --clear-groups \"$CUE\" status library"

        let refused = try cue.shell(asNobody)

        #expect(refused.code == 1 && refused.errors.contains("belongs to another user"), "\(refused)")
        #expect(try cue.run("status", cue.library).code == 0)
    }

    @Test("A link in the place of a folder of the memory is not followed", arguments: ["vaults", "libraries"])
    func plantedLink(name: String) throws {
        let cue = Cue()
        try cue.write("Essay.md", "an essay")
        try cue.shell("mkdir -m 700 home elsewhere && ln -s ../elsewhere home/\(name)")

        let refused = try cue.run("init", cue.library, "--vault", cue.vault, "--kdf-memory", "64")

        #expect(refused.code == 1 && refused.errors.contains("a link or a file stands there"), "\(refused.errors)")
        #expect(try cue.shell("find elsewhere").text == "elsewhere\n")
        // Where the memory was there, and a link takes its place.
        let made = try Cue.small()
        try made.shell("mv home/\(name) elsewhere && ln -s ../elsewhere home/\(name)")
        try made.refuses(["backup", made.library], 1, "a link or a file stands there")
    }

    // MARK: Small

    @Test("A passphrase file that others may read is warned of; a link, a FIFO and a folder are named as what they are")
    func passphraseFile() throws {
        let cue = try Cue.small()
        let machine = cue.elsewhere.merging(["CUE_PASSPHRASE": nil]) { $1 }
        let list = ["ls", "--vault", cue.vault, "--passphrase-file"]
        try cue.folder.write("pass", cue.passphrase + "\n")

        for (mode, isWarned) in [("600", false), ("400", false), ("644", true), ("620", true), ("606", true)] {
            try cue.shell("chmod \(mode) pass")
            let listed = try cue.start(list + [cue.folder.appending("pass")], environment: machine).result()
            #expect(
                listed.code == 0 && listed.errors.contains("others may read or change") == isWarned,
                "\(mode): \(listed)")
        }
        try cue.shell("ln -s pass link; mkfifo fifo; mkdir folder")
        for (name, word) in [("link", "is a link"), ("fifo", "is a FIFO"), ("folder", "is a folder")] {
            try cue.refuses(list + [cue.folder.appending(name)], 1, word, environment: machine)
        }
    }

    @Test("What stands in the place of the vault's tmp is named as what it is", arguments: ["touch", "ln -s /tmp"])
    func wrongTmp(how: String) throws {
        let cue = try Cue.small()
        try cue.write("New.md", "new")
        try cue.shell("rm -rf vault/tmp; \(how) vault/tmp")

        let refused = try cue.run("backup", cue.library)
        #expect(refused.code == 1, "\(refused)")
        #expect(refused.errors.contains("stands where its folder tmp should be"), "\(refused.errors)")
    }

    @Test(
        "A vault of which all commits are gone is damaged; one whose first backup was cut off is not, for who made it")
    func emptied() throws {
        let cue = try Cue.small(inPack: true)
        try cue.copy("vault", "copy")
        try cue.shell("rm -r copy/log")

        let gone = try cue.run("check", "--vault", cue.folder.appending("copy"), "--json")
        #expect(gone.code == 6 && gone.json["problems"].strings.contains { $0.hasPrefix("log/:") }, "\(gone.text)")

        let begun = Cue()
        try begun.initialize()
        let pack = try #require(try cue.objects(in: "packs").first)
        try begun.shell(
            "mkdir -p \"$(dirname \"vault/$2\")\" && cp \"$1/vault/$2\" \"vault/$2\"", cue.folder.path, pack)
        #expect(try begun.run("check", begun.library).code == 0)
    }

    @Test("A file that was put into this device's own folder of the log is named and stops nothing else")
    func plantedCommit() throws {
        let cue = try Cue.small()
        try cue.shell("cd vault/log/* && head -c 1024 /dev/urandom > 0000000009-00000000000000aa")
        try cue.write("New.md", "new")

        for command in ["backup", "sync"] {
            let result = try cue.run(command, cue.library, "--json")
            #expect(result.code == 3 && result.text.contains("0000000009-00000000000000aa"), "\(result.text)")
        }

        #expect(try cue.run("check", cue.library).code == 6)
        try cue.shell("rm vault/log/*/0000000009-*")
        #expect(try cue.backup().code == 0 && cue.run("check", cue.library).code == 0)
        #expect(try cue.run("cat", "New", "--library", cue.library).text == "new")
    }

    @Test("A library's own vault at a new place is taken from there, without a question; another one is refused")
    func moved() throws {
        let cue = Cue()
        try cue.initialize("--name", "desk")
        try cue.write("a.md", "first")
        try cue.snapshot()
        try cue.shell("mv vault 'the new place'; mkdir other")
        let place = cue.folder.appending("the new place")
        #expect(try cue.run("init", "other", "--vault", "second", "--kdf-memory", "64", "--json").code == 0)

        let other = try cue.run("init", cue.library, "--vault", "second")
        let nothing = try cue.run("init", cue.library, "--vault", "nowhere")
        let moved = try cue.run("init", cue.library, "--vault", place, environment: ["CUE_PASSPHRASE": nil])
        try cue.write("b.md", "second")
        let backup = try cue.run("backup", cue.library, "--json")

        #expect(other.code == 1 && other.errors.contains("is tied to the vault at"), "\(other)")
        #expect(nothing.code == 1 && !cue.folder.exists("nowhere"), "\(nothing)")
        #expect(moved.code == 0 && moved.text.contains("is taken from \(place) from here on"), "\(moved)")
        #expect(backup.code == 0 && backup.json["new"].int == 1, "\(backup)")
        #expect(try cue.run("ls", "--vault", place, "--json").json["documents"].list.count == 2)
        // With options of a join it is one.
        try cue.shell("mv 'the new place' vault")
        #expect(try cue.run("init", cue.library, "--vault", cue.vault, "--forget-key").code == 0)
        #expect(try cue.shell("find \"$CUE_HOME\" -name key").text.split(separator: "\n").count == 1)
        #expect(try cue.run("backup", cue.library, environment: ["CUE_PASSPHRASE": nil]).code == 5)
    }

}
