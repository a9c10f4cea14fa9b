import CueBase
import CueSystem
import CueTestSupport
import Foundation
import Testing

@testable import CueLibrary

@Suite("LibraryMarker")
struct LibraryMarkerTests {
    private static let head = "library = \"00112233445566778899aabbccddeeff\"\nvault = \"/v\"\n"

    @Test("The command, the days and the address of [notify] are read, and survive when the marker is written anew")
    func notify() throws {
        let folder = TemporaryFolder()
        var marker = try LibraryMarker(
            parsing: Self.head + "[notify]\ncommand = \"say \\\"$CUE_TITLE\\\"\"\nbackup_days = 3\n"
                + "ping = \"https://hc.example/key/slug?create=1\"\n")
        #expect(marker.notifyCommand == "say \"$CUE_TITLE\"" && marker.backupDays == 3)
        #expect(marker.pingAddress == "https://hc.example/key/slug?create=1")

        marker.rememberKey = false
        let root = try Folder.open(folder.bytes)
        try marker.write(in: root)

        #expect(try LibraryMarker(in: root) == marker)
    }

    @Test("Without [notify] there is no command, and seven days; and none is written")
    func usual() throws {
        let folder = TemporaryFolder()
        let marker = try LibraryMarker(parsing: Self.head)
        #expect(marker.notifyCommand == nil && marker.backupDays == 7 && marker.pingAddress == nil)

        try marker.write(in: try Folder.open(folder.bytes))

        #expect(try !folder.read(".cue/library.toml").contains("notify"))
    }

    @Test("What [watch] says is read, whole numbers and others, and survives when the marker is written anew")
    func watch() throws {
        let folder = TemporaryFolder()
        let marker = try LibraryMarker(parsing: Self.head + "[watch]\ndebounce = 5\nverify_days = 7\n")
        #expect(marker.watchDebounce == 5 && marker.verifyDays == 7)
        #expect(try LibraryMarker(parsing: Self.head + "[watch]\ndebounce = 2.5\n").watchDebounce == 2.5)
        #expect(try LibraryMarker(parsing: Self.head).watchDebounce == nil)

        let root = try Folder.open(folder.bytes)
        try marker.write(in: root)

        #expect(try LibraryMarker(in: root) == marker)
    }

    @Test(
        "An address is http or https, has a host, and nothing that no address has",
        arguments: [
            ("https://hc-ping.com/1", true), ("http://127.0.0.1:8000/ping/1?a=b", true), ("HTTPS://h", true),
            ("https://[::1]:1/x", true), ("https://name:word@host/x", true), ("hc-ping.com/1", false),
            ("ftp://host/x", false), ("https://", false), ("https:///x", false), ("https://:80/x", false),
            ("https://name@/x", false), ("https://host/a b", false), ("https://höst/", false),
            ("https://host/\\n", false), ("", false),
        ])
    func address(text: String, isAddress: Bool) {
        let marker = try? LibraryMarker(parsing: Self.head + "[notify]\nping = \"\(text)\"\n")

        #expect(marker?.pingAddress == (isAddress ? text : nil))
    }

    @Test(
        "A wrong setting is refused by its name, and its line where that is found",
        arguments: [
            ("notify = 1", .noTable("notify", settings: ["command", "backup_days", "ping"]), 3),
            (
                "[notify]\nsound = true",
                .unknown("sound", table: "notify", settings: ["command", "backup_days", "ping"]), 4
            ),
            ("[notify]\ncommand = 1", .value("command", table: "notify", wanted: .command), 4),
            ("[notify]\nbackup_days = -1", .value("backup_days", table: "notify", wanted: .days(0...3650)), 4),
            ("[notfiy]\ncommand = \"a\"", .unknownAtTop("notfiy"), 3),
            ("watch = { debounce = 9999 }", .value("debounce", table: "watch", wanted: .seconds(0.1...3600)), 3),
        ] as [(String, SettingFlaw, Int)])
    func wrong(text: String, flaw: SettingFlaw, line: Int) {
        #expect(throws: LibraryError.markerInvalid(.setting(flaw, line: line))) {
            try LibraryMarker(parsing: Self.head + text)
        }
    }
}
