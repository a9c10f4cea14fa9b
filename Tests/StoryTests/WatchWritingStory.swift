import CueTestSupport
import Foundation
import Testing

@Suite("Story: a watcher notices what was written")
struct WatchWritingStory {
    private static let long = String(repeating: "once upon a time there was a king. ", count: 100)

    private static func library() throws -> Cue {
        let cue = Cue()
        try cue.initialize()
        let command = "printf '%s\\\\n' \\\"$CUE_BODY\\\" >> \(cue.folder.appending("said"))"
        let marker = try cue.folder.read("library/.cue/library.toml")
        try cue.write(".cue/library.toml", marker + "\n[notify]\ncommand = \"\(command)\"\n")
        #expect(try cue.run("nudge", "--allow-command", "--library", cue.library).code == 0)
        return cue
    }

    private static func said(_ cue: Cue) -> [String] {
        ((try? cue.folder.read("said")) ?? "").split(separator: "\n").map(String.init)
    }

    @Test("A document that lost most of its words is said once, and the command that is named brings it back")
    func wordsFell() throws {
        let cue = try Self.library()
        try cue.write("It's a Novel.md", Self.long)
        try cue.write("Other.md", Self.long)
        let watching = try Watching(cue)

        try cue.write("It's a Novel.md", "once upon a time")
        try cue.write("Other.md", String(Self.long.dropLast(1000)))
        #expect(eventually { !Self.said(cue).isEmpty })
        try cue.write("It's a Novel.md", "once upon")
        #expect(try cue.arrives("It's a Novel.md", "once upon"))
        usleep(500_000)
        #expect(try watching.stop().code == 0)

        let said = Self.said(cue)
        #expect(said.count == 1)
        #expect(said[0].hasPrefix("It has 4 words now, and had 800 before."), "\(said)")
        let command = said[0].split(separator: "`")[1]
        let restored = try cue.shell(
            "cd library && " + command.replacing("cue ", with: "\"$CUE\" ", maxReplacements: 1))
        #expect(restored.code == 0, "\(command): \(restored.errors)")
        #expect(try cue.folder.read("library/It's a Novel.md") == Self.long)
        // The version is noted as one that is to be kept.
        let pins = try cue.python(
            """
            import glob, sqlite3
            for path in glob.glob("home/libraries/*/store.db"):
                print(sqlite3.connect(path).execute("SELECT before, after FROM pin").fetchall())
            """
        ).text
        #expect(pins == "[(800, 4)]\n")
    }

    @Test("Writing is progress, and a change of a letter is not; nor is what another device stored")
    func progress() throws {
        let cue = try Self.library()
        try cue.write("Novel.md", Self.long)
        try cue.snapshot()
        let set = try cue.run("project", "set", "Novel", "--nudge", "daily", "--library", cue.library)
        #expect(set.code == 0, "\(set.errors)")
        func progress() throws -> String {
            try cue.run("project", "show", "Novel", "--library", cue.library, "--json").json["projects"].list[0][
                "last_progress"
            ].string
        }
        let watching = try Watching(cue)

        try cue.write("Novel.md", Self.long + "X")
        #expect(try cue.arrives("Novel.md", Self.long + "X"))
        try watching.settle()
        usleep(300_000)
        #expect(try progress() == "")
        try cue.write("Novel.md", Self.long + "X and eight words more than there were before")

        #expect(try eventually { try progress() != "" })
        #expect(watching.isRunning)
    }

    @Test("A backup by hand takes anything new for progress, and new times for none")
    func byHand() throws {
        let cue = try Self.library()
        try cue.write("Novel.md", Self.long)
        try cue.snapshot()
        #expect(try cue.run("project", "set", "Novel", "--nudge", "daily", "--library", cue.library).code == 0)
        func progress() throws -> String {
            try cue.run("project", "show", "Novel", "--library", cue.library, "--json").json["projects"].list[0][
                "last_progress"
            ].string
        }

        try cue.write("Novel.md", "new")
        try cue.shell("touch -d 2024-05-06T07:08:09Z library/Novel.md")
        try cue.snapshot()
        #expect(try progress() == "2024-05-06T07:08:09Z")
        try cue.shell("touch -d 2024-06-06T07:08:09Z library/Novel.md")
        try cue.snapshot()

        #expect(try progress() == "2024-05-06T07:08:09Z")
    }
}
