import CueTestSupport
import Foundation
import Testing

@Suite("Story: how each document stands")
struct StatusStory {
    /// The documents that are not synced, each as "state NAME".
    private static func states(_ cue: Cue) throws -> [String] {
        try cue.run("status", cue.library, "--json").json["states"].list.map {
            "\($0["state"].string) \($0["path"].string)"
        }
    }

    @Test("Deletions that are held back are no changes that wait, and what is to be done is said")
    func heldBack() throws {
        let cue = Cue()
        for number in 1...30 { try cue.write("Scenes/\(number).md", "\(number)") }
        try cue.initialize()
        try cue.snapshot()
        try cue.shell("rm library/Scenes/{1..28}.md")
        #expect(try cue.run("sync", cue.library).code == 3)

        let status = try cue.run("status", cue.library)

        #expect(status.text.hasPrefix("All 2 documents are in the vault, "), "\(status.text)")
        #expect(
            status.text.contains("28 documents are gone from the folder, and stay in the vault: `cue sync` asks."),
            "\(status.text)")
        #expect(try cue.run("status", cue.library, "--short").text == "needs you\n")
        let json = try cue.run("status", cue.library, "--json").json
        #expect(json["held_back"].strings.count == 28 && json["removals_held_back"].int == 0)
        #expect(json["states"].list.allSatisfy { $0["reason"].string == "its deletion waits for your word" })
        #expect(try cue.run("sync", cue.library, "--allow-deletions").code == 0)
        #expect(try Self.states(cue).isEmpty)
        #expect(try cue.run("status", cue.library, "--short").text == "ok\n")
    }

    @Test("Deletions of another device that are held back are said until they are carried out")
    func removalsHeldBack() throws {
        let cue = Cue()
        for number in 1...30 { try cue.write("Scenes/\(number).md", "\(number)") }
        try cue.initialize()
        try cue.snapshot()
        let other: [String: String?] = ["CUE_HOME": cue.folder.appending("home 2")]
        let done = try cue.shell(
            "mkdir other && \"$CUE\" init other --vault vault && \"$CUE\" sync other && rm other/Scenes/{1..28}.md && \"$CUE\" sync other --allow-deletions",
            environment: other)
        #expect(done.code == 0, "\(done.errors)")
        #expect(try cue.run("sync", cue.library).code == 3)

        let status = try cue.run("status", cue.library)

        #expect(status.text.contains("Other devices deleted 28 documents, which stay here: `cue sync` asks."))
        #expect(try cue.run("sync", cue.library, "--allow-deletions").code == 0)
        #expect(try !cue.run("status", cue.library).text.contains("Other devices"))
    }

    @Test("What somebody has open waits, with the reason; closed, it is synced")
    func open() throws {
        let cue = Cue()
        try cue.write("Essay.odt", "here")
        try cue.initialize()
        try cue.snapshot()
        let done = try cue.shell(
            "mkdir other && \"$CUE\" init other --vault vault && \"$CUE\" sync other && echo newer > other/Essay.odt && \"$CUE\" sync other",
            environment: ["CUE_HOME": cue.folder.appending("home 2")])
        #expect(done.code == 0, "\(done.errors)")
        try cue.write(".~lock.Essay.odt#", "me")
        let watching = try Watching(cue)

        #expect(try eventually { try Self.states(cue) == ["waiting Essay.odt"] })
        let status = try cue.run("status", cue.library)
        #expect(status.text.contains("1 newer version waits to be put here."), "\(status.text)")
        #expect(status.text.contains(".~lock.Essay.odt# is there"), "\(status.text)")
        try cue.remove("library/.~lock.Essay.odt#")

        #expect(try eventually { try Self.states(cue).isEmpty })
        #expect(try cue.folder.read("library/Essay.odt") == "newer\n")
        #expect(watching.isRunning)
    }

    @Test("Being written, offline, and in an error: each document says so")
    func troubles() throws {
        let cue = Cue()
        try cue.initialize()
        let watching = try Watching(cue, debounce: 1)
        try cue.write("Draft.md", "1")
        #expect(try eventually { try Self.states(cue) == ["waiting Draft.md"] })
        #expect(try eventually { try Self.states(cue).isEmpty })

        try cue.rename("vault", "unplugged")
        try cue.write("Draft.md", "more")
        #expect(try eventually { try watching.phase() == "offline" })
        #expect(try Self.states(cue) == ["offline Draft.md"])
        let made = try cue.shell("mkdir second && \"$CUE\" init second --vault \"$PWD/vault\" --kdf-memory 64 --json")
        #expect(made.code == 0, "\(made.errors)")

        #expect(try eventually { try watching.phase() == "error" })
        #expect(try Self.states(cue) == ["error Draft.md"])
    }

    @Test("Each document says when this device and the vault last had the same of it; --all names the synced ones too")
    func lastSynced() throws {
        let cue = Cue()
        try cue.write("Draft.md", "1")
        try cue.write("Poems.md", "1")
        try cue.initialize()
        try cue.snapshot()
        let first = try #require(try cue.run("status", cue.library, "--all", "--json").json["states"].list.first)
        try cue.shell("sleep 1.1")
        try cue.write("Poems.md", "more")
        try cue.snapshot()
        let other: [String: String?] = ["CUE_HOME": cue.folder.appending("home 2")]
        let joined = try cue.shell(
            "mkdir other && \"$CUE\" init other --vault vault && \"$CUE\" sync other", environment: other)
        #expect(joined.code == 0, "\(joined.errors)")
        try cue.write("Draft.md", "changed")
        try cue.write("New.md", "new")

        let changed = try cue.run("status", cue.library, "--json").json["states"].list
        let all = try cue.run("status", cue.library, "--all", "--json").json["states"].list
        let people = try cue.run("status", cue.library, "--all")
        let there = try cue.run("status", cue.folder.appending("other"), "--all", "--json", environment: other)

        #expect(first["path"].string == "Draft.md" && first["state"].string == "synced")
        let time = first["last_synced"].string
        #expect(!time.isEmpty && changed.map { $0["last_synced"].string } == [time, ""])
        #expect(changed.map { $0["path"].string } == ["Draft.md", "New.md"])
        #expect(all.map { $0["path"].string } == ["Draft.md", "New.md", "Poems.md"])
        #expect(all[2]["state"].string == "synced" && all[2]["last_synced"].string > time)
        #expect(people.text.contains("waiting   Draft.md  (changed, last synced "), "\(people.text)")
        #expect(people.text.contains("synced    Poems.md  ("), "\(people.text)")
        #expect(there.json["states"].list.map { $0["state"].string } == ["synced", "synced"])
        #expect(there.json["states"].list.allSatisfy { $0["last_synced"].string > time })
    }

    @Test("Names that differ only in how they spell a letter are two documents here too")
    func spellings() throws {
        let cue = Cue()
        try cue.initialize()
        let made = try cue.shell(
            #"printf 1 > "$(printf 'library/caf\303\251.md')"; printf 1 > "$(printf 'library/cafe\314\201.md')""#)
        #expect(made.code == 0)
        try cue.snapshot()
        #expect(try cue.shell(#"printf more > "$(printf 'library/caf\303\251.md')""#).code == 0)

        let states = try cue.run("status", cue.library, "--all", "--json").json["states"].list

        #expect(states.map { $0["state"].string } == ["waiting", "synced"])
        #expect(states.allSatisfy { !$0["last_synced"].string.isEmpty })
    }

    @Test("A folder that becomes one document is no mass deletion: what it held is in it")
    func becomesBundle() throws {
        let cue = Cue()
        for number in 1...60 { try cue.write("Sea.novel/\(number).md", "\(number)") }
        try cue.write("Draft.md", "1")
        try cue.initialize()
        try cue.snapshot()
        let marker = try cue.folder.read("library/.cue/library.toml")
        try cue.write(".cue/library.toml", marker + "\n[bundles]\nendings = [\".novel\"]\n")

        let backup = try cue.run("backup", cue.library, "--json")

        #expect(backup.code == 0, "\(backup.text)\(backup.errors)")
        let listed = try cue.run("ls", "--library", cue.library, "--json").json["documents"].list
        #expect(listed.map { $0["path"].string } == ["Draft.md", "Sea.novel"])
        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.differences("library", "out") == "")
    }
}
