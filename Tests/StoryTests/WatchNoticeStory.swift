import CueTestSupport
import Foundation
import Testing

@Suite("Story: a watcher says what is wrong")
struct WatchNoticeStory {
    /// A library whose reminders are lines in the file `said`.
    private static func library(_ more: String = "", and command: String = "true") throws -> Cue {
        let cue = Cue()
        try cue.initialize()
        let said = cue.folder.appending("said")
        let command =
            "\(command); printf '%s | %s\\\\n' \\\"$CUE_TITLE\\\" \\\"$CUE_BODY\\\" >> \(said)"
        let marker = try cue.folder.read("library/.cue/library.toml")
        try cue.write(".cue/library.toml", marker + "\n[notify]\ncommand = \"\(command)\"\n" + more)
        #expect(try cue.run("nudge", "--allow-command", "--library", cue.library).code == 0)
        return cue
    }

    private static func said(_ cue: Cue) -> [String] {
        ((try? cue.folder.read("said")) ?? "").split(separator: "\n").map(String.init)
    }

    @Test("Another vault in place of the own one is said once, with what to do, and the next time once more")
    func error() throws {
        let cue = try Self.library()
        try cue.write("Draft.md", "1")
        let watching = try Watching(cue)
        try cue.rename("vault", "right")
        let made = try cue.shell("mkdir second && \"$CUE\" init second --vault \"$PWD/vault\" --kdf-memory 64 --json")
        #expect(made.code == 0, "\(made.errors)")
        for text in ["2", "3", "4"] {
            try cue.write("Draft.md", text)
            usleep(700_000)
        }

        #expect(eventually { Self.said(cue).count == 1 })
        let said = Self.said(cue).first ?? ""
        #expect(said.hasPrefix("Nothing is stored just now | the vault at "), "\(said)")
        #expect(
            said.contains("not the one") && said.contains("what you write stays in your folder. What to do: "),
            "\(said)")
        #expect(watching.isRunning)
    }

    @Test("A conflict that waits is said once")
    func conflict() throws {
        let cue = try Self.library()
        try cue.write("Draft.md", "1")
        try cue.snapshot()
        try cue.shell(
            "mkdir other && \"$CUE\" init other --vault vault && \"$CUE\" sync other && echo there > other/Draft.md",
            environment: ["CUE_HOME": cue.folder.appending("home 2")])
        let watching = try Watching(cue, debounce: 3)
        try cue.write("Draft.md", "here and longer")
        let other = try cue.shell("\"$CUE\" backup other", environment: ["CUE_HOME": cue.folder.appending("home 2")])
        #expect(other.code == 0, "\(other.errors)")

        #expect(eventually { Self.said(cue).count == 1 })
        #expect(Self.said(cue).first?.hasPrefix("A conflict needs you | Changed on two devices: Draft.md.") ?? false)
        try cue.write("More.md", "more")
        #expect(try cue.arrives("More.md", "more"))
        usleep(500_000)
        #expect(Self.said(cue).count == 1)
        #expect(watching.isRunning)
    }

    /// Makes the first reading find that every pack was changed.
    private static func damage(_ cue: Cue) throws {
        try cue.write("Draft.md", Cue.inPack("once upon a time"))
        try cue.snapshot()
        try cue.shell(
            "for f in vault/packs/*/*; do printf 'x' | dd of=\"$f\" bs=1 seek=100 conv=notrunc status=none; done")
    }

    @Test("What opens the vault is not handed to the command")
    func noPassphrase() throws {
        let cue = try Self.library(and: "env > $CUE_HOME/variables")
        try Self.damage(cue)

        let watching = try Watching(cue, environment: ["CUE_PASSPHRASE_COMMAND": "echo \(cue.passphrase)"])
        #expect(eventually { Self.said(cue).count == 1 })

        // No text of a failure: the variables of whoever runs the tests are nobody else's.
        let variables = try cue.folder.read("home/variables")
        let (isTold, hasSecret) = (
            variables.contains("CUE_TITLE=The vault is damaged"),
            variables.contains("CUE_PASSPHRASE") || variables.contains(cue.passphrase)
        )
        #expect(isTold && !hasSecret)
        #expect(watching.isRunning)
    }

    @Test("Damage that the daily reading finds is said, and status says it first")
    func damage() throws {
        let cue = try Self.library()
        try Self.damage(cue)

        let watching = try Watching(cue)

        #expect(eventually { Self.said(cue).count == 1 })
        #expect(Self.said(cue).first?.hasPrefix("The vault is damaged | ") ?? false, "\(Self.said(cue))")
        #expect(try cue.run("status", cue.library, "--short").text == "damaged vault\n")
        #expect(watching.isRunning)
    }
}
