import CueTestSupport
import Foundation
import Testing

@Suite("Story: deadlines and nudges")
struct ReminderStory {
    /// A year that has not come when these tests are run.
    private static let deadline = "2999-12-31 18:00"

    private static func set(_ cue: Cue, _ name: String, _ more: String...) throws -> JSON {
        let result = try cue.start(["project", "set", name, "--library", cue.library, "--json"] + more).result()
        #expect(result.code == 0, "\(result.text)\(result.errors)")
        return result.json["projects"].list.first ?? JSON(Data())
    }

    private static func show(_ cue: Cue) throws -> [JSON] {
        try cue.run("project", "show", "--library", cue.library, "--json").json["projects"].list
    }

    private static func nudge(_ cue: Cue, _ more: String...) throws -> JSON {
        let result = try cue.start(["nudge", "--library", cue.library, "--json"] + more).result()
        #expect(result.code == 0, "\(result.text)\(result.errors)")
        return result.json
    }

    /// Makes what was set for all projects look as if it had been set and edited long ago.
    private static func age(_ cue: Cue) throws {
        try cue.python(
            """
            import glob, sqlite3
            for path in glob.glob("home/libraries/*/store.db"):
                store = sqlite3.connect(path)
                for table in "settings_waiting", "settings_record":
                    store.execute(f"UPDATE {table} SET time = 1700000000000")
                    store.execute(f"INSERT OR REPLACE INTO progress SELECT project, 1700000000000 FROM {table}")
                store.commit()
            """)
    }

    @Test("What is set is shown, stays when one thing is changed, and goes on with a renamed document and a new start")
    func setAndShow() throws {
        let cue = try Cue.small()

        let first = try Self.set(cue, "Essay", "--deadline", Self.deadline, "--nudge", "daily", "--at", "7:05")
        #expect(first["deadline"].string == "2999-12-31T18:00:00Z" && first["at"].string == "07:05")
        let second = try Self.set(cue, "Essay.md", "--inactivity-hours", "72")
        #expect(second["deadline"].string == first["deadline"].string && second["nudge"].string == "daily")

        try cue.rename("library/Essay.md", "library/A better title.md")
        try cue.snapshot()
        let shown = try Self.show(cue)
        #expect(shown.count == 1 && shown[0]["path"].string == "A better title.md")
        #expect(shown[0]["inactivity_hours"].int == 72 && shown[0]["at"].string == "07:05")

        let last = try Self.set(cue, "A better title", "--deadline", "none", "--nudge", "off")
        #expect(last["deadline"].value == nil && last["nudge"].string == "off" && last["next"].value == nil)
    }

    @Test("A day alone as deadline means its last minute, by the wall clock of the place")
    func dayAlone() throws {
        let cue = try Cue.small()

        let result = try cue.run(
            "project", "set", "Essay", "--deadline", "2999-12-31", "--library", cue.library, "--json",
            environment: ["TZ": "Asia/Kathmandu"])

        #expect(result.json["projects"].list[0]["deadline"].string == "2999-12-31T18:14:00Z")
    }

    @Test("Folders and bundles have settings too; a name that is none, or is two, is refused with help")
    func names() throws {
        let cue = try Cue.small()

        #expect(try Self.set(cue, "Novel", "--nudge", "daily")["path"].string == "Novel.scriv")
        #expect(try Self.set(cue, "Stories", "--nudge", "daily")["path"].string == "Stories")

        let library = ["--at", "9:00", "--library", cue.library]
        try cue.refuses(["project", "set", "Esay"] + library, 1, "is called Esay")
        try cue.refuses(["project", "set", "Clockmaker"] + library, 1, "is called Clockmaker")
        try cue.refuses(["project", "set", "The Clockmaker"] + library, 1, "may be any of 2 documents")
        try cue.refuses(["project", "show", "Esay", "--library", cue.library], 1, "is called Esay")
        try cue.refuses(["nudge", "--snooze", "Esay", "--library", cue.library], 1, "is called Esay")
        try cue.write("New.md", "new")
        try cue.refuses(["project", "set", "New.md"] + library, 1, "is called New.md")
    }

    @Test("What makes no sense is refused, and nothing is changed")
    func badInput() throws {
        let cue = try Cue.small()
        _ = try Self.set(cue, "Essay", "--at", "8:00")
        let before = try cue.run("project", "show", "--library", cue.library, "--json").text
        let wrong: [([String], String)] = [
            (["--at", "25:00"], "25:00 is no time of day"), (["--at", "9"], "9 is no time of day"),
            (["--at", "9:60"], "9:60 is no time of day"), (["--at", "+9:00"], "is no time of day"),
            (["--at", "9:5"], "9:5 is no time of day"), (["--at", ""], "is no time of day"),
            (["--deadline", "2020-01-01"], "the deadline 2020-01-01 is past"),
            (["--deadline", "yesterday"], "the deadline yesterday is past"),
            (["--deadline", "3 days ago"], "the deadline 3 days ago is past"),
            (["--deadline", "2027-02-30"], "2027-02-30 is no deadline"),
            (["--deadline", "soon"], "soon is no deadline"), (["--deadline", ""], "is no deadline"),
            (["--deadline", "12000-01-01"], "too far away"),
            (["--deadline", "99999999999999999999-01-01"], "is no deadline"),
            (["--nudge", "often"], "often is no way to nudge"),
            (["--inactivity-hours", "0"], "0 is no number of hours"),
            (["--inactivity-hours", "8761"], "8761 is no number of hours"),
            (["--inactivity-hours", "1.5"], "1.5 is no number of hours"),
            (["--archive", "--unarchive"], "give one of them"), ([], "nothing is named that shall be set"),
        ]

        for (arguments, part) in wrong {
            try cue.refuses(["project", "set", "Essay", "--library", cue.library] + arguments, 2, part)
        }
        for length in ["0m", "5", "1y", "61d", "99999999h", "", "1h1h", "h"] {
            try cue.refuses(
                ["nudge", "--snooze", "Essay", "--library", cue.library, length], 2, "is no time to put something off")
        }
        try cue.refuses(["nudge", "1h", "--library", cue.library], 2, "--snooze NAME TIME")
        try cue.refuses(["nudge", "--allow-command", "--library", cue.library], 1, "names no command")
        try cue.refuses(["nudge", "--library", cue.folder.path], 1, "is no library of cue")
        #expect(try cue.run("project", "show", "--library", cue.library, "--json").text == before)
    }

    @Test("What is due is said until it is put off, and the snooze is there in every run after that")
    func snooze() throws {
        let cue = try Cue.small()
        _ = try Self.set(cue, "Essay", "--at", "0:00")
        try Self.age(cue)

        let due = try Self.nudge(cue)["due"].list
        #expect(due.count == 1 && due[0]["kind"].string == "nudge" && due[0]["path"].string == "Essay.md")
        #expect(due[0]["body"].string.hasPrefix("Untouched for"))

        let snoozed = try Self.nudge(cue, "--snooze", "Essay", "2d")["snoozed"]
        #expect(snoozed["id"].string.hasPrefix("snooze-"))
        for _ in 1...2 {
            let after = try Self.nudge(cue)
            #expect(after["due"].list.isEmpty)
            #expect(after["next"].list.contains { $0["id"].string == snoozed["id"].string })
        }
    }

    @Test("An archived project is silent, cannot be put off, and speaks again when it is taken back")
    func archived() throws {
        let cue = try Cue.small()
        _ = try Self.set(cue, "Essay", "--deadline", Self.deadline, "--nudge", "daily")
        #expect(try Self.nudge(cue)["next"].list.count { $0["kind"].string != "backup" } == 4)

        let archived = try Self.set(cue, "Essay", "--archive")
        #expect(archived["archived"].bool == true && archived["status"].value == nil)
        #expect(try Self.nudge(cue)["next"].list.count { $0["kind"].string != "backup" } == 0)
        try cue.refuses(["nudge", "--snooze", "Essay", "--library", cue.library], 1, "is archived")

        _ = try Self.set(cue, "Essay", "--unarchive")
        #expect(try Self.nudge(cue)["next"].list.count { $0["kind"].string != "backup" } == 4)
    }

    @Test("Days without a backup are said, as many as .cue/library.toml asks for; never, if it says 0")
    func noBackup() throws {
        let cue = try Cue.small()
        let marker = try cue.folder.read("library/.cue/library.toml")
        try cue.python(
            """
            import glob, sqlite3
            for path in glob.glob("home/libraries/*/store.db"):
                store = sqlite3.connect(path)
                store.execute("UPDATE meta SET value = '1700000000000' WHERE key = 'last backup'")
                store.commit()
            """)

        #expect(try Self.nudge(cue)["due"].list.map { $0["kind"].string } == ["backup"])
        try cue.write(".cue/library.toml", marker + "\n[notify]\nbackup_days = 0\n")
        #expect(try Self.nudge(cue)["due"].list.isEmpty)
        try cue.write(".cue/library.toml", marker + "\n[notify]\nbackup_hours = 1\n")
        try cue.refuses(["nudge", "--library", cue.library], 1, "unknown setting `backup_hours` in [notify]")
    }

    @Test("The marker with the command is in no backup, and one that comes with a folder is not run unasked")
    func command() throws {
        let cue = try Cue.small()
        let marker = try cue.folder.read("library/.cue/library.toml")
        try cue.write(".cue/library.toml", marker + "\n[notify]\ncommand = \"touch ran\"\n")
        try cue.snapshot()

        let listed = try cue.run("ls", "--all", "--vault", cue.vault, "--json").json["documents"].list
        #expect(!listed.isEmpty && !listed.contains { $0["path"].string.hasPrefix(".cue") })
        let warned = try cue.run("nudge", "--library", cue.library)
        #expect(warned.code == 0 && warned.errors.contains("touch ran"))
        #expect(try Self.nudge(cue, "--allow-command")["allowed"].string == "touch ran")
        #expect(try cue.run("nudge", "--library", cue.library).errors == "")
        #expect(!cue.folder.exists("ran"))
    }

    @Test("Settings, snoozes and looks beside a running backup wait for their turn and succeed")
    func besideBackup() throws {
        let cue = try Cue.small()
        for number in 1...300 { try cue.write("Many/\(number).md", "\(number)") }
        let backup = try cue.start(["backup", cue.library, "--json"])

        for hour in 1...8 { _ = try Self.set(cue, "Essay", "--at", "\(hour):00") }
        _ = try Self.nudge(cue, "--snooze", "Essay")

        #expect(try backup.result().code == 0)
        #expect(try Self.show(cue).first?["at"].string == "08:00")
    }

    @Test("Nothing set is said kindly")
    func nothing() throws {
        let cue = try Cue.small()

        let shown = try cue.run("project", "show", "--library", cue.library)
        #expect(shown.code == 0 && shown.text.hasPrefix("Nothing is set for any project"))
        let one = try cue.run("project", "show", "Essay", "--library", cue.library)
        #expect(one.text.hasPrefix("Essay.md\n  set       nothing; `cue project set` sets"), "\(one.text)")
        #expect(try Self.nudge(cue)["due"].list.isEmpty)
    }
}
