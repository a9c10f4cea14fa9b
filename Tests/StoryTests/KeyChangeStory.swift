import CueTestSupport
import Foundation
import Testing

@Suite("Story: the keys of a vault change")
struct KeyChangeStory {
    /// A library on one device, and one on another that opened the vault by a passphrase of its own.
    private struct Two {
        let cue = Cue()
        let laptop: [String: String?]
        let second: String
        /// The laptop's slot.
        let slot: String

        init() throws {
            try cue.initialize()
            try cue.write("Essay.md", "an essay")
            try cue.snapshot()
            let file = try cue.folder.write("another", "of the laptop alone\n")
            try cue.shell("chmod 600 another; mkdir second")
            let added = try cue.run(
                "key", "add", "--library", cue.library, "--label", "the laptop", "--new-passphrase-file", file,
                "--kdf-memory", "64", "--json")
            #expect(added.code == 0 && added.json["epoch"].int == 2, "\(added.text)\(added.errors)")
            slot = added.json["added"].string
            second = cue.folder.appending("second")
            laptop = cue.elsewhere.merging(["CUE_PASSPHRASE": "of the laptop alone"]) { $1 }
            #expect(try cue.run("init", second, "--vault", cue.vault, environment: laptop).code == 0)
            #expect(try cue.run("sync", second, environment: laptop).code == 0)
        }

        /// The laptop, where nobody types a passphrase.
        var alone: [String: String?] { laptop.merging(["CUE_PASSPHRASE": nil]) { $1 } }
        func sync(_ environment: [String: String?]) throws -> Running.Result {
            try cue.run("sync", second, environment: environment)
        }
    }

    @Test("A new key needs nobody's passphrase: another device goes on by itself, and a new one reads everything")
    func renewed() throws {
        let two = try Two()
        let cue = two.cue
        let renewed = try cue.run("key", "renew", "--library", cue.library, environment: ["CUE_PASSPHRASE": nil])
        #expect(renewed.code == 0 && renewed.text.contains("number 3"), "\(renewed.text)\(renewed.errors)")
        try cue.write("Later.md", "under the new key")
        try cue.snapshot()

        #expect(try two.sync(two.alone).code == 0)
        try cue.folder.write("second/Theirs.md", "also under the new key")
        #expect(try two.sync(two.alone).code == 0)
        #expect(try cue.run("sync", cue.library).code == 0)

        #expect(try cue.restore(to: "out", environment: cue.elsewhere).code == 0)
        #expect(try cue.differences("library", "out") == "")
        #expect(try cue.check().code == 0)
        #expect(try cue.objects(in: "epochs").count == 3)
    }

    @Test("A removed passphrase opens nothing that comes after, and its device says so and asks for another")
    func removed() throws {
        let two = try Two()
        let (cue, file) = (two.cue, "vault/keys/" + two.slot)
        try cue.copy(file, "kept")
        let removed = try cue.run("key", "remove", String(two.slot.prefix(6)), "--library", cue.library)
        #expect(removed.code == 0 && removed.text.contains("stays readable"), "\(removed.text)\(removed.errors)")
        try cue.write("Later.md", "not for the laptop")
        try cue.snapshot()

        let refused = try two.sync(two.alone)
        #expect(
            refused.code == 5 && refused.errors.contains("the keys of this vault were changed"), "\(refused.errors)")
        try cue.copy("kept", file)
        // The file that was put back opens what was stored before, and no more.
        let before = try cue.run("ls", "--vault", cue.vault, environment: two.laptop.merging(cue.elsewhere) { $1 })
        #expect(before.text.contains("Essay.md") && !before.text.contains("Later.md"), "\(before.text)")
        let rows = try cue.run("key", "list", "--library", cue.library, "--json").json["slots"].list
        #expect(rows.first { $0["slot"].string == two.slot }?["listed"].bool == false)
        #expect(rows.count { $0["listed"].bool == true } == 2 && rows.count { $0["used"].bool == true } == 1)

        #expect(try two.sync(two.laptop.merging(["CUE_PASSPHRASE": cue.passphrase]) { $1 }).code == 0)
        #expect(try two.sync(two.alone).code == 0, "it remembers the new keys")
        try cue.refuses(["key", "remove", two.slot, "--library", cue.library], 1, "no slot of this vault")
    }

    @Test("At a terminal a removal is asked about, with a word on the slot that this device uses; --yes does not ask")
    func asked() throws {
        let two = try Two()
        let (cue, end) = (two.cue, "Remove it? [y/N] ")
        let remove = ["key", "remove", two.slot]
        let own = try Typing.run(
            cue, remove + ["--library", two.second], answers: [(after: end, keys: "\n")], environment: two.laptop)
        let text = own.text.replacing("\n", with: " ")
        #expect(own.code == 1 && text.contains("the slot was not removed; nothing was changed"), "\(text)")
        #expect(text.contains("(the laptop)") && text.contains("This device opens the vault through it"), "\(text)")
        #expect(try cue.objects(in: "keys").contains("keys/" + two.slot))

        let other = try Typing.run(
            cue, remove + ["--library", cue.library], answers: [(after: end, keys: "n\n")])
        #expect(other.code == 1 && !other.text.contains("This device opens"), "\(other.text)")
        let unasked = try Typing.run(cue, remove + ["--yes", "--library", cue.library], answers: [])
        #expect(unasked.code == 0 && !unasked.text.contains("[y/N]"), "\(unasked.text)")

        // It was right once, and is not called wrong alone.
        let machine = cue.elsewhere.merging(["CUE_PASSPHRASE": "of the laptop alone"]) { $1 }
        try cue.refuses(["ls", "--vault", cue.vault], 5, "or one that was removed", environment: machine)
    }

    @Test("No slot is removed by a digit or two, or if no other is there whole: then nobody could open the vault")
    func lastWhole() throws {
        let two = try Two()
        let cue = two.cue
        try cue.refuses(["key", "remove", String(two.slot.prefix(3)), "--library", cue.library], 1, "too few digits")
        let others = try cue.objects(in: "keys").filter { $0 != "keys/" + two.slot }
        for other in others {
            #expect(try cue.shell("cp \"$1\" kept-${1##*/} && printf x >> \"$1\"", cue.vault + "/" + other).code == 0)
        }
        try cue.refuses(["key", "remove", two.slot, "--library", cue.library], 1, "the last key slot that is there")
        #expect(try cue.objects(in: "keys").contains("keys/" + two.slot))
    }

    @Test("A watcher goes on, and writes with the new key, while another device changes the keys")
    func watched() throws {
        let two = try Two()
        let cue = two.cue
        let watcher = try Watching(cue, library: two.second, environment: two.alone)
        #expect(try cue.run("key", "renew", "--library", cue.library).code == 0)
        try cue.write("Later.md", "under the new key")
        try cue.snapshot()
        let came = eventually(within: 60) { cue.folder.exists("second/Later.md") }
        let log = try watcher.logSoFar()
        #expect(came, "\(log)")

        try cue.folder.write("second/Theirs.md", "by the watcher")
        #expect(try eventually(within: 60) { try cue.run("ls", "--vault", cue.vault).text.contains("Theirs.md") })

        let epoch = try #require(cue.objects(in: "epochs").max()).suffix(16)
        let written = try cue.shell("for f in $(ls -t vault/log/*/* | head -1); do xxd -p -l 8 $f; done")
        #expect(written.text == epoch + "\n")
        #expect(try watcher.stop().code == 0)
    }

    @Test("A vault whose newest key went missing went back in time: backups stop, and readers read")
    func wentBack() throws {
        let two = try Two()
        let cue = two.cue
        let newest = "vault/" + (try #require(cue.objects(in: "epochs").max()))
        try cue.rename(newest, "epoch")

        for command in ["backup", "sync"] {
            try cue.refuses([command, cue.library], 6, "1 change of its keys that this device has seen")
        }
        #expect(try cue.check().code == 6)
        #expect(try cue.restore(to: "out").code == 0)
        try cue.rename("epoch", newest)
        #expect(try cue.backup().code == 0)
        #expect(try cue.run("status", cue.library, "--short").text == "ok\n")
    }
}
