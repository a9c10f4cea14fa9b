import CueTestSupport
import Foundation
import Testing

@Suite("Story: a garden")
struct GardenStory {
    private let cue = Cue()

    private func garden(_ now: String, _ arguments: String...) throws -> Running.Result {
        try cue.start(
            ["garden"] + arguments + ["--events", "events.jsonl", "--now", now, "--zone", "Europe/Lisbon"],
            in: cue.folder.path
        ).result()
    }

    private func expect(_ result: Running.Result, _ code: Int32, _ text: String) {
        #expect(result.code == code, "\(result.text)\(result.errors)")
        #expect((result.text + result.errors).contains(text), "\(result.text)\(result.errors)")
    }

    @Test("A sprout is planted, watered once a day, and harvested; what may not be done says why and changes nothing")
    func season() throws {
        expect(try garden("2026-01-01T10:00:00Z", "leaf", "hands-2", "Novel"), 0, "The leaf Novel is on hands-2 (leaf-")
        expect(
            try garden(
                "2026-01-01T10:00:00Z", "plant", "Act one", "--on", "hands-2", "--leaf", "Novel", "--for", "2w",
                "--ground", "fertile"),
            0, "ready on 15 Jan 2026")
        expect(try garden("2026-01-02T10:00:00Z", "water", "act one", "500 words"), 0, "2 of 3 waters are left")
        expect(
            try garden("2026-01-02T11:00:00Z", "water", "act one", "more"), 1, "was watered today; nothing was changed")
        expect(try garden("2026-01-02T11:00:00Z", "shine", "hands-2", "Good"), 0, "The sun shone on hands-2")
        expect(try garden("2026-01-02T11:00:00Z", "shine", "hands-2", "Better"), 1, "(VAL_004)")
        expect(
            try garden(
                "2026-01-02T11:00:00Z", "plant", "All of it", "--on", "hands-2", "--leaf", "Novel", "--for", "1y"), 1,
            "(VAL_002)")
        expect(
            try garden("2026-01-02T11:00:00Z", "plant", "Ten lines", "--on", "core-0", "--leaf", "Novel"), 1,
            "the leaf Novel belongs to another twig, hands-2; nothing was changed")
        expect(try garden("2026-01-15T12:00:00Z"), 0, "1 ready to harvest")
        expect(try garden("2026-01-15T12:00:00Z", "harvest", "act", "--result", "5"), 0, "Harvested Act one.")
        expect(try garden("2026-01-15T12:00:00Z", "uproot", "act one"), 1, "was harvested; nothing was changed")
        let lines = try String(contentsOfFile: cue.folder.appending("events.jsonl"), encoding: .utf8).split(
            separator: "\n")
        #expect(lines.count == 5)
    }

    @Test("A library keeps its garden in its own log")
    func library() throws {
        DayChange.letPass()
        _ = try cue.initialize()
        func garden(_ arguments: String...) throws -> Running.Result {
            try cue.start(["garden"] + arguments, in: cue.library).result()
        }

        expect(try garden("leaf", "hands-2", "Novel"), 0, "The leaf Novel is on hands-2 (leaf-")
        expect(try garden("plant", "Act one", "--on", "hands-2", "--leaf", "Novel"), 0, "Planted Act one")
        expect(try garden("water", "act", "500 words"), 0, "2 of 3 waters are left; the streak is 1 day.")
        expect(try garden(), 0, "1 growing, 0 harvested")
    }

    @Test("A sprout is tied to a document and untied again, and the answers say to which")
    func document() throws {
        DayChange.letPass()
        _ = try cue.initialize()
        try cue.write("Novel.md", "one")
        _ = try cue.backup()
        func garden(_ arguments: String...) throws -> Running.Result {
            try cue.start(["garden"] + arguments, in: cue.library).result()
        }
        _ = try garden("leaf", "hands-2", "Novel")

        expect(
            try garden("plant", "Act one", "--on", "hands-2", "--leaf", "Novel", "--project", "Novel"), 0,
            "Words written on Novel.md may water it.")
        expect(try garden("edit", "Act one", "--project", ""), 2, "--project names no document; nothing was changed")
        expect(try garden("edit", "Act one", "--project", "none"), 0, "Act one. It is tied to no document.")
        expect(try garden("water", "Act one"), 2, "what did you do for Act one?")
        _ = try garden("water", "Act one", "500 words")
        expect(try garden("water", "Act one"), 1, "Act one was watered today; nothing was changed")
    }

    @Test("Leaves are listed with their sprouts; a twig has no two of one name")
    func leaves() throws {
        _ = try garden("2026-01-01T10:00:00Z", "leaf", "hands-2", "Novel")
        _ = try garden("2026-01-01T10:01:00Z", "leaf", "core-0", "Novel")
        _ = try garden("2026-01-01T10:02:00Z", "plant", "Act one", "--on", "hands-2", "--leaf", "Novel", "--for", "2w")
        _ = try garden("2026-01-01T10:03:00Z", "plant", "Act two", "--on", "hands-2", "--leaf", "Novel", "--for", "2w")

        expect(
            try garden("2026-01-01T11:00:00Z", "leaf", "hands-2", "novel"), 1,
            "hands-2 has a leaf novel already; nothing was changed")
        expect(try garden("2026-01-01T11:00:00Z", "leaf", "hands-2"), 0, "hands-2   Novel, 2 sprouts  (leaf-")
        expect(try garden("2026-01-01T11:00:00Z", "leaf"), 0, "core-0    Novel, 0 sprouts  (leaf-")
        expect(
            try garden("2026-01-01T11:00:00Z", "water", "act", "x"), 2, "2 sprouts begin with act: Act one, Act two")
    }

    @Test("The charts are drawn, and the picture is XML")
    func chart() throws {
        _ = try garden("2026-01-01T10:00:00Z", "leaf", "hands-2", "Novel")
        _ = try garden("2026-01-01T10:00:00Z", "plant", "Act one", "--on", "hands-2", "--leaf", "Novel")

        expect(
            try garden("2026-01-15T12:00:00Z", "chart", "--range", "all"), 0,
            "Soil since the beginning: 5 of 10 free now")
        expect(try garden("2026-01-15T12:00:00Z", "chart", "--svg", "soil.svg"), 0, "The chart is in soil.svg.")
        expect(try garden("2026-01-16T12:00:00Z", "chart", "--svg", "soil.svg"), 0, "The chart is in soil.svg.")
        let picture = try Data(contentsOf: URL(fileURLWithPath: cue.folder.appending("soil.svg")))
        let parsed = try cue.shell(
            "python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.stdin.buffer)' < soil.svg")
        #expect(!picture.isEmpty && parsed.code == 0, "\(parsed.errors)")
    }

    @Test("On a screen of 40 columns no line of the garden or its chart is wider", arguments: [40, 44, 50, 58, 80])
    func narrow(width: Int) throws {
        for number in 1...3 {
            _ = try garden("2026-01-01T10:0\(number):00Z", "leaf", "hands-2", "A name of some length \(number)")
        }
        _ = try garden(
            "2026-01-01T10:05:00Z", "plant", "A long title of something to do", "--on", "hands-2", "--leaf",
            "A name of some length 1", "--for", "2w", "--ground", "fertile")
        _ = try garden("2026-01-02T10:05:00Z", "water", "a long", "x")
        _ = try garden("2026-01-02T10:06:00Z", "shine", "hands-2", "x")
        let screen = """
            import fcntl, os, pty, struct, subprocess, sys, termios
            mine, its = pty.openpty()
            fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, int(sys.argv[1]), 0, 0))
            process = subprocess.Popen(sys.argv[2:], stdout=its)
            os.close(its)
            try:
                while True: os.write(1, os.read(mine, 4096).replace(b"\\r", b""))
            except OSError: pass
            """
        for words in ["", "chart --range all", "chart --range 1d", "chart"] {
            for now in ["2026-01-02T12:00:00Z", "2026-01-15T12:00:00Z"] {
                let drawn = try cue.shell(
                    "\"$2\" -c \"$3\" \"$1\" \"$CUE\" garden \(words) --events events.jsonl --zone UTC --now \(now)",
                    "\(width)", Machine.anyPython, screen)
                let lines = drawn.text.split(separator: "\n")
                #expect(lines.count > 8 && lines.allSatisfy { $0.count <= width }, "\(drawn.text)\(drawn.errors)")
            }
        }
    }

    @Test("A chart takes the place of a chart of cue's own, and of nothing else")
    func chartOverFile() throws {
        try cue.folder.write("Story 1.md", "once")
        try cue.folder.write("new.svg.new", "mine")
        _ = try garden("2026-01-01T10:00:00Z", "leaf", "hands-2", "Novel")
        _ = try garden("2026-01-01T10:00:00Z", "chart", "--svg", "chart.svg")
        try cue.shell("mkdir folder; ln -s chart.svg link.svg")

        for name in ["Story 1.md", "folder", "link.svg"] {
            expect(
                try garden("2026-01-15T12:00:00Z", "chart", "--svg", name), 1,
                "\(name) is there already; nothing was written")
        }
        expect(try garden("2026-01-15T12:00:00Z", "chart", "--svg", "new.svg"), 0, "The chart is in new.svg.")

        #expect(try cue.folder.read("Story 1.md") == "once")
        #expect(try cue.folder.read("new.svg.new") == "mine")
        #expect(
            try cue.shell("LC_ALL=C ls -A | sort -f").text
                == "chart.svg\nevents.jsonl\nfolder\nlink.svg\nnew.svg\nnew.svg.new\nStory 1.md\n")
    }

    @Test(
        "Behind a clock that is fast by minutes things are done after it; behind one that is years ahead nothing is said done"
    )
    func fastClock() throws {
        _ = try garden("2026-01-01T10:00:00Z", "leaf", "hands-2", "Novel")
        _ = try garden("2026-01-01T10:30:00Z", "plant", "Act one", "--on", "hands-2", "--leaf", "Novel", "--for", "2w")

        expect(try garden("2026-01-01T10:00:00Z", "water", "Act one", "wrote"), 0, "Watered Act one.")
        expect(
            try garden("2026-01-01T10:00:00Z", "harvest", "Act one", "--result", "5", "--early"), 0,
            "Harvested Act one.")
        expect(try garden("2026-01-01T10:00:00Z"), 0, "0 growing, 1 harvested")
        _ = try garden("2031-01-01T10:00:00Z", "plant", "Act two", "--on", "hands-2", "--leaf", "Novel", "--for", "2w")
        expect(try garden("2026-01-02T10:00:00Z", "uproot", "Act two"), 1, "nothing was changed")
    }

    @Test("Processes that change one file of events at once lose nothing and take no water twice")
    func together() throws {
        _ = try garden("2026-01-01T10:00:00Z", "leaf", "hands-2", "Novel")
        let options = ["--now", "2026-01-01T11:00:00Z", "--zone", "UTC", "--events", "events.jsonl"]
        let running = try (0..<8).map { number in
            try cue.start(["garden", "leaf", "hands-3", "Leaf \(number)"] + options, in: cue.folder.path)
        }
        let suns = try (0..<4).map { _ in
            try cue.start(["garden", "shine", "hands-2", "a week"] + options, in: cue.folder.path)
        }
        for process in running { #expect(try process.result().code == 0) }
        let shone = try suns.map { try $0.result().code }

        #expect(shone.count { $0 == 0 } == 1)
        let text = try cue.folder.read("events.jsonl")
        #expect(text.split(separator: "\n").count == 10)
    }

    @Test("A whole state is derived from a file, and what cannot be read is named")
    func derive() throws {
        let events = """
            [{"type":"sprout_planted","timestamp":"2026-01-01T10:00:00Z","sproutId":"s","twigId":"branch-0-twig-0","title":"\\u001b[2J","season":"2w","environment":"fertile","soilCost":2},
             {"type":"sprout_watered","timestamp":"2026-01-02T10:00:00Z","sproutId":"s"}, {"type":"x"}]
            """
        try events.write(toFile: cue.folder.appending("events.json"), atomically: true, encoding: .utf8)
        let arguments = [
            "garden", "derive", "--events", "events.json", "--now", "2026-01-03T10:00:00Z", "--zone", "UTC",
        ]

        let json = try cue.start(arguments + ["--json"], in: cue.folder.path).result()
        let screen = try cue.start(arguments, in: cue.folder.path).result()

        #expect(json.code == 0 && json.errors.isEmpty)
        #expect(json.text.contains(#""soilAvailable":8,"#))
        #expect(json.text.contains("content is no text") && json.text.contains("event 3: no timestamp"))
        #expect(screen.code == 0 && !screen.text.contains("\u{1b}"))
        #expect(screen.text.contains(#"\x1b[2J"#) && screen.errors.contains("event 3: no timestamp"))
    }

    @Test(
        "What is typed wrong is a mistake in usage, and a file that is no JSON a failure",
        arguments: [
            ("--now", "yesterday-ish", Int32(2), "is no time"), ("--zone", "Mars/Olympus", 2, "there is no time zone"),
            ("--events", "missing", 1, "there is no file"), ("--events", "broken", 1, "line 1 of broken is no JSON"),
        ])
    func wrong(_ option: String, _ value: String, _ code: Int32, _ words: String) throws {
        try "{oops".write(toFile: cue.folder.appending("broken"), atomically: true, encoding: .utf8)
        try "".write(toFile: cue.folder.appending("events"), atomically: true, encoding: .utf8)
        var options = ["--events": "events", "--now": "2026-01-03T10:00:00Z", "--zone": "UTC"]
        options[option] = value

        let result = try cue.start(
            ["garden", "derive"] + options.flatMap { [$0.key, $0.value] }, in: cue.folder.path
        ).result()

        expect(result, code, words)
    }
}
