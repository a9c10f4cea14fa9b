import CueTestSupport
import Foundation
import Testing

@Suite("Story: plans, from their key to their end")
struct PlanStory {
    private static let account = "ada@example.org"

    /// A device, beside an issuer whose key it trusts.
    private static func trusting() throws -> Cue {
        let cue = try Cue.small()
        let made = try cue.run("plan", "keygen", "--output", "issuer.key", in: cue.folder.path)
        #expect(made.code == 0, "\(made.errors)")
        let trusted = try cue.run("plan", "trust", "issuer.key.pub", in: cue.folder.path)
        #expect(trusted.code == 0, "\(trusted.errors)")
        return cue
    }

    private static func show(_ cue: Cue) throws -> JSON {
        let result = try cue.run("plan", "--json")
        #expect(result.code == 0, "\(result.errors)\(result.text)")
        return result.json
    }

    /// Issues a plan for the device of `cue` into a file of that name.
    private static func issue(_ cue: Cue, _ name: String, _ more: String..., account: String = account) throws {
        let device = try show(cue)["device"].string
        let result = try cue.start(
            ["plan", "issue", "--key", "issuer.key", "--plan", "pro", "--feature", "cloud-storage"]
                + ["--account", account, "--device", device, "--output", name] + more, in: cue.folder.path
        ).result()
        #expect(result.code == 0, "\(result.errors)\(result.text)")
    }

    @discardableResult
    private static func accept(_ cue: Cue, _ name: String) throws -> JSON {
        let result = try cue.run("plan", "import", name, "--json", in: cue.folder.path)
        #expect(result.code == 0, "\(result.errors)\(result.text)")
        return result.json
    }

    private static func memory(_ cue: Cue) throws -> String {
        try cue.python(
            """
            import sqlite3
            store = sqlite3.connect("home/plan/store.db")
            print(store.execute("SELECT value FROM meta WHERE key = 'plan memory'").fetchone()[0], end="")
            """
        ).text
    }

    /// Lets the device have seen a time that is so many days away, as if its clock had run to it and been set back.
    private static func see(_ cue: Cue, days: Int) throws {
        try cue.python(
            """
            import datetime, json, sqlite3
            store = sqlite3.connect("home/plan/store.db")
            memory = json.loads(store.execute("SELECT value FROM meta WHERE key = 'plan memory'").fetchone()[0])
            time = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=\(days))
            memory["highestTime"] = time.strftime("%Y-%m-%dT%H:%M:%SZ")
            text = json.dumps(memory, sort_keys=True, separators=(",", ":")) + "\\n"
            store.execute("UPDATE meta SET value = ? WHERE key = 'plan memory'", (text,))
            store.commit()
            """)
    }

    @Test("A self-hoster makes a key, trusts it, issues a plan and takes it; the clock runs on to grace and to the end")
    func life() throws {
        let cue = try Self.trusting()
        #expect(try Self.show(cue)["state"].string == "local")
        try cue.refuses(["plan", "has", "cloud-storage"], 1, "no plan with cloud-storage")

        try Self.issue(cue, "ada.plan")
        let taken = try Self.accept(cue, "ada.plan")
        #expect(taken["state"].string == "valid" && taken["plan"].string == "pro")
        #expect(taken["features"].strings == ["cloud-storage"] && taken["account"].string == Self.account)
        #expect(try cue.run("plan", "has", "cloud-storage").code == 0)

        try Self.see(cue, days: 8)
        let stale = try Self.show(cue)
        #expect(stale["state"].string == "stale" && stale["features"].strings == ["cloud-storage"])
        #expect(try cue.run("plan", "has", "cloud-storage").code == 0)
        let told = try cue.run("plan")
        #expect(told.text.contains("a fresh one is due") && told.errors.contains("the later one counts"), "\(told)")

        try Self.see(cue, days: 15)
        let over = try Self.show(cue)
        #expect(over["state"].string == "free" && over["plan"].string == "free" && over["features"].strings == [])
        try cue.refuses(["plan", "has", "cloud-storage"], 1, "the plan free")
        try cue.refuses(["plan", "import", cue.folder.appending("ada.plan")], 1, "has been over since")
        #expect(try cue.run("plan").text.contains("Nothing is lost"))
    }

    @Test("A clock that was once far ahead is mended by a new device id, for which the issuer signs anew")
    func clockAhead() throws {
        let cue = try Self.trusting()
        try Self.issue(cue, "ada.plan")
        try Self.accept(cue, "ada.plan")
        try Self.see(cue, days: 4000)
        let old = try Self.show(cue)["device"].string
        let refused = try cue.run("plan", "import", cue.folder.appending("ada.plan"))
        #expect(refused.code == 1 && refused.errors.contains("cue plan forget --device"), "\(refused)")

        #expect(try cue.run("plan", "forget", "--device").code == 0)

        #expect(try Self.show(cue)["device"].string != old)
        try cue.refuses(["plan", "import", cue.folder.appending("ada.plan")], 1, "is for another device")
        try Self.issue(cue, "new.plan")
        #expect(try Self.accept(cue, "new.plan")["state"].string == "valid")
    }

    @Test("A deleted memory is a new device with no plan, and the old file fits it no more")
    func deletedMemory() throws {
        let cue = try Self.trusting()
        try Self.issue(cue, "ada.plan")
        try Self.accept(cue, "ada.plan")

        try cue.remove("home/plan/store.db")

        #expect(try Self.show(cue)["state"].string == "local")
        #expect(try Self.show(cue)["trusted_keys"].strings == [])
        try cue.refuses(["plan", "import", cue.folder.appending("ada.plan")], 1, "does not trust")
        try cue.run("plan", "trust", cue.folder.appending("issuer.key.pub"))
        try cue.refuses(["plan", "import", cue.folder.appending("ada.plan")], 1, "is for another device")
    }

    @Test("What does not fit is refused, says why, and leaves the plan that was there")
    func refusals() throws {
        let cue = try Self.trusting()
        try Self.issue(cue, "older.plan", "--issued", "3 days ago")
        try Self.issue(cue, "ada.plan")
        try Self.issue(cue, "bob.plan", account: "bob")
        try Self.issue(cue, "future.plan", "--issued", "2999-01-01", "--expires", "2999-12-31")
        try Self.issue(cue, "over.plan", "--issued", "2020-01-01", "--expires", "2021-01-01")
        let file = try cue.folder.read("ada.plan")
        try cue.folder.write("changed.plan", file.replacingOccurrences(of: "\"pro\"", with: "\"max\""))
        try cue.folder.write("cut.plan", String(file.dropLast(9)))
        try cue.folder.write("spaced.plan", file.replacingOccurrences(of: ",", with: ", "))
        try cue.folder.write("newer.plan", file.replacingOccurrences(of: "\"format\":1", with: "\"format\":2"))
        try cue.folder.write("large.plan", String(repeating: " ", count: 100_000))
        try Self.accept(cue, "ada.plan")
        let before = try Self.memory(cue)

        for (name, part) in [
            ("older", "is older than one"), ("bob", "is for another account (bob)"), ("future", "more than 5 minutes"),
            ("over", "is older than one"), ("changed", "has a wrong signature"), ("cut", "is not taken"),
            ("spaced", "is not in the form"), ("newer", "has another format (2)"), ("large", "is not taken"),
            ("missing", "there is no file"),
        ] {
            try cue.refuses(["plan", "import", cue.folder.appending(name + ".plan")], 1, part)
        }

        #expect(try Self.memory(cue) == before)
        #expect(try Self.accept(cue, "ada.plan")["state"].string == "valid")
    }

    @Test("A plan comes through a pipe as well, and a key too")
    func pipes() throws {
        let cue = try Self.trusting()
        try Self.issue(cue, "ada.plan")
        let key = try Self.show(cue)["trusted_keys"].strings[0]
        #expect(try cue.run("plan", "trust", "--remove", key).code == 0)

        let script = """
            (head -c 20 issuer.key.pub; sleep 0.2; tail -c +21 issuer.key.pub) | "$CUE" plan trust - --json
            "$CUE" plan import - --quiet < ada.plan
            """
        let result = try cue.shell(script)

        #expect(result.code == 0 && result.errors == "" && result.json["trusted_keys"].strings == [key], "\(result)")
        #expect(try Self.show(cue)["state"].string == "valid")
    }

    @Test("A plan is found behind a link, and in a pipe that the shell made; one without end is refused")
    func links() throws {
        let cue = try Self.trusting()
        try Self.issue(cue, "ada.plan")
        try cue.shell("ln -s ada.plan link")

        try Self.accept(cue, "link")
        let piped = try cue.shell("\"$CUE\" plan import <(cat ada.plan)")
        let endless = try cue.shell("\"$CUE\" plan import /dev/zero")

        #expect(piped.code == 0, "\(piped.errors)")
        #expect(endless.code == 1 && endless.errors.contains("/dev/zero is too long"), "\(endless.errors)")
    }

    @Test("Keys and memory are for this person alone, and no key is ever replaced")
    func files() throws {
        let cue = try Self.trusting()

        let modes = try cue.shell(
            "umask 0; \"$CUE\" plan keygen --output k -q; stat -c %a k k.pub home/plan/store.db")
        #expect(modes.text == "600\n644\n600\n", "\(modes)")
        let before = try cue.folder.read("k")
        try cue.refuses(["plan", "keygen", "--output", cue.folder.appending("k")], 1, "is there already")
        try cue.remove("k")
        try cue.refuses(["plan", "keygen", "--output", cue.folder.appending("k")], 1, "is there already")
        #expect(!cue.folder.exists("k") && before.contains("seed"))
        try cue.refuses(["plan", "trust", cue.folder.appending("issuer.key")], 1, "is no cue plan public key")
    }

    @Test(
        "Whatever became of a plan, everything on the device works: nothing is gated",
        arguments: ["none", "over", "damaged", "no file"])
    func nothingIsGated(plan: String) throws {
        let cue = try Self.trusting()
        try Self.issue(cue, "ada.plan")
        if plan != "none" { try Self.accept(cue, "ada.plan") }
        if plan == "over" { try Self.see(cue, days: 400) }
        if plan == "damaged" { try cue.folder.write("home/plan/store.db", String(repeating: "no database", count: 99)) }
        if plan == "no file" { try cue.shell("rm home/plan/*; mkdir home/plan/store.db") }
        try cue.write("Essay.md", "an essay that went on")

        let library = ["--library", cue.library]
        for command in [
            ["backup", cue.library], ["sync", cue.library], ["status", cue.library], ["ls"] + library,
            ["log"] + library,
            ["diff", "Essay"] + library, ["cat", "Essay"] + library, ["conflicts", cue.library],
            ["check", cue.library, "--read-data"], ["key", "list", "--vault", cue.vault],
            ["project", "show"] + library,
            ["nudge"] + library, ["restore", "--vault", cue.vault, "--to", cue.folder.appending("out")],
        ] {
            let result = try cue.start(command).result()
            #expect(result.code == 0 || command[0] == "diff" && result.code == 1, "\(command): \(result)")
            #expect(!result.errors.contains("plan"), "\(command): \(result.errors)")
        }
        #expect(try cue.differences("library", "out") == "")
        if plan == "damaged" || plan == "no file" {
            try cue.refuses(["plan"], 1, "your documents and vaults are not affected")
            try cue.refuses(["plan", "has", "cloud-storage"], 1, "no plan with cloud-storage")
        }
        if plan == "damaged" {
            #expect(try cue.run("plan", "forget", "--device").code == 0)
            #expect(try Self.show(cue)["state"].string == "local")
        }
    }

    @Test(
        "The plan of an earlier cue, in a file of its own, is taken over once; the file goes, and brings nothing back")
    func olderFile() throws {
        let cue = try Self.trusting()
        try Self.issue(cue, "ada.plan")
        try Self.accept(cue, "ada.plan")
        let before = try Self.memory(cue)
        try cue.shell("rm home/plan/*")
        try cue.folder.write("home/plan/memory.json", before)
        try cue.folder.write("home/plan/lock", "")

        #expect(try Self.show(cue)["state"].string == "valid")
        #expect(try cue.shell("ls home/plan").text == "store.db\n")
        #expect(try cue.run("plan", "forget").code == 0)
        try cue.folder.write("home/plan/memory.json", before)
        #expect(try Self.show(cue)["state"].string == "local")
    }

    @Test("Where nothing can be written, a plan is judged as before", .enabled(if: !Machine.isRoot || Machine.canMount))
    func readOnly() throws {
        let cue = try Self.trusting()
        try Self.issue(cue, "ada.plan")
        try Self.accept(cue, "ada.plan")

        let script = """
            if [ $(id -u) = 0 ]; then mount --bind home home && mount -o remount,ro,bind home; else chmod -R a-w home; fi
            "$CUE" plan has cloud-storage; echo $?
            if [ $(id -u) = 0 ]; then umount home; else chmod -R u+w home; fi
            """
        let result = try cue.shell(script)

        #expect(result.text.hasSuffix("has cloud-storage.\n0\n"), "\(result)")
    }

    @Test("A plan that is taken in a library comes to the vault with the next commit, and to no device but its own")
    func travels() throws {
        let cue = try Self.trusting()
        try Self.issue(cue, "ada.plan")
        let taken = try cue.run("plan", "import", cue.folder.appending("ada.plan"), in: cue.library)
        #expect(taken.code == 0, "\(taken.errors)")
        try cue.snapshot()
        let commits = try cue.commits()
        try cue.snapshot()
        #expect(try cue.commits() == commits)

        // The state folder is lost, but for an older copy of the plan: the vault has the newer one.
        try cue.shell("cp -a home/plan old")
        try cue.shell("sleep 1")
        try Self.issue(cue, "newer.plan")
        #expect(try cue.run("plan", "import", cue.folder.appending("newer.plan"), in: cue.library).code == 0)
        try cue.snapshot()
        let newer = try Self.show(cue)["issued"].string
        let desk = ["CUE_HOME": cue.folder.appending("desk")]
        try cue.shell("mkdir -p desk elsewhere && cp -a old desk/plan")
        #expect(
            try cue.start(
                ["init", cue.folder.appending("elsewhere"), "--vault", cue.vault], environment: desk
            ).result().code == 0)
        #expect(try cue.start(["sync", cue.folder.appending("elsewhere")], environment: desk).result().code == 0)
        let there = try cue.start(["plan", "--json"], environment: desk).result().json
        #expect(there["issued"].string == newer && there["state"].string == "valid", "\(there)")

        let other = ["CUE_HOME": cue.folder.appending("other")]
        try cue.shell("mkdir again")
        #expect(
            try cue.start(["init", cue.folder.appending("again"), "--vault", cue.vault], environment: other).result()
                .code == 0)
        #expect(try cue.start(["sync", cue.folder.appending("again")], environment: other).result().code == 0)
        #expect(!cue.folder.exists("other/plan"))
    }

    @Test("What is typed wrong is refused before anything is read or written")
    func usage() throws {
        let cue = try Self.trusting()
        let device = String(repeating: "0", count: 32)
        let issue = [
            "plan", "issue", "--key", cue.folder.appending("issuer.key"), "--account", "a", "--device", device,
        ]

        try cue.refuses(["plan", "trust"], 2, "name the file of a public key")
        try cue.refuses(["plan", "has", "Cloud"], 2, "is no name of a feature")
        try cue.refuses(issue + ["--plan", "PRO"], 2, "is no name")
        try cue.refuses(issue + ["--plan", "pro", "--feature", "a b"], 2, "is no name")
        try cue.refuses(issue + ["--plan", "pro", "--ttl", "7"], 2, "is no time to live")
        try cue.refuses(issue + ["--plan", "pro", "--ttl", "367d"], 2, "is no time to live")
        try cue.refuses(issue + ["--plan", "pro", "--expires", "soon"], 2, "is no time")
        try cue.refuses(issue + ["--plan", "pro", "--expires", "2020-01-01"], 2, "expires before")
        try cue.refuses(["plan", "trust", "--remove", "zz"], 1, "no trusted key has the id zz")
    }
}
