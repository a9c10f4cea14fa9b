import CueTestSupport
import Foundation
import Testing

extension Cue {
    /// A small vault with one backup in it. `inPack`: whether its content stands in a pack, and not in the commit.
    static func small(inPack: Bool = false) throws -> Cue {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Novel.scriv/Files/1.rtf", "{\\rtf1 one}")
        try cue.write("Stories/The Clockmaker.md", inPack ? Self.inPack("tick") : "tick")
        try cue.write("Poems/The Clockmaker.md", "tock")
        try cue.write("Essay.md", "an essay")
        try cue.snapshot()
        return cue
    }

    /// Expects that a command refuses: its exit code, a sentence with `part` on the standard error and nothing else,
    /// the same as a JSON object under `--json`, and not a byte changed in library and vault.
    func refuses(
        _ arguments: [String], _ code: Int32, _ part: String, environment more: [String: String?] = [:],
        in place: String? = nil, within seconds: Double = 10, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try fingerprint("library", "vault")

        let told = try start(arguments, environment: more, in: place).result(deadline: seconds)
        let json = try start(arguments + ["--json"], environment: more, in: place).result(deadline: seconds)

        #expect(told.code == code, "\(arguments): \(told)", sourceLocation: sourceLocation)
        #expect(told.errors.contains(part), "\(told.errors)", sourceLocation: sourceLocation)
        #expect(told.errors.hasPrefix("cue: error: ") && told.text == "", "\(told)", sourceLocation: sourceLocation)
        #expect(!told.errors.contains("unexpected"), "\(told.errors)", sourceLocation: sourceLocation)
        #expect(json.code == code, "\(json)", sourceLocation: sourceLocation)
        if code != 2 || json.json["error"].value != nil {
            #expect(json.json["error"]["code"].int == Int(code), "\(json.text)", sourceLocation: sourceLocation)
            #expect(json.json["error"]["message"].string.contains(part), "\(json.text)", sourceLocation: sourceLocation)
        }
        #expect(try fingerprint("library", "vault") == before, "something was changed", sourceLocation: sourceLocation)
    }
}

@Suite("Story: what cue is told makes no sense")
struct BadInputStory {
    @Test("A folder that is not there, or is a file, is refused")
    func folderMissing() throws {
        let cue = try Cue.small()
        let nothing = cue.folder.appending("nothing here")
        let file = try cue.folder.write("a file", "text")

        try cue.refuses(["init", nothing, "--vault", cue.vault], 1, "there is no folder")
        try cue.refuses(["init", file, "--vault", cue.vault], 1, "is a file, and a library is a folder")
        try cue.refuses(["backup", nothing], 1, "there is no folder")
        try cue.refuses(["status", nothing], 1, "there is no folder")
        try cue.refuses(["backup", cue.folder.path], 1, "is no library of cue")
        #expect(!cue.folder.exists("nothing here"))
    }

    @Test("A vault that is not there is told from one that cannot be reached and from a folder of other things")
    func noVault() throws {
        let cue = try Cue.small()
        try cue.folder.write("photos/one.jpg", "not a vault")
        let photos = cue.folder.appending("photos")
        try FileManager.default.createDirectory(
            atPath: cue.folder.appending("empty"), withIntermediateDirectories: true)
        let other = cue.folder.appending("other")
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)

        try cue.refuses(["check", "--vault", cue.folder.appending("unplugged")], 7, "cannot be reached")
        try cue.refuses(["ls", "--vault", cue.folder.appending("empty")], 1, "there is no vault at")
        try cue.refuses(["restore", "--vault", photos, "--to", cue.folder.appending("out")], 1, "there is no vault at")
        try cue.refuses(["init", other, "--vault", photos], 1, "holds other files and is no vault")
        for file in ["/one.jpg", "/one.jpg/in/it"] {
            try cue.refuses(["init", other, "--vault", photos + file], 1, "one.jpg is a file, and a vault is a folder")
        }
        try cue.refuses(["init", other, "--vault", " "], 2, "the vault's place is empty")
        #expect(try cue.shell("ls -A photos other").text == "other:\n\nphotos:\none.jpg\n")
        #expect(!cue.folder.exists("out"))
    }

    @Test("A backup to a disk that was unplugged says so, and makes no vault in its place")
    func unplugged() throws {
        let cue = try Cue.small()
        try cue.rename("vault", "gone")

        try cue.refuses(["backup", cue.library], 7, "cannot be reached")
        #expect(!cue.folder.exists("vault"))
        #expect(try cue.run("status", cue.library).code == 0)
    }

    @Test("A newer format, and a vault.json that is none, are refused")
    func vaultHeader() throws {
        let cue = try Cue.small()
        let other = cue.folder.appending("other")
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        let commands = [
            ["backup", cue.library],
            ["restore", "--vault", cue.vault, "--to", cue.folder.appending("out")],
            ["init", other, "--vault", cue.vault],
        ]
        let headers = [
            (#"{"format": 3, "vault": "00112233445566778899aabbccddeeff"}"#, Int32(1), "newer format (3)"),
            (
                #"{"format": 1, "vault": "00112233445566778899aabbccddeeff"}"#, 1,
                "has format 1, which no released cue wrote"
            ),
            (#"{"format": 99999999999999999999999, "vault": "00112233445566778899aabbccddeeff"}"#, 6, "vault.json"),
            (#"{"format": 0, "vault": "00112233445566778899aabbccddeeff"}"#, 6, "vault.json"),
            (#"{"format": 2, "vault": "../../../../etc"}"#, 6, "vault.json"), ("", 6, "vault.json"),
            (String(repeating: "[", count: 60_000), 6, "vault.json"),
        ]
        for (header, code, part) in headers {
            try cue.folder.write("vault/vault.json", header)
            for command in commands { try cue.refuses(command, code, part) }
        }
        #expect(!cue.folder.exists("out") && !cue.folder.exists("other/.cue"))
    }

    @Test("A vault inside the library and a library inside the vault are refused, also through a link")
    func inside() throws {
        let cue = try Cue.small()
        let other = Cue()
        try other.write("a.md", "a")
        try other.shell("ln -s library link; mkdir -p v/deep")

        for vault in ["library", "library/vault", "library/a/b/vault", "link/vault"] {
            try other.refuses(
                ["init", other.library, "--vault", other.folder.appending(vault)], 1, "cannot be inside the library")
        }
        try other.refuses(
            ["init", other.folder.appending("v/deep"), "--vault", other.folder.appending("v")], 1,
            "the library cannot be inside the vault")
        try cue.refuses(
            ["init", other.library, "--vault", cue.vault + "/packs/other"], 1, "is inside the vault at \(cue.vault)")
        try cue.refuses(
            ["restore", "--vault", cue.vault, "--to", cue.vault + "/out"], 1, "the target is inside the vault")
        #expect(try other.shell("find library").text == "library\nlibrary/a.md\n")
    }

    @Test("A folder that belongs to a vault is not tied to another")
    func otherVault() throws {
        let cue = try Cue.small()

        try cue.refuses(
            ["init", cue.library, "--vault", cue.folder.appending("second")], 1, "is tied to the vault at")
        #expect(!cue.folder.exists("second"))
    }

    @Test("A name that nothing bears, or several do, is refused with what it may have been")
    func names() throws {
        let cue = try Cue.small()
        let place = ["--vault", cue.vault]

        try cue.refuses(["log", "Nowel"] + place, 1, "nothing in the vault is called Nowel")
        try cue.refuses(["cat", "The Clockmaker"] + place, 1, "The Clockmaker may be any of 2 documents")
        try cue.refuses(["ls", "Novel", "--at", "00000000"] + place, 1, "there is no snapshot 00000000")
        try cue.refuses(["cat", "Novel:Files/9.rtf"] + place, 1, "holds no file Files/9.rtf")
        let near = try cue.start(["log", "Nowel"] + place).result()
        let both = try cue.start(["log", "The Clockmaker"] + place).result()
        #expect(near.errors.contains("hint: did you mean Novel.scriv?"), "\(near.errors)")
        #expect(both.errors.contains("Poems/The Clockmaker.md, Stories/The Clockmaker.md"), "\(both.errors)")
    }

    @Test("Snapshots, versions and times that are none are refused before anything is made")
    func moments() throws {
        let cue = try Cue.small()
        let restore = ["restore", "--vault", cue.vault, "--to", cue.folder.appending("out")]

        try cue.refuses(restore + ["--at", "deadbeef"], 1, "there is no snapshot deadbeef")
        try cue.refuses(restore + ["--at", "the day before"], 2, "neither a snapshot nor a time")
        try cue.refuses(restore + ["--at", "2026-13-45"], 2, "neither a snapshot nor a time")
        try cue.refuses(restore + ["--at", "99999999999 days ago"], 2, "neither a snapshot nor a time")
        try cue.refuses(restore + ["--at", ""], 2, "neither a snapshot nor a time")
        try cue.refuses(restore + ["--version", "1"], 1, "there is no version 1")
        try cue.refuses(restore + ["--version", "deadbeef-4"], 1, "there is no version deadbeef-4")
        try cue.refuses(restore + ["--version", "deadbeef-99999999999999999999"], 1, "there is no version")
        try cue.refuses(restore + ["Novel", "--file", "Files/9.rtf"], 1, "holds no file")
        #expect(!cue.folder.exists("out"))
    }

    @Test(
        "Wrong usage has exit code 2 and says where the help is",
        arguments: [
            ["frobnicate"], ["backup", "a", "b"], ["init"], ["init", "x"], ["restore", "--at", "a", "--version", "b"],
            ["restore", "--file", "x"], ["check", "--read-date"], ["init", "x", "--vault", "y", "--kdf-memory", "ten"],
            ["backup"], ["log", "--library"],
        ])
    func usage(arguments: [String]) throws {
        let cue = Cue()

        let result = try cue.start(arguments, in: cue.folder.path).result(deadline: 10)

        #expect(result.code == 2, "\(result)")
        #expect(result.errors.hasPrefix("cue: error: "), "\(result.errors)")
        #expect(result.errors.contains("cue: hint: "), "\(result.errors)")
        #expect(result.text == "")
        #expect(try cue.shell("ls -A").text == "")
    }

    @Test("Wrong usage under --json is told as JSON too")
    func usageAsJSON() throws {
        let result = try Cue().run("restore", "--at", "a", "--version", "b", "--json")

        #expect(result.code == 2)
        #expect(result.json["error"]["code"].int == 2, "\(result)")
    }
}
