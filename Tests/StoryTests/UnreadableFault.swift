import CueTestSupport
import Foundation
import Testing

@Suite("Fault: an object of the vault cannot be read")
struct UnreadableFault {
    /// What stands in the place of an object that is not there as a file.
    private static let stands = ["a folder", "a folder with something in it", "a link to nothing", "a link to itself"]

    private static func replace(_ object: String, with what: String, _ cue: Cue) throws {
        let script =
            switch what {
            case "a folder": "rm \"$1\"; mkdir \"$1\""
            case "a folder with something in it": "rm \"$1\"; mkdir \"$1\"; echo x > \"$1/x\""
            case "a link to nothing": "rm \"$1\"; ln -s nowhere \"$1\""
            default: "rm \"$1\"; ln -s \"$(basename \"$1\")\" \"$1\""
            }
        #expect(try cue.shell(script, "vault/" + object).code == 0)
    }

    /// Two packs, of which the second holds `Later.md` and the new essay.
    private static func library() throws -> (cue: Cue, first: [String], second: [String]) {
        let cue = try Cue.small(inPack: true)
        let first = try cue.objects()
        try cue.write("Later.md", Cue.inPack("written later"))
        try cue.write("Essay.md", "a better essay")
        try cue.snapshot()
        return (cue, first, try cue.objects().filter { !first.contains($0) })
    }

    @Test(
        "A pack that cannot be read keeps only its own documents back; they are named, and the exit code is 6",
        arguments: stands)
    func pack(what: String) throws {
        let (cue, _, second) = try Self.library()
        let pack = try #require(second.first { $0.hasPrefix("packs/") })
        try Self.replace(pack, with: what, cue)

        let restored = try cue.restore(to: "out")
        let check = try cue.check()

        #expect(restored.code == 6, "\(restored.text)\(restored.errors)")
        let failed = restored.json["failed"].list
        #expect(failed.map { $0["path"].string }.sorted() == ["Essay.md", "Later.md"], "\(restored.text)")
        #expect(failed.allSatisfy { $0["reason"].string.contains(pack) }, "\(restored.text)")
        #expect(restored.json["documents"].int == 3, "\(restored.text)")
        let names = try cue.shell("cd out && find . -type f | sort").text
        #expect(names == "./Novel.scriv/Files/1.rtf\n./Poems/The Clockmaker.md\n./Stories/The Clockmaker.md\n")
        #expect(check.code == 6)
        #expect(check.json["problems"].strings.contains { $0.contains(pack) }, "\(check.text)")
    }

    @Test(
        "A commit that cannot be read keeps only what it alone says back; it is named, and the exit code is 6",
        arguments: stands)
    func commit(what: String) throws {
        let (cue, first, _) = try Self.library()
        let log = try #require(first.first { $0.hasPrefix("log/") })
        try Self.replace(log, with: what, cue)

        let restored = try cue.restore(to: "out", environment: cue.elsewhere)
        let check = try cue.check(environment: cue.elsewhere)
        try cue.refuses(["restore", "--library", cue.library], 6, "went back in time")

        #expect(restored.code == 6, "\(restored.text)\(restored.errors)")
        #expect(restored.json["failed"].list.contains { $0["reason"].string.contains(log) }, "\(restored.text)")
        #expect(try cue.folder.read("out/Later.md") == Cue.inPack("written later"))
        #expect(check.code == 6)
        #expect(check.json["problems"].strings.contains { $0.contains(log) }, "\(check.text)")
    }

    @Test("A folder of packs that cannot be read keeps only what is in it back")
    func folderOfPacks() throws {
        let (cue, _, second) = try Self.library()
        let pack = try #require(second.first { $0.hasPrefix("packs/") })
        let folder = (pack as NSString).deletingLastPathComponent
        try cue.shell("rm -r \"vault/$1\"; echo file > \"vault/$1\"", folder)

        let restored = try cue.restore(to: "out")

        #expect(restored.code == 6, "\(restored.text)\(restored.errors)")
        #expect(restored.json["documents"].int == 3, "\(restored.text)")
        #expect(try cue.folder.read("out/Poems/The Clockmaker.md") == "tock")
    }
}
