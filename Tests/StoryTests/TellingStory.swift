import CueTestSupport
import Foundation
import Testing

@Suite("Story: a command says which version it means, and what to type next")
struct TellingStory {
    /// A library of two documents; the chapter has three versions, and the poem came between them.
    private static func library() throws -> (cue: Cue, snapshots: [String]) {
        let cue = Cue()
        try cue.initialize("--name", "desk")
        var snapshots: [String] = []
        for (name, text) in [
            ("02 Salt.md", "first draft"), ("02 Salt.md", "second draft"), ("Poem.md", "a poem"),
            ("02 Salt.md", "third draft, longer"),
        ] {
            try cue.write(name, text)
            try cue.shell("sleep 0.05")
            snapshots.append(try cue.snapshot())
        }
        return (cue, snapshots)
    }

    @Test("restore says which version it brought, and how to take it back where it wrote into the library")
    func restored() throws {
        let (cue, snapshots) = try Self.library()
        let log = try cue.run("log", "Salt", "--library", cue.library, "--json").json["versions"].list

        let one = try cue.run("restore", "02 Salt", "--at", snapshots[1], in: cue.library)
        let again = try cue.run("restore", "02 Salt", "--at", snapshots[1], in: cue.library)
        let all = try cue.run("restore", "--at", snapshots[2], "--to", cue.folder.appending("all"), in: cue.library)
        let newest = try cue.run("restore", "--vault", cue.vault, "--to", cue.folder.appending("newest"))
        let json = try cue.restore(to: "json", "02 Salt", "--at", snapshots[1]).json["from"]
        let undone = try cue.run("restore", "--undo", "--json", "--library", cue.library)

        let then = /02 Salt\.md as it was on \d{4}-\d\d-\d\d \d\d:\d\d \(desk\)\n/
        #expect(one.text.contains(then) && one.text.contains("\nto take it back: `cue restore --undo`\n"), "\(one)")
        #expect(again.text.contains(then) && !again.text.contains("--undo"), "\(again)")
        #expect(all.text.contains("each document as it was in snapshot \(snapshots[2].prefix(8)), "), "\(all)")
        #expect(all.text.contains("(desk)") && !all.text.contains("--undo"), "\(all)")
        #expect(
            newest.text.contains("each document in its newest version; the last of them was stored on "), "\(newest)")
        #expect(json["version"].string == log[1]["version"].string && json["device"].string == "desk")
        #expect(json["snapshot"].string == snapshots[1] && json["time"].string == log[1]["time"].string)
        #expect(undone.code == 0 && !undone.text.contains("\"from\""), "\(undone)")
        #expect(try cue.folder.read("library/02 Salt.md") == "third draft, longer")
    }

    @Test("Where nobody can be asked, the one document that fits is named with the whole command, and nothing changed")
    func fits() throws {
        let (cue, _) = try Self.library()
        let before = try cue.fingerprint("library/02 Salt.md")

        let restore = try cue.run("restore", "salt", "--at", "latest~2", "--to", "a b", in: cue.library)
        let twice = try cue.run("restore", "salt", "--to", "salt", "--library", cue.library)
        let resolve = try cue.run("resolve", "salt", "--keep", "this", in: cue.library)
        try cue.rename("library/Poem.md", "library/Sonnet.md")
        try cue.snapshot()
        let former = try cue.run("restore", "Poem", "--json", in: cue.library).json["error"]

        for refused in [restore, resolve] {
            #expect(refused.code == 1 && refused.errors.contains("nothing is called salt; nothing was changed"))
        }
        #expect(
            restore.errors.contains(
                "did you mean 02 Salt.md? Then type: cue restore '02 Salt.md' --at 'latest~2' --to 'a b'\n"),
            "\(restore.errors)")
        #expect(resolve.errors.contains("Then type: cue resolve '02 Salt.md' --keep this\n"), "\(resolve.errors)")
        #expect(twice.errors.contains("Then type: its name in full, '02 Salt.md'"), "\(twice.errors)")
        #expect(former["message"].string.contains("Poem.md is called Sonnet.md since"), "\(former)")
        #expect(former["hints"].strings == ["did you mean Sonnet.md? Then type: cue restore Sonnet.md --json"])
        #expect(try cue.fingerprint("library/02 Salt.md") == before)
        #expect(!cue.folder.exists("library/a b") && !cue.folder.exists("salt"))
    }

    @Test("diff knows a renamed document, stored or not yet, with the words that changed in it")
    func renamed() throws {
        let (cue, _) = try Self.library()
        try cue.shell("sleep 0.05")
        try cue.rename("library/Poem.md", "library/Sonnet.md")
        try cue.shell("printf ' of the sea' >> library/Sonnet.md")

        func look(_ more: String...) throws -> Running.Result {
            try cue.start(["diff"] + more, in: cue.library).result()
        }
        let open = try look()
        let stat = try look("--stat")
        let json = try look("--json").json["documents"].list
        let named = try look("Poem")
        let whole = try look("Sonnet", "--stat")
        let differs = try look("--exit-code").code
        let second = try cue.snapshot()
        let stored = try look(".", "latest~1", "latest")
        let folder = try look(".", "latest~1", "--json").json["documents"].list
        let show = try cue.run("show", second, "--library", cue.library)

        #expect(
            open.text.hasPrefix("Sonnet.md\n") && open.text.contains("Poem.md is called Sonnet.md now\n"), "\(open)")
        #expect(open.text.contains("{+ of the sea+}") && open.text.contains("\n1 document changed: 3 words added, 0"))
        #expect(stat.text.contains(/renamed +\+3 +words +Poem\.md is now Sonnet\.md\n/), "\(stat)")
        #expect(json.map { $0["path"].string } == ["Sonnet.md"] && json[0]["renamed_from"].string == "Poem.md")
        #expect(json[0]["old"].string.hasSuffix("-1") && json[0]["parts"].list.count == 1)
        #expect(named.text.contains("Poem.md is called Sonnet.md now"), "\(named)")
        #expect(whole.text.contains("Poem.md is now Sonnet.md"), "\(whole)")
        #expect(differs == 1)
        #expect(stored.text.contains("Poem.md was renamed to Sonnet.md\n"), "\(stored)")
        #expect(folder.map { $0["renamed_from"].string } == ["Poem.md"])
        #expect(show.text.contains("Poem.md is now Sonnet.md"), "\(show)")
    }

    @Test("A document that was only renamed has changed no word, and is counted as changed")
    func onlyRenamed() throws {
        let (cue, _) = try Self.library()
        try cue.rename("library/Poem.md", "library/Sonnet.md")
        try cue.snapshot()

        let diff = try cue.run("diff", ".", "latest~1", "latest", "--exit-code", in: cue.library)

        #expect(diff.code == 1 && diff.text.contains("Poem.md was renamed to Sonnet.md\nNo word changed.\n"), "\(diff)")
        #expect(diff.text.contains("1 document changed: 0 words added") && !diff.text.contains("only times"), "\(diff)")
    }

    @Test("--version latest~1 is the version before the newest one of the document, however often others were stored")
    func versionBefore() throws {
        let (cue, _) = try Self.library()
        try cue.write("Poem.md", "a better poem")
        try cue.snapshot()
        // Only its time changes: that is no version that a writer means.
        try cue.shell("touch -d 2026-01-02 'library/02 Salt.md'")
        try cue.snapshot()
        func cat(_ more: String...) throws -> Running.Result {
            try cue.start(["cat", "02 Salt"] + more, in: cue.library).result()
        }

        let (newest, before) = (try cat("--version", "latest").text, try cat("--version", "latest~1").text)
        let first = try cat("--version", "latest~2").text
        let none = try cat("--version", "latest~3")
        let at = try cat("--at", "latest~1").text
        let restored = try cue.run("restore", "02 Salt", "--version", "latest~1", in: cue.library)

        #expect([newest, before, first] == ["third draft, longer", "second draft", "first draft"])
        #expect(at == "third draft, longer")
        #expect(none.code == 1 && none.errors.contains("02 Salt.md has 3 versions: latest~2 is the oldest"), "\(none)")
        #expect(restored.code == 0 && restored.text.contains("02 Salt.md as it was on "), "\(restored)")
        #expect(try cue.folder.read("library/02 Salt.md") == "second draft")
        try cue.refuses(["restore", "--version", "latest~1", "--library", cue.library], 2, "name that document")
        for command in ["cat", "restore"] {
            let help = try cue.run(command, "--help").text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(help.contains(" cue \(command) \"02 Salt\" --version latest~1 cue "), "\(help)")
        }
    }

    @Test("An id in the place of another names the option that takes it")
    func options() throws {
        let (cue, snapshots) = try Self.library()
        let version = try cue.run("log", "Salt", "--library", cue.library, "--json").json["versions"].list[1]["short"]
            .string

        let at = try cue.run("cat", "02 Salt", "--at", version, "--library", cue.library)
        let id = try cue.run("cat", "02 Salt", "--version", String(snapshots[0].prefix(8)), "--library", cue.library)
        let time = try cue.run("cat", "02 Salt", "--version", "2 days ago", "--library", cue.library)

        #expect(at.code == 2 && at.errors.contains("\(version) is a version of one document"), "\(at)")
        #expect(at.errors.contains("`cue cat NAME --version \(version)` prints it"), "\(at)")
        #expect(id.code == 1 && id.errors.contains("goes with --at: --at \(snapshots[0].prefix(8))\n"), "\(id)")
        #expect(time.code == 1 && time.errors.contains("--at '2 days ago'"), "\(time)")
    }

    @Test("On a terminal the usage line of a help breaks between options, and no bracket is torn")
    func usage() throws {
        let cue = Cue()

        for columns in [80, 40] {
            let help = try Typing.run(
                cue, ["cat", "--help"], answers: [], columns: columns, environment: ["PAGER": "cat"]
            )
            .text
            let start = try #require(help.range(of: "USAGE: ")?.lowerBound, "\(help)")
            let usage = help[start...].components(separatedBy: "\n\n")[0]
            for line in usage.split(separator: "\n") {
                #expect(line.count { $0 == "[" } == line.count { $0 == "]" }, "\(line)")
                #expect(line.count <= columns, "\(line)")
            }
            #expect(usage.split(separator: "\n").count > 2 && usage.contains("[--passphrase-file <file>]"), "\(usage)")
        }
    }

    @Test("Of two documents of which one cannot be restored, the time is that of the one that came")
    func failed() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Older.md", "whole")
        try cue.snapshot()
        let packs = try cue.objects(in: "packs")
        try cue.write("Newer.md", Cue.inPack("damaged"))
        try cue.snapshot()
        for pack in try cue.objects(in: "packs") where !packs.contains(pack) {
            try cue.shell("printf damaged. | dd of='vault/\(pack)' bs=1 seek=70 conv=notrunc")
        }

        let text = try cue.start(["restore", "--vault", cue.vault, "--to", "out"], in: cue.folder.path).result()

        #expect(text.code == 6 && text.text.contains("Older.md as it was on "), "\(text)")
    }
}
