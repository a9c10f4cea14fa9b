import CueTestSupport
import Foundation
import Testing

@Suite("Story: the way in")
struct WayInStory {
    @Test("A command that there is not is refused with the one that may be meant, also by help")
    func misspelt() throws {
        let cue = Cue()

        let wrong: [(line: [String], hint: String)] = [
            (["bakup"], "did you mean `cue backup`?"), (["garden", "watter", "x"], "did you mean `cue garden water`?"),
            (["help", "nothing"], "`cue help` lists the commands"),
            (["--help", "bakup"], "did you mean `cue backup`?"),
            (["undo"], "`cue resolve --undo NAME`"),
            (["init"], "for example: `cue init ~/Writing --vault /media/usb/vault`"),
            (["sync", "--keep", "that"], "'both'"),
        ]

        for (line, hint) in wrong {
            let result = try cue.start(line).result()
            #expect(result.code == 2 && result.errors.contains(hint), "\(line): \(result)")
        }
        #expect(try cue.run("--help", "backup").text == cue.run("backup", "--help").text)
        #expect(try cue.run("help", "garden", "water").text == cue.run("garden", "water", "--help").text)
        #expect(try cue.run("version").text == cue.run("--version").text)
        #expect(try cue.run("-v").text == cue.run("--version").text)
    }

    @Test("Alone it shows how to begin, and in a library how things stand and what comes next")
    func alone() throws {
        let cue = Cue()
        let outside = try cue.start([], in: cue.folder.path).result()
        #expect(outside.code == 0 && outside.text.contains("cue init ~/Writing"), "\(outside)")
        #expect(outside.text.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 24)

        try cue.initialize()
        try cue.write("Essay.md", "one")
        let new = try cue.start([], in: cue.library).result()
        try cue.snapshot()
        let stored = try cue.start([], in: cue.library).result()

        #expect(new.code == 0 && new.text.hasSuffix("Next: `cue backup` stores this folder\n"), "\(new)")
        #expect(stored.code == 0 && stored.text.hasPrefix("The one document is in the vault"), "\(stored)")
        #expect(stored.text.split(separator: "\n").count == 2)
    }
}
