import CueTestSupport
import Foundation
import Testing

@Suite("Story: there and back again")
struct RoundTripStory {
    /// What cue leaves out of the fixtures: the defaults, and their own `.cueignore`.
    static let ignored = [".DS_Store", "._*", "~$*", ".~lock.*", "*.tmp", "*.swp", "*.bak", "Scratch/loose*"]

    /// A copy of the fixtures with all that git cannot keep, in a vault.
    static func library() throws -> Cue {
        let cue = Cue()
        try cue.shell("cp -a \"$1\" library", Project.root + "/fixtures/library")
        let extras = try Running(
            Machine.anyPython, [Project.root + "/tools/make-fixtures.py", "--extras", cue.library]
        ).result()
        #expect(extras.code == 0, "\(extras.errors)")
        try cue.initialize()
        return cue
    }

    private static func differences(_ cue: Cue, _ original: String, _ restored: String) throws -> String {
        let globs = ignored.flatMap { ["--ignored", $0] }
        let script = [Project.root + "/tools/compare-trees.py", cue.folder.appending(original)]
        let result = try Running(
            Machine.anyPython, script + [cue.folder.appending(restored)] + globs
        ).result()
        return result.code == 0 ? "" : result.text + result.errors
    }

    @Test("Both states of a library come back the same in names, kinds, modes, times, links, attributes and content")
    func bothStates() throws {
        let cue = try Self.library()
        try cue.copy("library", "first")
        let first = try cue.snapshot()
        try cue.write("Salt and Iron/02 Salt.md", "Rewritten.\n")
        try cue.remove("library/Plays")
        try cue.write("Plays.md", "A file now.\n")
        try cue.rename("library/Journal", "library/Diary")
        let second = try cue.snapshot()

        let old = try cue.restore(to: "old", "--at", first)
        let new = try cue.restore(to: "new", "--at", String(second.prefix(6)))

        #expect(first != second)
        #expect(old.code == 0 && new.code == 0, "\(old.errors)\(new.errors)")
        #expect(try Self.differences(cue, "first", "old") == "")
        #expect(try Self.differences(cue, "library", "new") == "")
        #expect(try cue.check("--read-data").code == 0)
    }

    @Test("Another machine restores with the passphrase, with the recovery code and with a code typed carelessly")
    func otherMachine() throws {
        let cue = Cue()
        let code = try cue.initialize().json["recovery_code"].string
        try cue.write("Novel.scriv/Files/1.rtf", "{\\rtf1 one}")
        try cue.snapshot()
        let typed = code.lowercased().replacingOccurrences(of: "-", with: " ").replacingOccurrences(of: "0", with: "o")

        for (number, secret) in [cue.passphrase, code, typed].enumerated() {
            let machine = cue.elsewhere.merging(["CUE_PASSPHRASE": secret]) { $1 }
            let result = try cue.restore(to: "out \(number)", environment: machine)
            #expect(result.code == 0, "\(result.errors)")
            #expect(try cue.differences("library", "out \(number)") == "")
        }
    }

    @Test("A passphrase may come from a file or from a command")
    func passphraseSources() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("a.md", "a")
        try cue.snapshot()
        let file = try cue.folder.write("secret", cue.passphrase + "\r\nand a second line")
        let nothing = cue.elsewhere.merging(["CUE_PASSPHRASE": nil]) { $1 }

        let byFile = try cue.start(["ls", "--vault", cue.vault, "--passphrase-file", file], environment: nothing)
            .result()
        let command = nothing.merging(["CUE_PASSPHRASE_COMMAND": "head -1 '\(file)'"]) { $1 }
        let byCommand = try cue.run("ls", "--vault", cue.vault, environment: command)

        #expect(byFile.code == 0 && byCommand.code == 0, "\(byFile.errors)\(byCommand.errors)")
        #expect(byFile.text.contains("a.md") && byCommand.text.contains("a.md"))
    }

    @Test("A backup with nothing changed reads nothing, adds nothing and gives the same snapshot")
    func nothingChanged() throws {
        let cue = try Self.library()
        let first = try cue.snapshot()
        // What was written in the last moments could still change without its time telling: it is read once more.
        try cue.shell("sleep 0.05")
        try cue.snapshot()
        let before = try cue.fingerprint("vault")

        let again = try cue.backup()

        #expect(again.code == 0)
        #expect(again.json["snapshot"].string == first)
        #expect(again.json["read_bytes"].int == 0 && again.json["added_bytes"].int == 0, "\(again.text)")
        #expect(again.json["changed"].int == 0 && again.json["new"].int == 0 && again.json["removed"].int == 0)
        #expect(try cue.fingerprint("vault") == before)
    }

    @Test("A backup with nothing changed opens no document", .enabled(if: Machine.canTrace, "strace is not here"))
    func opensNoDocument() throws {
        let cue = try Self.library()

        let first = try Self.openedDocuments(cue)
        try cue.shell("sleep 0.05")
        try cue.snapshot()
        let again = try Self.openedDocuments(cue)

        #expect(first.count > 50)
        #expect(again.isEmpty, "\(again.prefix(3))")
    }

    /// The files of the library that a backup opens.
    private static func openedDocuments(_ cue: Cue) throws -> [Substring] {
        let traced = try cue.shell("strace -f -qq -y -e trace=open,openat -o trace \"$CUE\" backup library")
        #expect(traced.code == 0, "\(traced.errors)")
        return try cue.folder.read("trace").split(separator: "\n").filter { line in
            // The marker of the library and its rules are settings, and no documents.
            line.contains("/library")
                && ["O_DIRECTORY", "ENOENT", "library.toml", ".cueignore"].allSatisfy { !line.contains($0) }
        }
    }

    @Test(
        "The reader in Python, written from the format page alone, restores the same",
        .enabled(if: Machine.python != nil, "CUE_PYTHON names no Python with the reader's packages"))
    func pythonReader() throws {
        let cue = try Self.library()
        let first = try cue.snapshot()
        try cue.copy("library", "first")
        try cue.write("Salt and Iron/02 Salt.md", "Rewritten.\n")
        try cue.snapshot()

        let python = try #require(Machine.python)
        for (more, original, out) in [("--at \(first)", "first", "old"), ("", "library", "new")] {
            let script = "\"\(python)\" \"\(Project.root)/tools/cue-read.py\" vault restore \(out) \(more)"
            let read = try cue.shell(script)
            #expect(read.code == 0, "\(read.errors)")
            #expect(try Self.differences(cue, original, out) == "")
        }
    }
}
