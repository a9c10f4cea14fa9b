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

        #expect(try cue.run("status", cue.library).text.contains("seen     \(now)  (the state word of this device)"))
        #expect(try cue.run("check", cue.library).text.contains("the state word of the vault: \(now)"))
        for page in [["help"], ["status", "--help"]] {
            #expect(try cue.start(page).result().text.contains("cue check --state \"WORDS\""), "\(page)")
        }

        let same = try cue.run("check", cue.library, "--state", now.uppercased())
        #expect(same.code == 0 && same.text.contains("is in the state that you gave"))
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
        #expect(!(try cue.run("status", other, environment: there).text.contains("shut out this device")))
        for _ in 0..<2 {
            #expect(try cue.run("sync", other, environment: there).code == 0)
            #expect(try cue.run("sync", cue.library).code == 0)
        }
        #expect(try cue.run("conflicts", cue.library).text.contains("No conflicts"))
        #expect(try cue.folder.read("other/a.md") == "edited on the desk")
        #expect(try cue.folder.read("library/c.md") == "edited on the laptop\n")
        #expect(!cue.folder.exists("library/gone.md") && !cue.folder.exists("other/gone.md"))
    }

    @Test("A run for a program, or a quiet one, tells nobody that a device joined: the next one that speaks does")
    func toldToAPerson() throws {
        for _ in 0..<2 {
            let run = try cue.run("sync", cue.library, "--json")
            #expect(run.json["joined"].list.map { $0["name"].string } == ["laptop"], "\(run.text)")
        }
        #expect(try cue.run("sync", cue.library, "--quiet").text.isEmpty)
        #expect(try cue.run("status", cue.library, "--short").text == "ok\n")
        #expect(try cue.run("status", cue.library).text.contains("a new device, laptop, joined"))
        #expect(!(try cue.run("sync", cue.library).text.contains("joined")))
        #expect(try cue.run("status", cue.library, "--json").json["joined"].list.isEmpty)
    }

    @Test("A third device says once who shut out whom")
    func shutOutElsewhere() throws {
        let (phone, away) = (cue.folder.appending("phone"), cue.elsewhere)
        try FileManager.default.createDirectory(atPath: phone, withIntermediateDirectories: true)
        #expect(try cue.run("init", phone, "--vault", cue.vault, "--name", "phone", environment: away).code == 0)
        #expect(try cue.run("sync", phone, environment: away).code == 0)
        #expect(try cue.run("device", "shut-out", "laptop", "--library", cue.library).code == 0)

        let program = try cue.run("sync", phone, "--json", environment: away)
        let told = try #require(program.json["shut_out"].list.first)
        #expect(told["name"].string == "laptop" && told["by"].string == "desk", "\(program.text)")
        let run = try cue.run("sync", phone, environment: away)
        #expect(run.code == 0 && run.text.contains("desk shut out laptop on "), "\(run.text)\(run.errors)")
        #expect(run.text.contains("what it stored later is set aside: `cue device list`"))
        #expect(!(try cue.run("status", phone, environment: away).text.contains("shut out")))
        // The person at the desk typed it.
        #expect(try cue.run("sync", cue.library, "--json").json["shut_out"].list.isEmpty)
        // A device that comes later finds all of it, and no news.
        let fresh = cue.elsewhere
        try FileManager.default.createDirectory(
            atPath: cue.folder.appending("fresh"), withIntermediateDirectories: true)
        #expect(
            try cue.run("init", cue.folder.appending("fresh"), "--vault", cue.vault, environment: fresh).code == 0)
        #expect(!(try cue.run("sync", cue.folder.appending("fresh"), environment: fresh).text.contains("shut out")))
    }

    @Test("A device that was shut out promises no next backup, and says what to do")
    func promisesNothing() throws {
        #expect(try cue.run("device", "shut-out", "laptop", "--library", cue.library).code == 0)
        try cue.shell("echo c > other/c.md")
        for arguments in [["project", "set", "b.md", "--title", "B"], ["events", "add", "walk_taken"]] {
            #expect(try cue.start(arguments + ["--library", other], environment: there).result().code == 0)
        }
        let refused = try cue.run("sync", other, environment: there)
        #expect(refused.code == 1)

        let status = try cue.run("status", other, environment: there)
        #expect(status.text.contains("desk shut out this device on "), "\(status.text)")
        #expect(status.text.contains("1 change is only in this folder"), "\(status.text)")
        #expect(status.text.contains("hint: if this device is yours, `cue init` on this folder"), "\(status.text)")
        for promise in ["next backup", "`cue backup`", "`cue sync`", "`cue watch`"] {
            #expect(!status.text.contains(promise), "\(promise): \(status.text)")
        }
        let next = try cue.run(environment: there, in: other)
        #expect(next.text.contains("Next: if this device is yours, `cue init`") && !next.text.contains("next backup"))
    }

    @Test("At a terminal shutting out asks, and shows which device; --yes does not ask, and nothing is asked elsewhere")
    func asks() throws {
        let (shutOut, end) = (["device", "shut-out", "laptop", "--library", cue.library], "Shut it out? [y/N] ")
        for answer in ["\n", "n\n"] {
            let no = try Typing.run(cue, shutOut, answers: [(after: end, keys: answer)])
            let text = no.text.replacing("\n", with: " ")
            #expect(no.code == 1 && text.contains("it was not shut out; nothing was changed"), "\(no.text)")
            #expect(text.contains("laptop (") && text.contains("It joined ") && text.contains("cannot be taken back"))
        }
        #expect(!(try cue.run("device", "list", "--library", cue.library).text.contains("shut out")))

        let yes = try Typing.run(cue, shutOut, answers: [(after: end, keys: "y\n")])
        #expect(yes.code == 0 && yes.text.contains("is shut out. What it stored until"), "\(yes.text)")
        // A refusal comes before any question.
        let again = try Typing.run(cue, shutOut, answers: [])
        #expect(again.code == 1 && again.text.contains("desk shut out that device before"), "\(again.text)")
        let unasked = try Typing.run(cue, shutOut + ["--since", "yesterday", "--yes"], answers: [])
        #expect(unasked.code == 0 && !unasked.text.contains("[y/N]"), "\(unasked.text)")
    }

    @Test("A device that joins anew stores its events again, of which some were set aside")
    func eventsAgain() throws {
        func events(_ library: String, _ environment: [String: String?] = [:]) throws -> Set<Substring> {
            Set(try cue.run("events", "--library", library, environment: environment).text.split(separator: "\n"))
        }
        #expect(try cue.run("sync", other, environment: there).code == 0)
        let own = try events(other, there)
        let since = ["--since", "2020-01-01"]
        #expect(try cue.start(["device", "shut-out", "laptop", "--library", cue.library] + since).result().code == 0)
        #expect(try cue.run("init", other, "--vault", cue.vault, environment: there).code == 0)
        #expect(try cue.run("sync", other, environment: there).code == 0)
        #expect(try cue.run("sync", cue.library).code == 0)
        #expect(try !own.isEmpty && events(cue.library).isSuperset(of: own))
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

    @Test("An older vault is called older and not damaged, and a status forgets it once the newest is there again")
    func olderAndBack() throws {
        try cue.shell("cp -r vault old")
        try cue.write("a.md", "newer words")
        try cue.snapshot()
        try cue.write("a.md", "words in the folder alone")
        try cue.shell("mv vault new; mv old vault")

        let diff = try cue.run("diff", "--library", cue.library)
        #expect(diff.code == 6 && diff.errors.contains("went back in time"), "\(diff.errors)")
        #expect(!diff.errors.contains("damaged"), "\(diff.errors)")
        let named = try cue.run("check", "--vault", cue.vault)
        #expect(named.code == 0 && named.errors.contains("older than what this device has seen"), "\(named.errors)")
        #expect(try cue.run("backup", cue.library).code == 6)
        let check = try cue.run("check", cue.library)
        #expect(check.code == 6 && check.text.contains("the vault is older than what this device has seen"))
        // Nothing is named that refuses an older vault, but after the one that accepts it.
        #expect(!check.errors.contains("the next `cue backup`") && check.errors.contains("--accept-older-vault"))
        #expect(try cue.run("status", cue.library).text.contains("The vault is damaged"))

        try cue.shell("mv vault old; mv new vault")
        for arguments in [["status", cue.library], ["status", cue.library, "--json"]] {
            #expect(!(try cue.start(arguments).result().text.contains("went back in time")), "\(arguments)")
        }
    }

    @Test("A check that finds the vault whole again clears what a backup found")
    func wholeAgain() throws {
        try cue.shell("cp -r vault old")
        try cue.write("a.md", "newer words")
        try cue.snapshot()
        try cue.shell("mv vault new; mv old vault")
        #expect(try cue.run("backup", cue.library).code == 6)
        try cue.shell("mv vault old; mv new vault")
        #expect(try cue.run("check", cue.library).code == 0)
        // The status has no vault to look at.
        try cue.shell("mv vault away")
        #expect(!(try cue.run("status", cue.library).text.contains("damaged")))
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
