import CueTestSupport
import Foundation
import Testing

/// Texts in `Tests/Snapshots` that a person has read and found good. `CUE_SNAPSHOTS=record` writes them anew.
enum Snapshot {
    static let folder = Project.root + "/Tests/Snapshots"
    static let isRecording = ProcessInfo.processInfo.environment["CUE_SNAPSHOTS"] == "record"

    static func expect(_ name: String, _ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let file = "\(folder)/\(name)"
        if isRecording {
            let parent = (file as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            return
        }
        let known = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        #expect(
            text == known, "Tests/Snapshots/\(name) differs; CUE_SNAPSHOTS=record records",
            sourceLocation: sourceLocation)
    }
}

@Suite("Story: what cue prints")
struct OutputStory {
    /// Replaces what is different in every run: ids, codes, times, durations and folders.
    private static func normalized(_ text: String, _ cue: Cue) -> String {
        let rules = [
            (cue.folder.path, "FOLDER"), (#""device":"[^"]*""#, #""device":"DEVICE""#),
            (#"as device "[^"]*""#, #"as device "DEVICE""#), (#"(?m)^device   .*$"#, "device   DEVICE"),
            (#"packs/[0-9a-f]{2}/"#, "packs/XX/"), (#"snapshot [0-9a-f]{8}\b"#, "snapshot ID8"),
            (#"(?m)^[0-9a-f]{8}  "#, "ID8  "), (#"\(version [0-9a-f]{8}-\d+\)"#, "(version ID8)"),
            (#""state":"[a-z]+( [a-z]+){3}""#, #""state":"WORDS""#),
            (#"(?m)^(seen {5}|the state word of the vault: )[a-z]+( [a-z]+){3}"#, "$1WORDS"),
            (#"(?m)^(ID8  )\S+(  \(this device\))?(  joined)"#, "$1DEVICE$2$3"),
            (#""name":"[^"]*","this_device""#, #""name":"DEVICE","this_device""#),
            (#"\b[0-9a-f]{128}\b"#, "HEX128"), (#"\b[0-9a-f]{64}\b"#, "HEX64"),
            (#"([0-9A-Z]{4}-){8}[0-9A-Z]{4}"#, "CODE"), (#"\b[0-9a-f]{32}\b"#, "ID32"),
            (#"\b[0-9a-f]{8}-[0-9a-f]{4}-[48][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b"#, "UUID"),
            (#"\b[0-9a-f]{16}\b"#, "ID16"), (#"\b[0-9a-f]{8}-(\d+)\b"#, "ID8-$1"),
            (#"(?<!"memory":)\b[0-9a-f]{8}\b"#, "ID8"), (#"THE OTHER \([^)]*\)"#, "THE OTHER (DEVICE)"),
            // How old something is depends on how long the commands before took; StatusLineTests prove the words.
            (#"(in the vault,|the last one was|the last sync was|last synced) (just now|\d+ s ago)"#, "$1 AGO"),
            (#"\((just now|1 min ago)\)"#, "(AGO)"), (#"\((less than a|1) minute ago\)"#, "(AGO)"),
            (#""id":"snooze-[^"]*""#, #""id":"snooze-ID-TIME""#),
            (#""body":"All was last in the vault on \d{4}-\d\d-\d\d"#, #""body":"All was last in the vault on DAY"#),
            (#"All was last in the vault on \d{4}-\d\d-\d\d"#, "All was last in the vault on DAY"),
            (#"No backup for \d days"#, "No backup for DAYS days"),
            // What a nudge says is another thing every day.
            (#""body":"[^"]*","id":"nudge-"#, #""body":"TEXT","id":"nudge-"#),
            (#"Novel: "(?!The deadline|You asked)[^"]*""#, #"Novel: "TEXT""#),
            (#"((nudge|deadline)-)[0-9a-f]{16}-\d+"#, "$1ID"),
            (#"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"#, "TIME"), (#"\d{4}-\d\d-\d\d \d\d:\d\d"#, "TIME"),
            (#""seconds":[0-9.e-]+"#, #""seconds":SECONDS"#), (#"\([0-9.]+ m?s\)"#, "(SECONDS)"),
            (#"(?m)^(ID8-?\d* +)TIME( +)\S+ +"#, "$1TIME  DEVICE  "),
            (#"(--keep \d: (?:this device, )?)[^,]+, (saved|deleted)"#, "$1DEVICE, $2"),
            (#"Clockmaker \([^)]*\)\.md"#, "Clockmaker (DEVICE).md"),
            (#"(?m)^(  received  .*) \([^)]*\)$"#, "$1 (DEVICE)"),
            (#"(?m)^(snapshot ID16|  (?:from|to)  +ID8-\d+)  TIME  [^\s,]+"#, "$1  TIME  DEVICE"),
            (#""(added_bytes|bytes|read_bytes|unreferenced_bytes)":[1-9]\d*"#, #""$1":BYTES"#),
            (#"[0-9.]+ (bytes|KiB|MiB) added"#, "SIZE added"),
            (#"(packs?|documents?), [0-9.,]+ (bytes|KiB|MiB)"#, "$1, SIZE"),
        ]
        return rules.reduce(text) { text, rule in
            text.replacingOccurrences(
                of: rule.0, with: rule.1, options: rule.0.hasPrefix("/") ? [] : .regularExpression)
        }
    }

    /// A run as a page: the command, its exit code and what it printed.
    private static func page(_ cue: Cue, _ arguments: [String], environment: [String: String?] = [:]) throws -> String {
        let result = try cue.start(arguments, environment: environment, in: cue.folder.path).result()
        let errors = result.errors.split(separator: "\n").map { "! \($0)\n" }.joined()
        return "$ cue \(arguments.joined(separator: " "))   → \(result.code)\n\(result.text)\(errors)\n"
    }

    /// A plan from its key to its end.
    private static func plan(_ cue: Cue, _ add: (String, String...) throws -> Void) throws {
        try add("plan of a new device", "plan")
        let device = try cue.run("plan", "--json").json["device"].string
        try add("plan keygen", "plan", "keygen", "--output", "issuer.key")
        try add("plan keygen over a key", "plan", "keygen", "--output", "issuer.key")
        try add("plan trust of a secret key", "plan", "trust", "issuer.key")
        let ada = ["--plan", "pro", "--feature", "cloud-storage", "--account", "ada@example.org", "--device", device]
        let issue = ["plan", "issue", "--key", "issuer.key", "--output", "ada.plan"]
        #expect(try cue.start(issue + ada, in: cue.folder.path).result().code == 0)
        try add(
            "plan issue", "plan", "issue", "--key", "issuer.key", "--plan", "pro", "--account", "bob", "--device",
            device)
        try add("plan import with an unknown key", "plan", "import", "ada.plan")
        try add("plan trust", "plan", "trust", "issuer.key.pub")
        try add("plan import", "plan", "import", "ada.plan")
        try add("plan", "plan")
        try add("plan has", "plan", "has", "cloud-storage")
        try add("plan has not", "plan", "has", "other")
        try add("plan forget", "plan", "forget")
        try add("plan forget with the device", "plan", "forget", "--device")
        try add("plan import of another device", "plan", "import", "ada.plan")
        try add("plan trust removed", "plan", "trust", "--remove", "0123456789abcdef")
    }

    /// What happened in the library so far, and what somebody adds to it.
    private static func events(_ cue: Cue, _ add: (String, String...) throws -> Void) throws {
        let here = ["--library", "library"]
        try add("events", "events", here[0], here[1])
        try add(
            "events add", "events", "add", "walk_taken", "--payload", #"{"km":3.5}"#, "--at", "2026-01-02T10:00:00Z",
            here[0], here[1])
        try add("events add of no JSON", "events", "add", "walk_taken", "--payload", "three", here[0], here[1])
        try cue.shell(
            #"printf '{"type":"x"}\nnot json\n{"type":"tea","timestamp":"2026-01-01T00:00:00Z"}\n' > in.jsonl"#)
        try add("events import", "events", "import", "in.jsonl", here[0], here[1])
        try add("events import again", "events", "import", "in.jsonl", here[0], here[1])
        try add("events list", "events", "list", "--last", "2", here[0], here[1])
        try add("events list of an unknown type", "events", "list", "--type", "coffee", here[0], here[1])
        try add("events list aside", "events", "list", "--aside", here[0], here[1])
        try add("events status", "events", "status", here[0], here[1])
        try add("events export", "events", "export", "--output", "out.jsonl", here[0], here[1])
        try add("events export over a file", "events", "export", "--output", "out.jsonl", here[0], here[1])
    }

    /// A garden in a file, seen from moments that do not change.
    private static func garden(_ cue: Cue, _ add: (String, [String]) throws -> Void) throws {
        // Events of one moment are ordered by their ids, which are others each time.
        var minute = 10
        func garden(_ name: String, day: Int, _ arguments: String...) throws {
            minute += 1
            let clock = ["--now", "2026-01-\(day < 10 ? "0" : "")\(day)T10:\(minute):00Z", "--zone", "Europe/Lisbon"]
            try add(name, ["garden"] + arguments + ["--events", "garden.jsonl"] + clock)
        }
        try garden("garden of a file that is not there", day: 1)
        try cue.shell("touch garden.jsonl")
        try garden("garden that is empty", day: 1)
        try garden("garden leaf", day: 1, "leaf", "hands-2", "Novel")
        try garden(
            "garden plant", day: 1, "plant", "Act one", "--on", "hands-2", "--leaf", "Novel", "--for", "2w", "--ground",
            "fertile")
        try garden(
            "garden plant without soil", day: 1, "plant", "All", "--on", "hands-2", "--leaf", "Novel", "--for", "1y")
        try garden("garden plant on no twig", day: 1, "plant", "All", "--on", "knees-0", "--leaf", "Novel")
        try garden("garden seedling add", day: 1, "seedling", "add", "voice-1", "A letter", "--notes", "To whom?")
        try garden("garden seedling list", day: 1, "seedling", "list")
        try garden("garden water", day: 2, "water", "act one", "500 words")
        try garden("garden water twice a day", day: 2, "water", "act one", "more")
        try garden("garden water of nothing", day: 2, "water", "act two", "more")
        try garden("garden shine", day: 2, "shine", "hands-2", "A good week")
        try garden("garden", day: 2)
        try garden("garden edit", day: 3, "edit", "act one", "--title", "Act I")
        try garden("garden harvest before its day", day: 3, "harvest", "act i", "--result", "4")
        try garden("garden harvest", day: 16, "harvest", "act i", "--result", "4", "--reflection", "It holds.")
        try garden("garden uproot of what was harvested", day: 16, "uproot", "act i")
        try garden("garden chart", day: 16, "chart")
        try garden("garden chart svg", day: 16, "chart", "--svg", "soil.svg")
        try garden("garden harvested", day: 16)
    }

    /// The life of a small library, each command once for people and once for programs.
    private static func story(_ cue: Cue, _ more: [String]) throws -> [(name: String, text: String)] {
        DayChange.letPass(within: 60)
        try cue.write("Novel.scriv/Files/1.rtf", "{\\rtf1 one}")
        try cue.write("Stories/Clockmaker.md", "tick")
        try cue.write("Poems/Clockmaker.md", "tock")
        try cue.shell("find library -exec touch -h -d 2024-05-06T07:08:09Z {} +; mkdir plain")
        var pages: [(String, String)] = []
        func add(_ name: String, _ arguments: String...) throws {
            pages.append((name, normalized(try page(cue, arguments + more), cue)))
        }
        try add("init", "init", "library", "--vault", "vault", "--kdf-memory", "64")
        try add("status of a new library", "status", "library")
        try add("backup", "backup", "library")
        try cue.shell(
            "sleep 0.3; echo changed > library/Stories/Clockmaker.md; rm -r library/Poems; mkfifo library/pipe")
        try add("status with changes", "status", "library")
        try add("backup with a file that is none", "backup", "library")
        try cue.shell("rm library/pipe; sleep 0.3")
        try add("backup with nothing changed", "backup", "library")
        try add("init of another folder on the same vault", "init", "plain", "--vault", "vault", "--name", "laptop")
        try add("ls", "ls", "--library", "library")
        try add("ls of a document", "ls", "Novel", "--library", "library", "--all")
        try add("log", "log", "--library", "library")
        try add("log of a document", "log", "Stories/Clockmaker", "--library", "library")
        try add("log of a folder", "log", "Stories", "--library", "library")
        try add("ls of a folder", "ls", "Stories", "--library", "library")
        try add("show", "show", "latest", "--library", "library")
        try cue.shell("echo changed again > library/Stories/Clockmaker.md; sleep 0.3")
        try add("diff of everything", "diff", "--library", "library")
        try add("diff in lines", "diff", "--stat", "--library", "library")
        try cue.shell("echo changed > library/Stories/Clockmaker.md; sleep 0.3")
        try add("cat", "cat", "Novel:Files/1.rtf", "--library", "library")
        try add("export", "export", ".", "--to", "drafts", "--library", "library")
        try add("export of what is there", "export", "Stories", "--to", "drafts", "--library", "library")
        try add("export of what has no text", "export", "Novel", "--to", "drafts", "--library", "library")
        try add("sync of a new device", "sync", "plain")
        try cue.shell(
            "echo changed twice > library/Stories/Clockmaker.md; echo changed there > plain/Stories/Clockmaker.md")
        try cue.shell("rm plain/Novel.scriv/Files/1.rtf; sleep 0.3")
        try add("sync", "sync", "library")
        try add("sync with a conflict", "sync", "plain")
        try add("status with a conflict", "status", "plain")
        try add("conflicts", "conflicts", "plain")
        try add("resolve without a terminal", "resolve", "Clockmaker", "--library", "plain")
        try add("resolve", "resolve", "Clockmaker", "--keep", "both", "--library", "plain")
        try add("resolve undone", "resolve", "--undo", "Clockmaker", "--library", "plain")
        try add("diff", "diff", "Stories/Clockmaker.md", "--vault", "vault")
        try cue.shell("echo now and then > plain/Stories/Clockmaker.md")
        try add("diff against the folder", "diff", "Stories/Clockmaker.md", "--library", "plain")
        try add("sync that is answered", "sync", "plain", "--keep", "this")
        try add("sync with nothing to do", "sync", "plain")
        try add("no conflicts", "conflicts", "plain")
        try add("restore", "restore", "--vault", "vault", "--to", "out")
        try add("restore of what is there", "restore", "--vault", "vault", "--to", "out")
        try cue.shell("echo mine > out/Stories/Clockmaker.md")
        try add("restore with something in the way", "restore", "--vault", "vault", "--to", "out")
        try add("check", "check", "library", "--read-data")
        try add("key list", "key", "list", "--vault", "vault")
        try add("key renew", "key", "renew", "--library", "library")
        try cue.shell("echo seven lamps on the quay at night > other; chmod 600 other")
        try add(
            "key add", "key", "add", "--library", "library", "--label", "the laptop", "--new-passphrase-file", "other",
            "--kdf-memory", "64")
        let slots = try cue.run("key", "list", "--vault", cue.vault, "--json").json["slots"].list
        let slot = slots.first { $0["label"].string == "the laptop" }?["slot"].string ?? ""
        try add("key remove", "key", "remove", slot, "--library", "library")
        try add("key remove of no slot", "key", "remove", "zzzz", "--library", "library")
        try add("device list", "device", "list", "--library", "library")
        try events(cue, add)
        try garden(cue) { name, words in pages.append((name, normalized(try page(cue, words + more), cue))) }
        try add("a name that nothing bears", "cat", "Nowel", "--library", "library")
        try add("wrong usage", "restore", "--at", "now", "--version", "1")
        for text in ["long", "longer"] {
            try cue.folder.write("plain/Stories/Clockmaker.md", Cue.inPack(text))
            #expect(try cue.run("backup", "plain").code == 0)
        }
        #expect(try cue.shell("rm vault/packs/*/*").code == 0)
        try add("check of a damaged vault", "check", "library")
        try add("restore from a damaged vault", "restore", "--vault", "vault", "--to", "out 2")
        DayChange.letPass()
        try add("project show with nothing set", "project", "show", "--library", "library")
        try add(
            "project set", "project", "set", "Novel", "--deadline", "2999-12-31", "--inactivity-hours", "24",
            "--library", "library")
        try add("project set with a past deadline", "project", "set", "Novel", "--deadline", "2020-01-01")
        try add("project show", "project", "show", "--library", "library")
        try add("nudge", "nudge", "--library", "library")
        try add("nudge put off", "nudge", "--snooze", "Novel", "2d", "--library", "library")
        try cue.shell("printf '\n[notify]\ncommand = \"true\"\n' >> library/.cue/library.toml")
        try add("nudge with a command", "nudge", "--library", "library")
        try add("nudge with a command allowed", "nudge", "--allow-command", "--library", "library")
        try plan(cue, add)
        return pages
    }

    @Test("Every command prints what was reviewed, for people")
    func forPeople() throws {
        for (name, text) in try Self.story(Cue(), []) { try Snapshot.expect("text/\(name).txt", text) }
    }

    @Test("Every command prints the JSON that was reviewed")
    func forPrograms() throws {
        for (name, text) in try Self.story(Cue(), ["--json"]) { try Snapshot.expect("json/\(name).txt", text) }
    }

    @Test(
        "Every help page is the one that was reviewed",
        arguments: [
            "", "init", "backup", "restore", "status", "ls", "log", "cat", "export", "check", "key", "key list",
            "key new-code", "key add", "key remove", "key renew", "device", "device list", "device shut-out", "sync",
            "conflicts", "resolve", "diff", "show", "find", "project", "project set", "project show", "nudge", "plan",
            "plan show",
            "plan import", "plan trust", "plan forget", "plan has", "plan issue", "plan keygen", "watch", "events",
            "events list", "events add", "events export", "events import", "events status", "garden", "garden plant",
            "garden water", "garden harvest", "garden uproot", "garden edit", "garden shine", "garden leaf",
            "garden seedling", "garden seedling add", "garden chart", "garden derive",
            "vault", "vault add", "vault list",
            "vault remove", "copy", "doctor",
        ])
    func help(command: String) throws {
        let cue = Cue()
        let words = command.split(separator: " ").map(String.init)

        let help = try cue.start(words + ["--help"], environment: ["COLUMNS": "100"]).result()

        #expect(help.code == 0 && help.errors == "")
        try Snapshot.expect("help/\(command.isEmpty ? "cue" : "cue \(command)").txt", help.text)
    }

    @Test("Under --quiet nothing is printed when all is well, and warnings still are")
    func quiet() throws {
        let cue = try Cue.small()
        try cue.write("More.md", "more")

        for command in [["backup", cue.library], ["check", cue.library], ["ls", "--vault", cue.vault]] {
            let result = try cue.start(command + ["--quiet"]).result()
            #expect(result.code == 0 && result.text == "" && result.errors == "", "\(command): \(result.text)")
        }
        try cue.shell("mkfifo library/pipe")
        let warned = try cue.run("backup", cue.library, "-q")
        #expect(warned.code == 3 && warned.text == "" && warned.errors.contains("warning: pipe"), "\(warned)")
    }
}
