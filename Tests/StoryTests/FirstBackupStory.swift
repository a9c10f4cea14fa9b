import CueTestSupport
import Foundation
import Testing

@Suite("Story: a first backup")
struct FirstBackupStory {
    @Test("A library goes into a vault and comes back the same on another machine")
    func roundTrip() throws {
        let cue = Cue()
        #expect(try cue.initialize().code == 0)
        try cue.write("Novel.scriv/Files/1.rtf", "{\\rtf1 one}")
        try cue.write("a.md", "# A\n")

        let backup = try cue.backup()
        let restore = try cue.run(
            "restore", "--vault", cue.vault, "--to", cue.folder.appending("out"),
            environment: ["CUE_HOME": cue.folder.appending("other home")])

        #expect(backup.code == 0, "\(backup.errors)")
        #expect(restore.code == 0, "\(restore.errors)")
        #expect(try cue.folder.read("out/Novel.scriv/Files/1.rtf") == "{\\rtf1 one}")
        #expect(try cue.folder.read("out/a.md") == "# A\n")
    }
}
