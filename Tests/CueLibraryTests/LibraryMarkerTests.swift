import CueBase
import CueSystem
import CueTestSupport
import Foundation
import Testing

@testable import CueLibrary

@Suite("LibraryMarker")
struct LibraryMarkerTests {
    private static let head = "library = \"00112233445566778899aabbccddeeff\"\nvault = \"/v\"\n"

    @Test("The command and the days of [notify] are read, and survive when the marker is written anew")
    func notify() throws {
        let folder = TemporaryFolder()
        var marker = try LibraryMarker(
            parsing: Self.head + "[notify]\ncommand = \"say \\\"$CUE_TITLE\\\"\"\nbackup_days = 3\n")
        #expect(marker.notifyCommand == "say \"$CUE_TITLE\"" && marker.backupDays == 3)

        marker.rememberKey = false
        let root = try Folder.open(folder.bytes)
        try marker.write(in: root)

        #expect(try LibraryMarker(in: root) == marker)
    }

    @Test("Without [notify] there is no command, and seven days; and none is written")
    func usual() throws {
        let folder = TemporaryFolder()
        let marker = try LibraryMarker(parsing: Self.head)
        #expect(marker.notifyCommand == nil && marker.backupDays == 7)

        try marker.write(in: try Folder.open(folder.bytes))

        #expect(try !folder.read(".cue/library.toml").contains("notify"))
    }

    @Test(
        "A wrong setting is refused by its name, with what is valid",
        arguments: [
            ("notify = 1", "`notify` is a table: [notify] command, backup_days"),
            ("[notify]\nsound = true", "unknown setting `sound` in [notify]; there are command, backup_days"),
            ("[notify]\ncommand = 1", "[notify] command is a text"),
            ("[notify]\ncommand = \" \"", "[notify] command is a text"),
            ("[notify]\ncommand = [\"a\"]", "[notify] command is a text"),
            ("[notify]\nbackup_days = \"7\"", "backup_days is a whole number from 0 (never) to 3650"),
            ("[notify]\nbackup_days = -1", "backup_days is a whole number from 0"),
            ("[notify]\nbackup_days = 1.5", "backup_days is a whole number from 0"),
            ("[notify]\nbackup_days = 3651", "backup_days is a whole number from 0"),
            ("[notfiy]\ncommand = \"a\"", "unknown setting `notfiy`"),
        ])
    func wrong(text: String, part: String) {
        #expect {
            try LibraryMarker(parsing: Self.head + text)
        } throws: { error in
            if case LibraryError.markerInvalid(let what) = error { what.contains(part) } else { false }
        }
    }
}
