import CueTestSupport
import Foundation
import Testing

@Suite("Story: a watcher is told to stop, or killed")
struct WatchSignalStory {
    /// A new watcher in the middle of its first sync, and how many documents there are. Where that is over before
    /// anybody sees it, there are more the next time.
    private static func inFirstSync(_ counts: [Int], bytes: Int) throws -> (Cue, Watching, Int) {
        for count in counts {
            let cue = Cue()
            try cue.initialize()
            try cue.python(
                "import os, sys\nfor n in range(int(sys.argv[1])): open(f'library/scene {n}.md', 'wb').write(os.urandom(int(sys.argv[2])))",
                String(count), String(bytes))
            let watching = try Watching(cue, isSettled: false)
            var phase = ""
            _ = try eventually(within: 30) {
                phase = try watching.phase()
                return ["syncing", "idle"].contains(phase)
            }
            if phase == "syncing" { return (cue, watching, count) }
            #expect(phase == "idle" && watching.isRunning)
        }
        throw NeverSeen()
    }

    private struct NeverSeen: Error {}

    /// Sends a signal twice, from one process; gives the seconds between.
    private static func twice(_ signal: Int32, to watching: Watching, after seconds: Double) throws -> Double {
        let script = """
            import os, sys, time
            process, signal, pause = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
            start = time.monotonic()
            os.kill(process, signal); time.sleep(pause); os.kill(process, signal)
            print(time.monotonic() - start)
            """
        let process = try watching.state()["process"].int
        let words = [String(process), String(signal), String(seconds)]
        let result = try Running(Machine.anyPython, ["-c", script] + words).result()
        #expect(result.code == 0, "\(result.errors)")
        return try #require(Double(result.text.trimmingCharacters(in: .newlines)))
    }

    /// Two signals count as one for a second; a machine that stood still between them proves nothing.
    private static let muchTooLong = 0.5

    @Test("A signal stores what waits, and the exit code is 0", arguments: [SIGTERM, SIGINT, SIGHUP])
    func signals(_ signal: Int32) throws {
        let cue = Cue()
        try cue.initialize()
        let watching = try Watching(cue, debounce: 60)
        try cue.write("Draft.md", "the last words")
        #expect(try eventually { try watching.state()["waiting"].strings == ["Draft.md"] })

        let result = try watching.stop(signal)

        #expect(result.code == 0, "\(result.errors)")
        #expect(try cue.stored("Draft.md") == "the last words")
    }

    @Test("A signal that comes during the first sync stores what was there before it")
    func firstSync() throws {
        let (cue, watching, count) = try Self.inFirstSync([300, 1000, 3000], bytes: 20_000)

        let result = try watching.stop()

        #expect(result.code == 0, "\(result.errors)")
        let status = try cue.run("status", cue.library, "--json").json
        #expect(status["new"].strings.count == 0 && status["documents"].int == count, "\(result.errors)")
    }

    @Test("Lost events, and a signal before the look at everything: nothing is left behind")
    func lostEvents() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Draft.md", "what was")
        let watching = try Watching(cue, debounce: 60)
        let script = """
            import mmap, sys, time
            f = open(sys.argv[1], "r+b"); m = mmap.mmap(f.fileno(), 0); m[:8] = b"what is!"; m.flush(); time.sleep(30)
            """
        let writer = try Running(Machine.anyPython, ["-c", script, cue.library + "/Draft.md"])
        defer { writer.send(SIGKILL) }
        #expect(try eventually { try cue.folder.read("library/Draft.md") == "what is!" })

        #expect(try watching.stop().code == 0)

        #expect(try cue.stored("Draft.md") == "what is!")
    }

    @Test("A terminal that is closed hangs up twice: what waits is stored all the same")
    func twice() throws {
        for _ in 1...5 {
            let cue = Cue()
            try cue.initialize()
            let watching = try Watching(cue, debounce: 60)
            try cue.python(
                "import os\nfor n in range(700): open(f'library/scene {n}.md', 'wb').write(os.urandom(30000))")
            #expect(try eventually { try watching.state()["waiting"].strings.count == 200 })

            let gap = try Self.twice(SIGHUP, to: watching, after: 0.06)
            let result = try watching.end()
            if gap > Self.muchTooLong { continue }

            #expect(result.code == 0, "\(result.errors)")
            let status = try cue.run("status", cue.library, "--json").json
            #expect(status["new"].strings.count == 0 && status["documents"].int == 700)
            return
        }
        Issue.record("the signals were never sent soon after each other")
    }

    @Test("Two signals while a sync still runs, as a closed terminal sends them, lose no last save")
    func twiceInSync() throws {
        for _ in 1...5 {
            let (cue, watching, count) = try Self.inFirstSync([700, 2000, 5000], bytes: 30_000)

            let gap = try Self.twice(SIGHUP, to: watching, after: 0.002)
            let result = try watching.end()
            if gap > Self.muchTooLong { continue }

            #expect(result.code == 0, "\(result.errors)")
            let status = try cue.run("status", cue.library, "--json").json
            #expect(status["new"].strings.count == 0 && status["documents"].int == count, "\(result.errors)")
            return
        }
        Issue.record("the signals were never sent soon after each other")
    }

    @Test("Asked again and again it stops at once, and says what is not stored")
    func atOnce() throws {
        let cue = Cue()
        try cue.initialize()
        let watching = try Watching(cue, debounce: 60)
        try cue.python(
            "import os\nfor n in range(3000): open(f'library/scene {n}.md', 'wb').write(os.urandom(60000))")
        #expect(try eventually { try watching.state()["waiting"].strings.count == 200 })

        // The first begins the last save, the second cuts it short, and the third, if it is still at work, ends it.
        watching.send(SIGINT)
        usleep(1_300_000)
        watching.send(SIGINT)
        usleep(5000)
        let result = try watching.stop(SIGINT)

        if try cue.run("status", cue.library, "--json").json["new"].strings.count > 0 {
            #expect(
                result.errors.contains("not stored yet") || result.errors.contains("did not end well"),
                "\(result.code) \(result.errors)")
        }
        #expect([0, 130].contains(result.code))
        #expect(try cue.run("sync", cue.library).code == 0)
        #expect(try cue.run("check", cue.library, "--read-data").code == 0)
    }

    @Test("Of two that start at the same time one watches")
    func together() throws {
        let cue = Cue()
        try cue.initialize()
        let both = [try Watching(cue, isSettled: false), try Watching(cue, isSettled: false)]

        #expect(try eventually { try both.count { $0.isRunning } == 1 && both.contains { try $0.phase() == "idle" } })

        usleep(500_000)
        #expect(both.count { $0.isRunning } == 1)
    }

    @Test("A second watcher is refused, and told who watches")
    func second() throws {
        let cue = Cue()
        try cue.initialize()
        let watching = try Watching(cue)
        let process = try watching.status().json["watcher"]["process"].int

        let refused = try cue.run("watch", cue.library)

        #expect(refused.code == 1)
        #expect(refused.errors.contains("\(process)"), "\(refused.errors)")
        #expect(watching.isRunning)
    }

    @Test("After SIGKILL status says that none runs, and a new one starts")
    func killed() throws {
        let cue = Cue()
        try cue.initialize()
        let first = try Watching(cue, debounce: 60)
        let old = try first.state()["process"].int
        try cue.write("Draft.md", "unsaved")
        #expect(try eventually { try first.state()["waiting"].strings == ["Draft.md"] })
        #expect(try first.stop(SIGKILL).signal == SIGKILL)

        let status = try cue.run("status", cue.library)
        #expect(status.text.contains("none runs") && status.text.contains("Draft.md"), "\(status.text)")
        #expect(try cue.run("status", cue.library, "--json").json["watcher"]["phase"].string == "")
        let next = try Watching(cue, isSettled: false)

        #expect(try cue.arrives("Draft.md", "unsaved"))
        #expect(try next.state()["process"].int != old)
    }

    @Test("Another watcher's file is not taken for that of one that has only begun")
    func begun() throws {
        let cue = Cue()
        try cue.initialize()
        let made = try cue.shell("cd library && for a in $(seq 45); do mkdir -p $a/{1..45}; done")
        #expect(made.code == 0)
        let first = try Watching(cue, debounce: 60)
        let old = try first.state()["process"].int
        #expect(try first.stop(SIGKILL).signal == SIGKILL)

        let next = try Watching(cue, isSettled: false)

        var seen: Set<Int> = []
        _ = try eventually(within: 5) {
            let watcher = try next.status().json["watcher"]
            seen.insert(watcher["process"].int)
            return watcher["phase"].string == "idle" && watcher["process"].int != old
        }
        #expect(!seen.contains(old))
    }
}
