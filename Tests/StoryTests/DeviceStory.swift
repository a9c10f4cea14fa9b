import CueTestSupport
import Foundation
import Testing

/// Two computers on one vault: they notice each other, compare what they have seen, and one is lost.
@Suite("Story: the devices of a vault")
struct DeviceStory {
    private let cue = Cue()
    private let there: [String: String?]
    private let other: String

    init() throws {
        there = cue.elsewhere
        other = cue.folder.appending("other")
        try cue.initialize("--name", "desk")
        try cue.write("a.md", "a")
        try cue.snapshot()
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        #expect(try cue.run("init", other, "--vault", cue.vault, "--name", "laptop", environment: there).code == 0)
        #expect(try cue.run("sync", other, environment: there).code == 0)
        try cue.shell("echo b > other/b.md")
        #expect(try cue.run("sync", other, environment: there).code == 0)
    }

    private func state(_ library: String, _ environment: [String: String?] = [:]) throws -> String {
        try cue.run("status", library, "--json", environment: environment).json["state"].string
    }

    @Test("Two devices that have seen the same show the same four words, and a check compares them")
    func states() throws {
        let before = try state(cue.library)
        #expect(try state(other, there) != before)
        #expect(try cue.run("sync", cue.library).code == 0)
        let now = try state(cue.library)
        #expect(try state(other, there) == now && now.split(separator: " ").count == 4)

        let same = try cue.run("check", cue.library, "--state", now.uppercased())
        #expect(same.code == 0 && same.text.contains("both devices have the same history"))
        let earlier = try cue.run("check", cue.library, "--state", before, "--json")
        #expect(earlier.code == 0 && earlier.json["state_given"].string == "earlier")
        let never = try cue.run("check", cue.library, "--state", "abacus abacus abacus abacus")
        #expect(never.code == 6 && never.errors.contains("never been in the state"))
        // That somebody mistyped is no damage of the vault.
        #expect(try cue.run("status", cue.library).text.contains("are in the vault"))
        #expect(try cue.run("check", cue.library, "--state", "four words of mine").code == 2)
    }

    @Test("A new device is said once, a lost one is shut out, and the folder of the lost one goes on as a new device")
    func lost() throws {
        #expect(try cue.run("sync", cue.library).text.contains("a new device, laptop, joined"))
        #expect(!(try cue.run("status", cue.library).text.contains("joined")))
        #expect(try cue.run("device", "list", "--library", cue.library).text.contains("laptop"))

        let out = try cue.run("device", "shut-out", "laptop", "--library", cue.library)
        #expect(out.code == 0 && out.text.contains("is shut out. What it stored until"))
        try cue.shell("echo c > other/c.md; rm other/a.md")
        let refused = try cue.run("backup", other, environment: there)
        #expect(refused.code == 1 && refused.errors.contains("desk shut out this device"))
        #expect(try cue.run("status", other, environment: there).text.contains("desk shut out this device"))
        #expect(try cue.run("status", other, "--short", environment: there).text == "shut out\n")

        #expect(try cue.run("init", other, "--vault", cue.vault, environment: there).code == 0)
        #expect(try cue.run("sync", other, environment: there).code == 0)
        #expect(try cue.run("sync", cue.library).code == 0)
        // It goes on with what it knew: what was deleted there meanwhile is deleted, and does not come back.
        #expect(cue.folder.exists("library/c.md") && !cue.folder.exists("library/a.md"))
        #expect(try cue.run("conflicts", cue.library).code == 0)
        let list = try cue.run("device", "list", "--library", cue.library).text
        #expect(list.split(separator: "\n").count == 3, "\(list)")
        #expect(try cue.run("check", cue.library, "--read-data").code == 0)
    }

    @Test(
        "A device that does not know yet that it was shut out joins anew: no conflicts, and nothing deleted comes back")
    func joinsAnew() throws {
        for name in ["c", "gone"] { try cue.write("\(name).md", name) }
        #expect(try cue.run("sync", cue.library).code == 0)
        #expect(try cue.run("sync", other, environment: there).code == 0)
        #expect(try cue.run("device", "shut-out", "laptop", "--library", cue.library).code == 0)
        try cue.write("a.md", "edited on the desk")
        try cue.shell("rm library/gone.md; echo edited on the laptop > other/c.md")
        #expect(try cue.run("sync", cue.library).code == 0)

        #expect(try cue.run("init", other, "--vault", cue.vault, environment: there).code == 0)
        for _ in 0..<2 {
            #expect(try cue.run("sync", other, environment: there).code == 0)
            #expect(try cue.run("sync", cue.library).code == 0)
        }
        #expect(try cue.run("conflicts", cue.library).text.contains("No conflicts"))
        #expect(try cue.folder.read("other/a.md") == "edited on the desk")
        #expect(try cue.folder.read("library/c.md") == "edited on the laptop\n")
        #expect(!cue.folder.exists("library/gone.md") && !cue.folder.exists("other/gone.md"))
    }

    @Test("Names that say no device, this one, or two of them are refused, and nothing is changed")
    func refusals() throws {
        #expect(try cue.run("sync", cue.library).code == 0)
        let before = try state(cue.library)
        let name = ["device", "shut-out"]
        try cue.refuses(name + ["nobody", "--library", cue.library], 1, "no device of this vault is called nobody")
        try cue.refuses(name + ["desk", "--library", cue.library], 1, "that is this device")
        try cue.refuses(name + ["", "--library", cue.library], 2, "empty")
        #expect(try state(cue.library) == before)
    }

    @Test("A vault that was put back is older also where only its place is named")
    func older() throws {
        try cue.shell("cp -r vault old")
        try cue.write("a.md", "newer")
        try cue.snapshot()
        let old = cue.folder.appending("old")
        for command in [["ls"], ["log"], ["restore", "--to", cue.folder.appending("out")]] {
            let run = try cue.start(command + ["--vault", old]).result()
            #expect(run.code == 0 && run.errors.contains("older than what this device has seen"), "\(run.errors)")
        }
        // Another computer knows no better.
        let elsewhere = try cue.run("ls", "--vault", old, environment: cue.elsewhere)
        #expect(elsewhere.code == 0 && !elsewhere.errors.contains("this device has seen"), "\(elsewhere.errors)")
    }
}
