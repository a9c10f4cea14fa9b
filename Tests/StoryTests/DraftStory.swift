import CueTestSupport
import Foundation
import Testing

@Suite("Story: drafts of runs that were cut off")
struct DraftStory {
    /// A library with enough in it that a restore can be caught in the middle; all of it is stored.
    private static func library() throws -> Cue {
        let cue = Cue()
        try cue.initialize()
        let made = try cue.shell(
            """
            mkdir -p library/Book library/Novel.scriv/Files
            for n in $(seq 60); do head -c 400000 /dev/urandom > "library/Book/Page $n.bin"; done
            for n in $(seq 20); do head -c 400000 /dev/urandom > "library/Novel.scriv/Files/$n.rtf"; done
            """)
        #expect(made.code == 0)
        try cue.snapshot()
        return cue
    }

    /// Names, kinds and modes of all drafts below a folder; what a run writes down is among them.
    private static func drafts(_ cue: Cue, in folder: String) throws -> [String] {
        try cue.shell("find '\(folder)' -name '.cue-restore-*' -printf '%y %m %p\\n' 2>/dev/null").text.split(
            separator: "\n"
        )
        .map(String.init)
    }

    /// Starts a restore and stops it while drafts are there.
    private static func stopped(_ cue: Cue, _ arguments: [String], in folder: String) throws -> Running {
        let running = try cue.start(["restore"] + arguments)
        let isThere = try eventually { try drafts(cue, in: folder).count > 2 || !running.isRunning }
        running.send(SIGSTOP)
        #expect(isThere && running.isRunning)
        return running
    }

    private static func kill(_ running: Running) throws {
        running.send(SIGKILL)
        running.send(SIGCONT)
        #expect(try running.result().signal == 9)
    }

    @Test("Nobody else can read a draft, and what a killed restore left is removed and named by the next one")
    func folder() throws {
        let cue = try Self.library()
        let arguments = ["--vault", cue.vault, "--to", cue.folder.appending("out")]
        let killed = try Self.stopped(cue, arguments, in: "out")
        let drafts = try Self.drafts(cue, in: "out")
        try Self.kill(killed)
        try cue.shell("echo mine > out/.cue-restore-mine.tmp; echo mine > out/Book/.cue-restore-0000000000000000-1.tmp")

        let next = try cue.restore(to: "out")
        let third = try cue.restore(to: "out")

        #expect(drafts.allSatisfy { $0.hasPrefix("f 600") || $0.hasPrefix("d 700") }, "\(drafts)")
        #expect(next.code == 0 && !next.json["drafts_removed"].strings.isEmpty, "\(next.text)")
        #expect(next.json["drafts_removed"].strings.allSatisfy { $0.contains(".cue-restore-") })
        #expect(third.json["drafts_removed"].strings == [], "\(third.text)")
        let left = try Self.drafts(cue, in: "out")
        #expect(left.count == 2 && left.allSatisfy { $0.contains("mine") || $0.contains("-1.tmp") }, "\(left)")
        try cue.shell("rm out/.cue-restore-mine.tmp out/Book/.cue-restore-0000000000000000-1.tmp")
        #expect(try cue.differences("library", "out", "--content-only") == "")
    }

    @Test("The drafts of a restore that still runs stay, whatever another one does to the same folder")
    func alive() throws {
        let cue = try Self.library()
        let arguments = ["--vault", cue.vault, "--to", cue.folder.appending("out")]
        let running = try Self.stopped(cue, arguments, in: "out")
        let drafts = try Self.drafts(cue, in: "out")

        let other = try cue.restore(to: "out")
        let after = try Self.drafts(cue, in: "out")
        running.send(SIGCONT)
        _ = try running.result()

        #expect(other.code == 0 && other.json["drafts_removed"].strings == [], "\(other.text)")
        #expect(Set(drafts).isSubset(of: Set(after)), "\(drafts) \(after)")
        #expect(try Self.drafts(cue, in: "out") == [])
        #expect(try cue.differences("library", "out", "--content-only") == "")
    }

    @Test(
        "What a restore into the library left when it was killed is removed and named, and never stored",
        arguments: ["restore", "sync", "backup", "status"])
    func library(command: String) throws {
        let cue = try Self.library()
        try cue.write(".cueignore", "!*.tmp\n")
        try cue.snapshot()
        try cue.shell("rm -r library/Book library/Novel.scriv")
        let killed = try Self.stopped(cue, ["--library", cue.library], in: "library")
        let drafts = try Self.drafts(cue, in: "library")
        try Self.kill(killed)

        let arguments = [
            "restore": ["restore", "--library", cue.library], "sync": ["sync", cue.library, "--allow-deletions"],
            "backup": ["backup", cue.library, "--allow-deletions"], "status": ["status", cue.library],
        ]
        let next = try cue.start((arguments[command] ?? []) + ["--json"]).result()
        let said = try cue.start(arguments[command] ?? []).result()

        #expect(drafts.allSatisfy { $0.hasPrefix("f 600") || $0.hasPrefix("d 700") }, "\(drafts)")
        #expect(next.code == 0 && !next.json["drafts_removed"].strings.isEmpty, "\(next.text)\(next.errors)")
        #expect(!said.text.contains("cut off"), "it is said once: \(said.text)")
        #expect(try Self.drafts(cue, in: "library") == [])
        #expect(try cue.run("ls", "--vault", cue.vault, "--json").text.contains(".cue-restore") == false)
    }

    @Test("A draft that no journal tells of is not stored, even where a rule takes in such names")
    func unknown() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write(".cueignore", "!*.tmp\n")
        try cue.write("a.tmp", "a")
        try cue.write(".cue-restore-0123456789abcdef-7.tmp", "half a chap")
        try cue.write("Novel.scriv/.cue-restore-0123456789abcdef-8.tmp", "half a chap")
        try cue.write("Novel.scriv/1.rtf", "one")
        try cue.snapshot()

        #expect(try cue.restore(to: "out").code == 0)

        #expect(try cue.shell("cd out; find . -type f | sort").text == "./.cueignore\n./Novel.scriv/1.rtf\n./a.tmp\n")
    }

    @Test("A folder that is made anew for a document has the mode that it had")
    func parents() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Book/Deep/a.md", "a")
        try cue.shell("chmod 750 library/Book; chmod 711 library/Book/Deep")
        try cue.snapshot()
        try cue.shell("rm -r library/Book")

        #expect(try cue.run("restore", "Book/Deep/a.md", "--library", cue.library).code == 0)
        #expect(try cue.run("restore", "a.md", "--vault", cue.vault, "--to", cue.folder.appending("out")).code == 0)

        for place in ["library", "out"] {
            #expect(try cue.shell("stat -c %a \(place)/Book \(place)/Book/Deep").text == "750\n711\n", "\(place)")
        }
    }
}
