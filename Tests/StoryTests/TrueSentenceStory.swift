import CueTestSupport
import Foundation
import Testing

@Suite("Story: sentences that are true")
struct TrueSentenceStory {
    private static let noPassphrase: [String: String?] = ["CUE_PASSPHRASE": nil]

    @Test(
        "A question for a passphrase that is ended with Ctrl-C or Ctrl-D says that nothing was made",
        arguments: [("\u{3}", 130), ("\u{4}", 5)])
    func stopped(keys: String, code: Int32) throws {
        let cue = Cue()
        try cue.shell("mkdir library")

        let making = try Typing.run(
            cue, ["init", cue.library, "--vault", cue.vault], answers: [("are best): ", keys)],
            environment: Self.noPassphrase)
        try cue.initialize()
        let opening = try Typing.run(
            cue, ["ls", "--vault", cue.vault], answers: [("\(cue.vault): ", keys)],
            environment: Self.noPassphrase.merging(cue.elsewhere) { $1 })

        #expect(making.code == code && making.text.contains("stopped; nothing was made"), "\(making)")
        #expect(opening.code == code && opening.text.contains("stopped; nothing was done"), "\(opening)")
    }

    @Test("A passphrase command that fails ends with 5, as one that prints nothing does")
    func failingCommand() throws {
        let cue = Cue()
        try cue.initialize()

        for command in ["exit 3", "true"] {
            let environment = ["CUE_PASSPHRASE": nil, "CUE_PASSPHRASE_COMMAND": command].merging(cue.elsewhere) { $1 }
            #expect(try cue.run("ls", "--vault", cue.vault, environment: environment).code == 5, "\(command)")
        }
    }

    @Test("Before the first backup ls and log say that nothing is stored yet, and after it no more")
    func nothingYet() throws {
        let cue = Cue()
        try cue.initialize()
        for command in ["ls", "log"] {
            let result = try cue.run(command, "--library", cue.library)
            #expect(result.code == 0 && result.text == "Nothing is stored yet: `cue backup`.\n", "\(result)")
        }

        try cue.write("Essay.md", "one")
        try cue.snapshot()
        try cue.remove("library/Essay.md")
        try cue.run("backup", cue.library, "--allow-deletions")

        let emptied = try cue.run("ls", "--library", cue.library).text
        #expect(emptied.contains("1 was deleted") && !emptied.contains("Nothing is stored"), "\(emptied)")
    }

    @Test("A folder inside of a library is named as that, and is no library of its own")
    func inside() throws {
        let cue = Cue()
        let folder = cue.folder.appending("my library")
        try cue.shell("mkdir -p 'my library/My Novel'")
        try cue.run("init", folder, "--vault", cue.vault, "--kdf-memory", "64")

        for command in [
            ["backup", folder + "/My Novel"], ["init", folder + "/My Novel", "--vault", cue.vault + " 2"],
        ] {
            let result = try cue.start(command).result()
            #expect(result.code == 1 && result.errors.contains("is in the library \(folder)"), "\(result)")
            #expect(result.errors.contains("'\(folder)'"), "the hint can be pasted: \(result)")
        }
        #expect(try cue.run("init", folder, "--vault", cue.vault, "--kdf-memory", "64").code == 0, "again")
    }

    @Test("A backup into a vault with which the folder shares nothing stops, as a sync does, and goes on with --merge")
    func strangers() throws {
        let cue = try Cue.small()
        let other = cue.folder.appending("other")
        try cue.folder.write("other/Recipes.md", "soup")
        let there = cue.elsewhere
        #expect(try cue.run("init", other, "--vault", cue.vault, environment: there).code == 0)

        let refused = try cue.run("backup", other, environment: there)
        let meant = try cue.run("backup", other, "--merge", environment: there)
        let next = try cue.run("backup", other, environment: there)

        #expect(refused.code == 1 && refused.errors.contains("--merge"), "\(refused)")
        #expect(meant.code == 0 && next.code == 0, "\(meant)\(next)")
    }

    @Test("Where no vault is, commands that read offer no new one")
    func noVault() throws {
        let cue = Cue()
        try cue.shell("mkdir empty out")
        let place = ["--vault", cue.folder.appending("empty")]

        for command in [["ls"], ["log"], ["cat", "x"], ["check"], ["restore", "--to", cue.folder.appending("out")]] {
            let result = try cue.start(command + place).result()
            #expect(result.code == 1 && result.errors.contains("vault.json"), "\(result)")
            #expect(!result.errors.contains("cue init"), "\(result)")
        }
    }

    @Test("Where a pack is not there, check says that it may not have arrived yet")
    func notArrived() throws {
        let cue = try Cue.small(inPack: true)
        try cue.shell("rm vault/packs/*/*")

        let result = try cue.run("check", cue.library)

        #expect(result.code == 6 && result.text.contains("is damaged, or has not arrived whole yet"), "\(result)")
        #expect(result.errors.contains("wait for it"), "\(result)")
    }

    @Test("resolve on a document in no conflict says what its sync has stored")
    func resolve() throws {
        let cue = try Cue.small()
        let before = try cue.run("resolve", "Essay", "--keep", "this", "--library", cue.library)
        try cue.write("New.md", "one")

        let after = try cue.run("resolve", "New", "--keep", "this", "--library", cue.library)

        #expect(before.code == 1 && before.errors.contains("nothing was changed"), "\(before)")
        #expect(after.code == 1 && after.errors.contains("1 stored"), "\(after)")
        #expect(!after.errors.contains("nothing was changed"))
    }

    @Test("With --exit-code status and diff end with 1 while something is not stored, or differs")
    func exitCode() throws {
        let cue = try Cue.small()
        func codes() throws -> [Int32] {
            [
                try cue.run("status", cue.library, "--exit-code").code,
                try cue.run("status", cue.library, "--short", "--exit-code").code,
                try cue.run("diff", "--library", cue.library, "--exit-code", "--json").code,
            ]
        }

        #expect(try codes() == [0, 0, 0])
        try cue.write("Essay.md", "something else")
        #expect(try codes() == [1, 1, 1])
        #expect(try cue.run("status", cue.library).code == 0)
        try cue.snapshot()
        #expect(try codes() == [0, 0, 0])
    }

    @Test("--at takes the snapshot before the latest, and names the first where none is so old")
    func before() throws {
        let cue = Cue()
        try cue.initialize()
        for text in ["one", "two"] {
            try cue.write("Essay.md", text)
            try cue.snapshot()
        }

        let old = try cue.run("cat", "Essay", "--at", "latest~1", "--library", cue.library)
        let none = try cue.run("cat", "Essay", "--at", "latest~2", "--library", cue.library)
        let ancient = try cue.run("ls", "--at", "22 Nov 2001", "--library", cue.library)

        #expect(old.code == 0 && old.text == "one", "\(old)")
        for result in [none, ancient] {
            #expect(result.code == 1 && result.errors.contains("; the first is of 20"), "\(result)")
        }
    }
}
