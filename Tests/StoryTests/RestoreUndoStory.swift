import CueTestSupport
import Foundation
import Testing

@Suite("Story: a restore loses no word, and can be taken back")
struct RestoreUndoStory {
    private static let nobody = Machine.isRoot ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : ""
    private static let canDropRights = !Machine.isRoot || Machine.has("setpriv")

    /// A library whose essay is stored in two versions; gives the snapshot of the first.
    private static func twoStates() throws -> (cue: Cue, first: String) {
        let cue = try Cue.small()
        let first = try cue.snapshot()
        try cue.write("Essay.md", "a better essay")
        try cue.shell("sleep 0.05")
        try cue.snapshot()
        return (cue, first)
    }

    private static func restore(_ cue: Cue, _ arguments: String...) throws -> Running.Result {
        try cue.start(["restore", "--library", cue.library] + arguments).result()
    }

    @Test("A line written since the last backup is in a version after restore --overwrite")
    func overwrite() throws {
        let (cue, first) = try Self.twoStates()
        try cue.write("Essay.md", "a better essay, and a line of today")

        let refused = try Self.restore(cue, "Essay", "--at", first)
        let restored = try Self.restore(cue, "Essay", "--at", first, "--overwrite")

        #expect(refused.code == 1 && refused.errors.contains("--overwrite it is kept first"), "\(refused)")
        #expect(restored.code == 0, "\(restored)")
        #expect(try cue.folder.read("library/Essay.md") == "an essay")
        let named = try #require(restored.text.firstMatch(of: /Essay\.md: stored as (\S+), then replaced/))
        let printed = try cue.run("cat", "--library", cue.library, "Essay", "--version", String(named.1))
        #expect(printed.text.contains("a line of today"), "\(printed)")
        #expect(try cue.run("status", cue.library).code == 0)
        try cue.snapshot()
        #expect(try cue.check().code == 0)
    }

    @Test("The last restore is taken back, and brought again")
    func undo() throws {
        let (cue, first) = try Self.twoStates()
        try cue.remove("library/Novel.scriv")
        try cue.copy("library", "before")
        #expect(try Self.restore(cue, "--at", first).code == 0)
        try cue.copy("library", "after")

        let undone = try Self.restore(cue, "--undo")
        #expect(
            undone.code == 0 && undone.text.contains("taken back: Essay.md is as it was before the restore of"),
            "\(undone)")
        #expect(undone.text.contains("; Novel.scriv, which that restore had brought, is taken away again"), "\(undone)")
        #expect(try cue.differences("before", "library", "--content-only") == "")
        #expect(try Self.restore(cue, "Essay").text.contains("it is so already"))
        let again = try Self.restore(cue, "--undo")
        #expect(again.code == 0, "\(again)")
        #expect(again.text.contains("restored again: Essay.md and Novel.scriv are as the restore of "), "\(again)")
        #expect(try cue.differences("after", "library") == "")
        try cue.folder.write("library/Novel.scriv/Files/1.rtf", "mine")
        let partly = try Self.restore(cue, "--undo", "--json")
        #expect(partly.code == 3, "\(partly)")
        #expect(partly.json["undo"]["direction"].string == "taken_back", "\(partly)")
        #expect(
            partly.json["undo"]["documents"].strings == ["Essay.md"] && !partly.json["undo"]["restored"].string.isEmpty)
        #expect(partly.json["stayed"].list.map(\.string) == ["Novel.scriv"], "\(partly)")
        #expect(try cue.folder.read("library/Novel.scriv/Files/1.rtf") == "mine")
    }

    @Test("Without a restore there is nothing to take back, and --undo stands alone")
    func refused() throws {
        let (cue, _) = try Self.twoStates()

        try cue.refuses(["restore", "--library", cue.library, "--undo"], 1, "no restore into this library")
        try cue.refuses(["restore", "--library", cue.library, "--undo", "Essay"], 2, "give it alone")
        #expect(try Self.restore(cue).text.contains("it is so already"))
    }

    @Test(
        "What cannot be stored first is not replaced, and the reason is given",
        .enabled(if: canDropRights, "root writes everywhere, and setpriv is not here"))
    func readOnlyVault() throws {
        let (cue, first) = try Self.twoStates()
        try cue.write("Essay.md", "a line of today")
        if Machine.isRoot { try cue.shell("chown -R 65534:65534 .") }
        try cue.shell("chmod -R a-w vault")
        defer { _ = try? cue.shell("chmod -R u+w vault") }

        let refused = try cue.shell(
            "\(Self.nobody) \"$CUE\" restore Essay --library library --at \"$1\" --overwrite", first)

        #expect(refused.code == 1, "\(refused)")
        #expect(refused.errors.contains("could not be stored first, so nothing was replaced"), "\(refused)")
        #expect(try cue.folder.read("library/Essay.md") == "a line of today")
    }
}
