import CueTestSupport
import Foundation
import Testing

@Suite("Story: events")
struct EventStory {
    private static let frozen = Project.root + "/fixtures/events-1"

    /// A second device on the same vault.
    private static func other(_ cue: Cue) throws -> [String: String?] {
        let home: [String: String?] = ["CUE_HOME": cue.folder.appending("home of the other")]
        try cue.shell("mkdir other")
        #expect(try cue.run("init", cue.folder.appending("other"), "--vault", cue.vault, environment: home).code == 0)
        return home
    }

    private static func export(_ cue: Cue, _ library: String, _ environment: [String: String?] = [:]) throws -> String {
        try cue.run("events", "export", "--library", library, environment: environment).text
    }

    @Test("What happens on one device is known on the other after both have synced, in the same order, and once")
    func twoDevices() throws {
        let cue = try Cue.small()
        let there = try Self.other(cue)
        let otherLibrary = cue.folder.appending("other")
        try cue.run("events", "add", "walk_taken", "--payload", #"{"km":3}"#, "--library", cue.library)
        try cue.run(
            "events", "add", "tea", "--at", "2020-01-01T00:00:00Z", "--library", otherLibrary, environment: there)

        try cue.run("backup", cue.library)
        try cue.run("sync", otherLibrary, environment: there)
        try cue.run("sync", cue.library)
        let again = try cue.run("sync", cue.library, "--json")

        let log = try Self.export(cue, cue.library)
        #expect(log == (try Self.export(cue, otherLibrary, there)))
        #expect(log.contains("\"tea\"") && log.contains("\"km\":3"))
        #expect(log.split(separator: "\n").count == Set(log.split(separator: "\n")).count)
        #expect(again.text.contains(#""pulled":0,"pushed":0"#), "\(again.text)")
        let status = try cue.run("events", "status", "--library", cue.library)
        #expect(status.text.contains("all of them in the vault"), "\(status.text)")
    }

    @Test("Added beside a running backup, killed just after, an event is in the vault after the next one, once")
    func killed() throws {
        let cue = try Cue.small()
        for number in 0..<20 {
            try cue.write("More/\(number).md", "text \(number)")
            let backup = try cue.start(["backup", cue.library])
            try cue.run("events", "add", "tick", "--payload", "\(number)", "--library", cue.library)
            backup.send(SIGKILL)
            _ = try backup.result()
        }
        try cue.run("backup", cue.library)

        let there = try Self.other(cue)
        try cue.run("sync", cue.folder.appending("other"), environment: there)

        let log = try Self.export(cue, cue.folder.appending("other"), there)
        for number in 0..<20 {
            let count = log.split(separator: "\n").count { $0.contains(#""payload":\#(number),"type":"tick""#) }
            #expect(count == 1, "\(number): \(count) times")
        }
    }

    @Test("An export comes back into another library as it was, and nothing comes twice")
    func exportAndImport() throws {
        let cue = try Cue.small()
        try cue.run("events", "add", "tea", "--payload", #""a\u0000b é""#, "--library", cue.library)
        let file = cue.folder.appending("events.jsonl")
        try cue.run("events", "export", "--output", file, "--library", cue.library)
        let again = try cue.run("events", "export", "--output", file, "--library", cue.library)
        #expect(again.code == 1 && again.errors.contains("is there already; nothing was written"), "\(again)")
        let there = try Self.other(cue)
        let otherLibrary = cue.folder.appending("other")

        let first = try cue.run("events", "import", file, "--library", otherLibrary, environment: there)
        let second = try cue.run("events", "import", file, "--library", otherLibrary, environment: there)

        #expect(first.code == 0 && second.text.hasPrefix("0 events imported"), "\(first) \(second)")
        #expect(try Self.export(cue, otherLibrary, there) == Self.export(cue, cue.library))
    }

    @Test("What is no event is set aside and named by its line; the rest is imported, and the exit code is 3")
    func badImport() throws {
        let cue = try Cue.small()
        try cue.shell(
            #"printf '{"type":"x"}\nnot json\n{"type":"tea","timestamp":"2026-01-01T00:00:00Z"}\n' > in.jsonl"#)

        let result = try cue.run("events", "import", cue.folder.appending("in.jsonl"), "--library", cue.library)

        #expect(result.code == 3 && result.text.hasPrefix("1 event imported"), "\(result)")
        #expect(result.errors.contains("line 2 is no event: it is not JSON"), "\(result.errors)")
        let aside = try cue.run("events", "list", "--aside", "--library", cue.library)
        #expect(aside.text.contains("line 1: no timestamp") && aside.text.contains("not json"), "\(aside.text)")
        let cleared = try cue.run("events", "list", "--aside", "--clear", "--library", cue.library)
        #expect(cleared.text == "2 things that had been set aside are forgotten.\n", "\(cleared)")
        let left = try cue.run("events", "list", "--aside", "--library", cue.library)
        #expect(left.text == "Nothing was set aside.\n", "\(left)")
        let broken = try cue.run("events", "import", "-", "--library", cue.library)
        #expect(broken.code == 0, "an empty input has no events: \(broken)")
        try cue.shell("echo '[{' > broken.json")
        let array = try cue.run("events", "import", cue.folder.appending("broken.json"), "--library", cue.library)
        #expect(array.code == 1 && array.errors.contains("nothing was imported"), "\(array)")
    }

    @Test("Another event of a known id is set aside once, however often it is imported, and named each time")
    func knownID() throws {
        let cue = try Cue.small()
        func row(_ payload: Int) -> String {
            #"{"type":"tea","payload":\#(payload),"client_id":"c","client_timestamp":"2026-01-01T00:00:00Z"}"#
        }
        try cue.folder.write("one.jsonl", row(1))
        try cue.folder.write("other.jsonl", row(2))
        try cue.run("events", "import", cue.folder.appending("one.jsonl"), "--library", cue.library)

        for _ in 0..<3 {
            // Each import is at another time.
            let result = try cue.run(
                "events", "import", cue.folder.appending("other.jsonl"), "--library", cue.library, "--json")
            #expect(result.code == 3, "\(result)")
            #expect(
                result.text
                    == #"{"aside":[{"place":"line 1","reason":"another event has its id"}],"known":0,"new":0}"# + "\n")
        }

        let aside = try cue.run("events", "list", "--aside", "--library", cue.library, "--json")
        #expect(aside.text.split(separator: "another event has its id").count == 2, "\(aside.text)")
    }

    @Test("A file in which nothing is an event is refused as a whole, and leaves nothing behind")
    func noEvents() throws {
        let cue = try Cue.small()
        try cue.folder.write("novel.txt", String(repeating: "It was a dark night.\n\n", count: 6_000))

        let result = try cue.run("events", "import", cue.folder.appending("novel.txt"), "--library", cue.library)
        let input = try cue.shell("echo prose | \"$CUE\" events import - --library library")

        #expect(result.code == 1 && result.errors.contains("line 1: it is not JSON"), "\(result)")
        #expect(result.errors.contains("nothing was imported"), "\(result)")
        #expect(
            input.code == 1
                && input.errors.contains(
                    "the standard input cannot be imported: nothing in it is an event (line 1: it is not JSON"),
            "\(input)")
        let status = try cue.run("events", "status", "--library", cue.library)
        #expect(status.errors == "", "\(status)")
    }

    @Test("A line of more than 4 MiB ends an import, and what stands before it is imported")
    func longLine() throws {
        let cue = try Cue.small()
        let event = #"{"type":"tea","timestamp":"2026-01-01T00:00:00Z"}"#
        try cue.folder.write("in.jsonl", event + "\n" + String(repeating: "x", count: 5 << 20))

        let result = try cue.run("events", "import", cue.folder.appending("in.jsonl"), "--library", cue.library)

        #expect(result.code == 1 && result.errors.contains("line 2 is over 4 MiB"), "\(result)")
        #expect(try Self.export(cue, cue.library).contains("tea"))
    }

    @Test("What the garden could not read is not added by hand; an import takes it and says so")
    func unreadableForTheGarden() throws {
        let cue = try Cue.small()

        let planted = try cue.run("events", "add", "sprout_planted", "--library", cue.library)
        try cue.folder.write(
            "in.jsonl", #"{"type":"sprout_watered","timestamp":"2026-01-01T00:00:00Z","sproutId":"s"}"#)
        let imported = try cue.run("events", "import", cue.folder.appending("in.jsonl"), "--library", cue.library)

        #expect(planted.code == 2 && planted.errors.contains("sproutId is no text; nothing was added"), "\(planted)")
        #expect(imported.code == 0 && imported.text.hasPrefix("1 event imported"), "\(imported)")
        #expect(imported.errors.contains("line 1 counts for nothing in the garden: content is no text"), "\(imported)")
    }

    @Test("An event that has not happened yet is added with a warning")
    func future() throws {
        let cue = try Cue.small()

        let added = try cue.run("events", "add", "tea", "--at", "2999-01-01T10:00:00Z", "--library", cue.library)

        #expect(added.code == 0 && added.errors.contains("has not come yet"), "\(added)")
    }

    @Test("A type that would forge a line or move a cursor is refused, and so is one that is no UTF-8")
    func strangeType() throws {
        let cue = try Cue.small()

        let forged = try cue.run("events", "add", "tea\n2026-01-01 00:00  forged", "--library", cue.library)
        let noText = try cue.shell("\"$CUE\" events add \"$(printf 'a\\377')\" --library library")
        try cue.run("events", "add", "tea", "--payload", #""said \"a\"\u001b[2J""#, "--library", cue.library)
        let list = try cue.run("events", "list", "--library", cue.library)

        #expect(forged.code == 2 && forged.errors.contains("the type holds a control character"), "\(forged)")
        #expect(noText.code == 2 && noText.errors.contains("is no UTF-8; nothing was added"), "\(noText)")
        #expect(!list.text.contains("forged") && list.text.contains(#""said \"a\""#), "\(list.text)")
        #expect(!list.text.contains("\u{1b}"))
    }

    @Test("A batch that was lost or damaged is damage until a device that has its events syncs, and none after it")
    func lostBatch() throws {
        let cue = try Cue.small()
        let there = try Self.other(cue)
        let otherLibrary = cue.folder.appending("other")
        for text in ["one", "two", "three", "four"] {
            try cue.run("events", "add", "tea", "--payload", "\"\(text)\"", "--library", cue.library)
            try cue.run("backup", cue.library)
        }
        let log = try Self.export(cue, cue.library)
        try cue.shell("set -- vault/events/*/*; rm \"$2\"; printf damaged. | dd of=\"$4\" bs=1 seek=100 conv=notrunc")
        let broken = try cue.run("check", cue.library)
        #expect(broken.code == 6 && broken.errors.contains("another batch of events names it"), "\(broken)")
        #expect(broken.text.contains("`cue sync` stores them again"), "\(broken.text)")

        #expect(try cue.run("sync", cue.library).code == 0)

        let whole = try cue.run("check", cue.library)
        #expect(whole.code == 0, "\(whole)")
        let sync = try cue.run("sync", otherLibrary, environment: there)
        #expect(sync.code == 0 && sync.errors.isEmpty, "\(sync)")
        for line in log.split(separator: "\n") {
            #expect(try Self.export(cue, otherLibrary, there).contains(line), "\(line)")
        }
    }

    @Test("An event may be added for a time of today; what is no time of an event is refused")
    func times() throws {
        let cue = try Cue.small()
        func add(_ time: String) throws -> Running.Result {
            try cue.run("events", "add", "tea", "--at", time, "--library", cue.library, "--json")
        }

        let early = try add("0:05").json["client_timestamp"].string
        let today = try add("today").json
        for time in ["0:60", "25:00", "99999-01-01", "soon", "ab12"] {
            let refused = try add(time)
            #expect(refused.code == 2 && refused.text.contains("is no time; nothing was added"), "\(refused)")
        }

        #expect(early.hasSuffix(":05:00.000Z"))
        #expect(today["client_timestamp"].string == today["created_at"].string, "today has not come to its end")
    }

    @Test("An import follows links and reads pipes, and an export takes a hyphen for the standard output")
    func pipes() throws {
        let cue = try Cue.small()
        try cue.shell(
            #"printf '{"type":"tea","timestamp":"2026-01-01T00:00:00Z"}\n' > in.jsonl; ln -s in.jsonl link; mkfifo fifo"#
        )

        let link = try cue.run("events", "import", cue.folder.appending("link"), "--library", cue.library)
        let fifo = try cue.start(["events", "import", cue.folder.appending("fifo"), "--library", cue.library])
        try cue.shell(#"printf '{"type":"tea","timestamp":"2026-01-02T00:00:00Z"}\n' > fifo"#)
        #expect(try fifo.result().text.hasPrefix("1 event imported"))
        let folder = try cue.run("events", "import", cue.library, "--library", cue.library)
        let export = try cue.start(
            ["events", "export", "--output", "-", "--library", cue.library], in: cue.folder.path
        ).result()

        let marked = try cue.shell(
            #"printf '\357\273\277{"type":"tea","timestamp":"2026-01-02T00:00:00Z"}\r\n' > m; "$CUE" events import m --library library"#
        )

        #expect(link.text.hasPrefix("1 event imported"), "\(link)")
        #expect(marked.text == "0 events imported, 1 known already\n", "a byte order mark is no event: \(marked)")
        #expect(folder.code == 1 && folder.errors.contains("is a folder"), "\(folder)")
        #expect(export.text.split(separator: "\n").count == 3, "\(export)")
    }

    @Test("An import that waits for its pipe keeps nobody else waiting")
    func slowPipe() throws {
        let cue = try Cue.small()
        let slow = try Running(
            "/bin/bash",
            [
                "-c",
                #"(echo '{"type":"a","timestamp":"2026-01-01T00:00:00Z"}'; until [ -e ../go ]; do sleep 0.1; done) | "$CUE" events import -"#,
            ],
            environment: cue.environment.merging(["CUE": Cue.binary]) { $1 }, in: cue.library)
        defer { _ = try? cue.folder.write("go", "") }
        try cue.shell("sleep 1")

        let added = try cue.run("events", "add", "tea", "--library", cue.library)

        #expect(added.code == 0 && slow.isRunning, "\(added)")
        try cue.folder.write("go", "")
        #expect(try slow.result().text.hasPrefix("1 event imported"))
    }

    @Test("An import that waits for its pipe ends at the first signal")
    func interruptedPipe() throws {
        let cue = try Cue.small()
        let script = """
            mkfifo pipe; exec 3<> pipe
            echo '{"type":"a","timestamp":"2026-01-01T00:00:00Z"}' >&3
            "$CUE" events import - --library library < pipe 3>&- & pid=$!
            sleep 1; kill -TERM $pid; wait $pid
            """

        let result = try cue.shell(script, deadline: 30)

        #expect(result.signal == nil && result.code == 130, "\(result)")
        #expect(result.errors.contains("interrupted"), "\(result.errors)")
    }

    @Test("A program that is started without its three streams writes into no file that it opens, and reads nothing")
    func closedStreams() throws {
        let cue = try Cue.small()
        try cue.write("Draft.md", "more")

        let backup = try cue.shell("\"$CUE\" backup library <&- >&- 2>&-")
        let events = try cue.shell("\"$CUE\" events import - --library library <&-", deadline: 20)

        #expect(backup.code == 1 && events.code == 1, "\(backup) \(events)")
        #expect(try cue.stored("Draft.md") == "more")
        #expect(try cue.run("check", cue.library, "--read-data").code == 0)
        #expect(try cue.run("status", cue.library, "--short").text == "ok\n")
    }

    @Test("Followed, the log shows what another process adds, until it is told to stop")
    func follow() throws {
        let cue = try Cue.small()
        let follower = try cue.start(["events", "list", "--follow", "--last", "0", "--library", cue.library])
        // What is added before it begins is not shown.
        let isShown = try eventually(within: 30) {
            try cue.run("events", "add", "tea", "--payload", "7", "--library", cue.library)
            return try follower.textSoFar().contains("tea")
        }
        #expect(isShown)
        follower.send(SIGINT)

        let result = try follower.result()

        #expect(result.code == 0 && result.text.contains("tea") && !result.text.contains("library_saved"), "\(result)")
    }

    @Test(
        "A watcher brings an event that comes alone, and one that another device stored, with its next look at the vault"
    )
    func watched() throws {
        let cue = try Cue.small()
        let there = try Self.other(cue)
        let otherLibrary = cue.folder.appending("other")
        try cue.run("sync", otherLibrary, environment: there)
        let watching = try Watching(cue)

        try cue.run("events", "add", "tea", "--library", cue.library)
        let isBrought = try eventually {
            try cue.run("events", "status", "--library", cue.library).text.contains("all of them in the vault")
        }
        try cue.run("events", "add", "coffee", "--library", otherLibrary, environment: there)
        try cue.run("sync", otherLibrary, environment: there)
        let hasCome = try eventually { try Self.export(cue, cue.library).contains("coffee") }

        #expect(isBrought && hasCome)
        #expect(try Self.export(cue, otherLibrary, there).contains("tea"))
        #expect(try watching.stop().code == 0)
    }

    @Test("What a watcher notes at each save waits for company: another event takes it along, and so does the end")
    func company() throws {
        let cue = try Cue.small()
        let watching = try Watching(cue)
        func save(_ text: String) throws {
            try cue.write("Draft.md", text)
            #expect(try cue.arrives("Draft.md", text))
            try watching.settle()
        }
        func isAllBrought() throws -> Bool {
            try cue.run("events", "status", "--library", cue.library).text.contains("all of them in the vault")
        }

        let before = try cue.objects(in: "events").count
        for text in ["one", "one two", "one two three"] { try save(text) }
        #expect(try cue.objects(in: "events").count == before)
        #expect(try !isAllBrought())
        try cue.run("events", "add", "tea", "--library", cue.library)
        #expect(try eventually { try isAllBrought() })
        #expect(try cue.objects(in: "events").count == before + 1)
        try save("four")
        #expect(try !isAllBrought())
        #expect(try watching.stop().code == 0)

        #expect(try isAllBrought())
        #expect(try cue.objects(in: "events").count == before + 2)
    }

    @Test("What cue does itself is in the log: saving, a conflict and its answer, a restore, each once")
    func ownEvents() throws {
        let cue = try Cue.small()
        let there = try Self.other(cue)
        let otherLibrary = cue.folder.appending("other")
        try cue.write("Shared.md", "one")
        try cue.run("sync", cue.library)
        try cue.run("sync", otherLibrary, environment: there)
        try cue.write("Shared.md", "one and here")
        try cue.shell("echo 'one and there' > other/Shared.md")
        try cue.run("sync", cue.library)

        #expect(try cue.run("sync", otherLibrary, environment: there).code == 4)
        #expect(try cue.run("sync", otherLibrary, environment: there).code == 4)
        let answer = ["resolve", "Shared.md", "--keep", "this", "--library", otherLibrary]
        #expect(try cue.start(answer, environment: there).result().code == 0)
        try cue.shell("rm other/Shared.md")
        #expect(try cue.run("restore", "--library", otherLibrary, environment: there).code == 0)

        let log = try Self.export(cue, otherLibrary, there).split(separator: "\n")
        func count(_ text: String) -> Int { log.count { $0.contains(text) } }
        #expect(count(#""payload":{"document":"Shared.md"},"type":"conflict_found""#) == 1)
        #expect(count(#""payload":{"document":"Shared.md","keep":"this"},"type":"conflict_resolved""#) == 1)
        #expect(count("library_restored") == 1)
        #expect(count("library_saved") >= 3)
    }

    @Test("The frozen vault gives its events as they were, to cue and to the reader in Python")
    func frozenVault() throws {
        let cue = Cue()
        let expected = try String(contentsOfFile: Self.frozen + "/events.jsonl", encoding: .utf8)
        let secret: [String: String?] = ["CUE_PASSPHRASE": "two lamps on the quay"]
        try cue.shell("mkdir library; cp -r \"$1\" vault", Self.frozen + "/vault")
        #expect(try cue.run("init", cue.library, "--vault", cue.vault, environment: secret).code == 0)

        #expect(try cue.run("sync", cue.library, environment: secret).code == 0)

        // The files that came make an event of their own.
        let log = try Self.export(cue, cue.library).split(separator: "\n")
        for line in expected.split(separator: "\n") { #expect(log.contains(line), "\(line)") }
        #expect(try cue.run("check", cue.library, "--read-data").code == 0)
        guard let python = Machine.python else { return }
        let read = try cue.shell(
            "\"\(python)\" \"\(Project.root)/tools/cue-read.py\" \"$1\" events", Self.frozen + "/vault",
            environment: secret)
        #expect(read.code == 0, "\(read.errors)")
        let ids = { (text: String) in text.matches(of: /"client_id":"([^"]*)"/).map { String($0.1) } }
        #expect(ids(read.text) == ids(expected))
    }
}
