import CueTestSupport
import Foundation
import Testing

@Suite("Story: names and places change")
struct RenamingStory {
    private static func library(_ files: [String: String]) throws -> Cue {
        let cue = Cue()
        try cue.initialize()
        for (name, content) in files { try cue.write(name, content) }
        try cue.snapshot()
        // Old enough that a time tells every later change.
        try cue.shell("sleep 0.05")
        try cue.snapshot()
        return cue
    }

    /// The paths that a document had, the newest first.
    private static func history(of name: String, _ cue: Cue) throws -> [String] {
        let log = try cue.run("log", name, "--vault", cue.vault, "--json")
        #expect(log.code == 0, "\(log.text)")
        return log.json["versions"].list.map { ($0["deleted"].bool == true ? "deleted " : "") + $0["path"].string }
    }

    @Test("A renamed document keeps its history, and its log shows both names")
    func renamedFile() throws {
        let cue = try Self.library(["Untitled.md": "once upon a time", "Other.md": "other"])
        try cue.rename("library/Untitled.md", "library/Fairy tale.md")

        let backup = try cue.backup()

        #expect(backup.json["renamed"].int == 1 && backup.json["new"].int == 0 && backup.json["removed"].int == 0)
        // The new name changes the inode's ctime, so it is read once more; its content is in the vault already.
        #expect(backup.json["added_bytes"].int < 4096, "\(backup.text)")
        #expect(try Self.history(of: "Fairy tale", cue) == ["Fairy tale.md", "Untitled.md"])
    }

    @Test("A bundle that is renamed and edited at once keeps its history")
    func renamedAndEditedBundle() throws {
        let cue = try Self.library(["Draft.scriv/1.rtf": "one", "Draft.scriv/2.rtf": "two", "Draft.scriv/3.rtf": "3"])
        try cue.rename("library/Draft.scriv", "library/Novel.scriv")
        try cue.write("Novel.scriv/1.rtf", "one, better")
        try cue.snapshot()

        let restored = try cue.restore(to: "out")

        #expect(try Self.history(of: "Novel", cue) == ["Novel.scriv", "Draft.scriv"])
        #expect(restored.code == 0)
        #expect(try cue.differences("library", "out") == "")
    }

    @Test(
        "What is renamed and then written in keeps its history; what has the inode of something deleted does not get its",
        .enabled(if: Machine.keepsBirthTimes, "this file system does not keep when files were made"))
    func renamedAndEdited() throws {
        let cue = try Self.library([
            "Untitled.md": "once upon a time", "Draft.scriv/1.rtf": "one", "Gone.md": "gone", "Other.md": "other",
        ])
        try cue.rename("library/Untitled.md", "library/Fairy tale.md")
        try cue.rename("library/Draft.scriv", "library/Novel.scriv")
        let edited = try cue.shell(
            """
            cd library && printf ', and more' >> 'Fairy tale.md' && echo two > Novel.scriv/2.rtf
            old=$(stat -c %i Gone.md) && rm Gone.md
            for n in $(seq 500); do echo new > "New $n.md"; [ "$(stat -c %i "New $n.md")" = "$old" ] && break; rm "New $n.md"; done
            [ -e New*.md ] || echo new > New.md
            """)
        #expect(edited.code == 0, "\(edited.errors)")

        let backup = try cue.backup()

        #expect(backup.json["removed"].int == 1 && backup.json["new"].int == 1, "\(backup.text)")
        #expect(try Self.history(of: "Fairy tale", cue) == ["Fairy tale.md", "Untitled.md"])
        #expect(try Self.history(of: "Novel", cue) == ["Novel.scriv", "Draft.scriv"])
        #expect(try Self.history(of: "Gone", cue) == ["deleted Gone.md", "Gone.md"])
        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.differences("library", "out") == "")
        #expect(try cue.check("--read-data").code == 0)
    }

    @Test("A folder that is moved with all that is in it is not read again")
    func movedFolder() throws {
        var files = ["Novel.scriv/Files/1.rtf": "not moved"]
        for number in 1...40 {
            files["Drafts/2024/Scene \(number).md"] = "Scene \(number). " + String(repeating: "x", count: 500)
        }
        files["Drafts/Book.scriv/Files/1.rtf"] = String(repeating: "book ", count: 1000)
        let cue = try Self.library(files)
        let before = try cue.vaultBytes()
        try cue.write("Archive/Old.md", "")
        try cue.rename("library/Drafts", "library/Archive/Drafts")

        let backup = try cue.backup()

        #expect(backup.code == 0)
        #expect(backup.json["read_bytes"].int == 0, "\(backup.text)")
        #expect(backup.json["renamed"].int == 41 && backup.json["removed"].int == 0, "\(backup.text)")
        #expect(try cue.vaultBytes() - before < 8192)
        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.differences("library", "out") == "")
    }

    @Test("An edit of one file in a large bundle stores little")
    func editInBundle() throws {
        var files: [String: String] = [:]
        for number in 1...400 {
            files["Novel.scriv/Files/\(number).rtf"] = "Scene \(number) " + String(repeating: "word ", count: 200)
        }
        let cue = try Self.library(files)
        let before = try cue.vaultBytes()
        try cue.write("Novel.scriv/Files/7.rtf", "Scene 7, better")

        let backup = try cue.backup()

        #expect(backup.json["changed"].int == 1)
        #expect(backup.json["read_bytes"].int < 1000, "\(backup.text)")
        #expect(try cue.vaultBytes() - before < 16384)
        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.differences("library", "out") == "")
    }

    @Test("An edit in the middle of a large document stores a small part of it")
    func editInLargeFile() throws {
        let cue = Cue()
        try cue.initialize()
        var generator = SeededGenerator(seed: 7)
        var content = generator.bytes(4 << 20)
        try cue.write("Recording.bin", Data(content))
        try cue.snapshot()
        let before = try cue.vaultBytes()
        content.insert(contentsOf: Array("a few words".utf8), at: 2 << 20)
        try cue.write("Recording.bin", Data(content))

        try cue.snapshot()

        #expect(try cue.vaultBytes() - before < 400 << 10)
        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.differences("library", "out") == "")
    }

    @Test("A document that is touched and saved as it was makes no new version of content")
    func touched() throws {
        let cue = try Self.library(["a.md": "the same", "Novel.scriv/1.rtf": "the same"])
        try cue.shell("cp -p library/a.md keep && cat keep > library/a.md && touch -r keep library/a.md")

        let backup = try cue.backup()

        #expect(backup.json["changed"].int == 0, "\(backup.text)")
        #expect(try Self.history(of: "a", cue) == ["a.md"])
    }

    @Test(
        "What was deleted comes back from before, its log says so, and goes on above it when a new document takes that name"
    )
    func deletion() throws {
        let cue = try Self.library(["Diary.md": "dear diary", "Other.md": "other"])
        let before = try cue.snapshot()
        try cue.remove("library/Diary.md")

        let backup = try cue.backup()
        let gone = try cue.restore(to: "gone")
        let back = try cue.restore(to: "back", "Diary", "--at", before)
        #expect(backup.json["removed"].int == 1)
        #expect(gone.code == 0 && !cue.folder.exists("gone/Diary.md") && cue.folder.exists("gone/Other.md"))
        #expect(back.code == 0)
        #expect(try cue.folder.read("back/Diary.md") == "dear diary")
        #expect(try Self.history(of: "Diary", cue) == ["deleted Diary.md", "Diary.md"])

        try cue.write("Diary.md", "a new one")
        try cue.snapshot()
        #expect(try cue.restore(to: "new").code == 0)
        #expect(try cue.folder.read("new/Diary.md") == "a new one")
        #expect(try Self.history(of: "Diary", cue) == ["Diary.md", "deleted Diary.md", "Diary.md"])
    }

    @Test("A restore of a deleted document into the library brings it back there, and the next backup keeps it")
    func backIntoLibrary() throws {
        let cue = try Self.library(["Diary.md": "dear diary", "Other.md": "other"])
        let before = try cue.snapshot()
        try cue.remove("library/Diary.md")
        let removal = try cue.snapshot()

        let back = try cue.run("restore", "Diary", "--at", before, "--library", cue.library)
        let after = try cue.snapshot()

        #expect(back.code == 0, "\(back.errors)")
        #expect(removal != after)
        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.folder.read("out/Diary.md") == "dear diary")
    }

    @Test("A file becomes a folder, a bundle becomes a file, a link becomes a bundle; both states come back")
    func otherKinds() throws {
        let cue = try Self.library(["Notes": "a file", "Novel.scriv/1.rtf": "one", "Plain/inner.md": "inner"])
        try cue.shell("ln -s Notes library/Link.scriv && cp -a library first")
        let first = try cue.snapshot()
        try cue.copy("library", "old")
        for name in ["Notes", "Novel.scriv", "Plain", "Link.scriv"] { try cue.remove("library/" + name) }
        try cue.write("Notes/today.md", "a folder now")
        try cue.write("Novel.scriv", "a file now")
        try cue.write("Link.scriv/1.rtf", "a bundle now")
        try cue.shell("ln -s Notes library/Plain")
        let second = try cue.snapshot()

        let old = try cue.restore(to: "then", "--at", first)
        let new = try cue.restore(to: "now", "--at", second)

        #expect(old.code == 0 && new.code == 0, "\(old.text)\(new.text)")
        #expect(try cue.differences("old", "then") == "")
        #expect(try cue.differences("library", "now") == "")
        #expect(try cue.check("--read-data").code == 0)
    }

    @Test("Two documents that swap their names come back swapped")
    func swapped() throws {
        let cue = try Self.library(["A.md": "one", "B.md": "other text", "X.scriv/1": "x", "Y.scriv/1": "yy"])
        for (a, b) in [("A.md", "B.md"), ("X.scriv", "Y.scriv")] {
            try cue.rename("library/" + a, "library/swap")
            try cue.rename("library/" + b, "library/" + a)
            try cue.rename("library/swap", "library/" + b)
        }

        try cue.snapshot()

        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.differences("library", "out") == "")
        #expect(try cue.folder.read("out/A.md") == "other text")
    }
}
