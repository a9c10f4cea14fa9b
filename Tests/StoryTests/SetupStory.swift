import CueTestSupport
import Foundation
import Testing

@Suite("Story: where a vault and a memory may be")
struct SetupStory {
    // MARK: A vault that is still being copied

    @Test(
        "A vault of which the key slots arrived before vault.json is not taken for an empty folder, and no slot is deleted",
        arguments: [["keys"], ["keys", "tmp"], ["keys", "packs"], ["keys", "packs", "log"]])
    func unfinished(parts: [String]) throws {
        let cue = try Cue.small(inPack: true)
        try cue.rename("vault", "source")
        try cue.rename("library", "tied")
        try cue.shell("mkdir -p vault library source/tmp; echo mine > library/Mine.md")
        for part in parts { try cue.copy("source/" + part, "vault/" + part) }
        let sentence = parts.contains("packs") ? "holds other files and is no vault" : "holds key slots of a vault"

        try cue.refuses(["init", cue.library, "--vault", cue.vault], 1, sentence)

        #expect(try cue.objects(in: "keys").count == 2)
        #expect(!cue.folder.exists("library/.cue") && !cue.folder.exists("vault/vault.json"))
        // Once the rest is there it is joined.
        try cue.shell("cp -rn source/. vault/")
        let joined = try cue.run("init", cue.library, "--vault", cue.vault, "--json")
        #expect(joined.code == 0 && joined.json["created"].bool == false, "\(joined.text)")
        #expect(joined.json["documents"].int == 4, "\(joined.text)")
    }

    @Test(
        "A key slot that a sync service is still bringing, under a name of its own, counts as one",
        arguments: ["0123456789abcdef.part", ".syncthing.0123456789abcdef.tmp", ".0123456789abcdef.Ab3dEf", "sub/slot"])
    func slotUnderWay(name: String) throws {
        let cue = Cue()
        try cue.write("Mine.md", "mine")
        try cue.folder.write("vault/keys/" + name, "half a slot")

        let result = try cue.run("init", cue.library, "--vault", cue.vault, "--kdf-memory", "64")

        #expect(result.code == 1, "\(result.text)")
        #expect(result.errors.contains("holds key slots of a vault"), "\(result.errors)")
        #expect(try cue.shell("cd vault && find . -type f").text == "./keys/\(name)\n")
        #expect(try cue.folder.read("vault/keys/" + name) == "half a slot")
    }

    // MARK: A file in the place of the marker

    @Test(
        "A file or link called .cue is named before anything is made", arguments: ["echo mine > .cue", "ln -s . .cue"])
    func markerBlocked(making: String) throws {
        let cue = Cue()
        try cue.write("Essay.md", "an essay")
        try cue.shell("cd library && \(making)")

        for arguments in [["init", cue.library, "--vault", cue.vault], ["backup", cue.library]] {
            try cue.refuses(arguments, 1, "called .cue")
            let result = try cue.start(arguments).result(deadline: 60)
            #expect(result.errors.contains("give it another name"), "\(result.errors)")
        }

        #expect(!cue.folder.exists("vault"))
        #expect(try cue.shell("ls -A library").text == ".cue\nEssay.md\n")
    }

    // MARK: A memory in the wrong place

    @Test("A state folder inside of the library is refused, by no matter which variable and name it is found")
    func stateInside() throws {
        let cue = Cue()
        try cue.write("Essay.md", "an essay")
        try cue.shell("mkdir vault; ln -s library alias")
        let inside = "is inside this folder"
        let places: [[String: String?]] = [
            ["CUE_HOME": cue.library], ["CUE_HOME": cue.library + "/memory"], ["CUE_HOME": cue.library + "/a/b/c"],
            ["CUE_HOME": cue.folder.appending("alias/memory")], ["CUE_HOME": cue.library + "/../library/memory"],
            ["CUE_HOME": nil, "XDG_STATE_HOME": cue.library], ["CUE_HOME": "", "XDG_STATE_HOME": cue.library],
            ["CUE_HOME": nil, "XDG_STATE_HOME": nil, "HOME": cue.library],
        ]

        for place in places {
            try cue.refuses(["init", cue.library, "--vault", cue.vault], 1, inside, environment: place)
        }
        try cue.refuses(
            ["init", cue.folder.appending("alias"), "--vault", cue.vault], 1, inside, environment: places[1])

        #expect(try cue.shell("find library alias vault").text == "library\nlibrary/Essay.md\nalias\nvault\n")
    }

    @Test("A state folder beside the library, with a name that begins like its own, is none inside")
    func stateBeside() throws {
        let cue = Cue()
        try cue.write("Essay.md", "an essay")

        let made = try cue.run(
            "init", cue.library, "--vault", cue.vault, "--kdf-memory", "64",
            environment: ["CUE_HOME": cue.library + " of cue"])

        #expect(made.code == 0, "\(made.errors)")
    }

    @Test(
        "With a state folder that was moved into the library no command works on it, also through a link",
        arguments: [false, true])
    func stateMovedInside(isLinked: Bool) throws {
        let cue = try Cue.small()
        try cue.rename("home", "library/home")
        if isLinked { try cue.shell("ln -s library/home home") }
        let home = isLinked ? cue.folder.appending("home") : cue.library + "/home"
        let before = try cue.fingerprint("library")
        let commands = [
            ["backup", cue.library], ["status", cue.library], ["check", cue.library],
            ["restore", "--library", cue.library], ["ls", "--library", cue.library], ["log", "--library", cue.library],
            ["cat", "Essay.md", "--library", cue.library],
        ]

        for command in commands {
            try cue.refuses(command, 1, "is inside this folder", environment: ["CUE_HOME": home])
        }

        let stored = try cue.run(
            "ls", "--vault", cue.vault, "--all", "--json", environment: ["CUE_HOME": cue.folder.appending("elsewhere")])
        #expect(!stored.text.contains("store.db") && !stored.text.contains("/key"), "\(stored.text)")
        #expect(try cue.fingerprint("library") == before)
    }
}
