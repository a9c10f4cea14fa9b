import CueTestSupport
import Foundation
import Testing

/// What a review of sync found: each of these lost something from the disks, or stopped a device, before it was mended.
@Suite("Story: what could have gone wrong between two devices")
struct SyncReviewStory {
    /// Two devices that have the same documents.
    private static func devices(_ documents: [String: String]) throws -> (Cue, SecondDevice) {
        let cue = Cue()
        try cue.initialize()
        for (name, text) in documents { try cue.write(name, text) }
        try #require(try cue.run("sync", cue.library).code == 0)
        let other = try SecondDevice(cue)
        try #require(try other.sync().code == 0)
        return (cue, other)
    }

    @Test("Undoing one answer of several leaves the copies that the others made")
    func undoOfOne() throws {
        let (cue, other) = try Self.devices(["one.txt": "base", "two.txt": "base"])
        try cue.shell("for n in one two; do echo here > library/$n.txt; echo there > other/$n.txt; done")
        #expect(try cue.run("sync", cue.library).code == 0)
        #expect(try other.sync("--keep", "both").code == 0)
        #expect(try cue.shell("ls other | wc -l").text == "4\n")

        #expect(try other.run("resolve", "--undo", "one.txt").code == 0)

        #expect(try cue.shell("ls other").text.contains("two ("))
        #expect(try cue.shell("ls other | wc -l").text == "3\n")
    }

    @Test("Two documents that two devices gave one name are both there, on both")
    func oneName() throws {
        let (cue, other) = try Self.devices(["x.txt": "chapter one", "y.txt": "chapter two"])
        try cue.shell("mv library/x.txt library/z.txt; mv other/y.txt other/z.txt")

        for _ in 0..<3 {
            #expect(try cue.run("sync", cue.library).code == 0)
            #expect(try other.sync().code == 0)
        }

        let texts = try cue.shell("cat library/z*.txt").text
        #expect(texts.contains("chapter one") && texts.contains("chapter two"))
        #expect(try cue.differences("library", "other") == "")
    }

    @Test("A new document is not taken for one that another device renamed to its name")
    func newAtRenamed() throws {
        let (cue, other) = try Self.devices(["x.txt": "the novel"])
        try cue.shell("mv other/x.txt other/y.txt")
        try cue.write("y.txt", "shopping list")
        #expect(try other.sync().code == 0)

        for _ in 0..<3 {
            #expect(try cue.run("sync", cue.library).code == 0)
            #expect(try other.sync().code == 0)
        }

        #expect(try cue.shell("cat library/*.txt").text.contains("the novel"))
        #expect(try cue.shell("cat library/*.txt").text.contains("shopping list"))
        #expect(try cue.differences("library", "other") == "")
    }

    @Test("Two idle devices on two copies of a vault come to rest")
    func rest() throws {
        let (cue, other) = try Self.devices(["F/a.txt": "a"])
        try other.move(to: "carried")
        try cue.write("F/here.txt", "here")
        try cue.shell("echo there > other/F/there.txt")
        let carry = "cp -an vault/. carried/ && cp -an carried/. vault/"
        var sizes: [String] = []
        for _ in 0..<6 {
            #expect(try cue.run("sync", cue.library).code == 0)
            #expect(try other.sync().code == 0)
            #expect(try cue.shell(carry).code == 0)
            sizes.append(try cue.shell("ls vault/log/* | wc -l").text)
        }

        #expect(sizes[3] == sizes[5], "\(sizes)")
        #expect(try cue.differences("library", "other", "--content-only") == "")
    }

    @Test("A document that moves into a folder of a name that another one still bears keeps nobody from syncing")
    func folderForFile() throws {
        let (cue, other) = try Self.devices(["x": "was x", "z.txt": "z"])
        try cue.shell("cd library && mv x y && mkdir x && mv z.txt x/")
        #expect(try cue.run("sync", cue.library).code == 0)

        #expect(try other.sync().code == 0)

        #expect(try cue.differences("library", "other") == "")
    }

    @Test("Scrivener's own lock is neither stored nor brought to another device")
    func scrivenerLock() throws {
        let (cue, other) = try Self.devices(["Novel.scriv/Files/1.rtf": "one"])
        try cue.write("Novel.scriv/Files/user.lock", "me")
        try cue.write("Novel.scriv/Files/1.rtf", "two")
        #expect(try cue.run("sync", cue.library).code == 0)

        #expect(try other.sync().code == 0)
        #expect(try cue.shell("ls other/Novel.scriv/Files").text == "1.rtf\n")
    }

    @Test("A conflict of a document that was ignored for a while is told when it is not any more")
    func ignoredForAWhile() throws {
        let (cue, other) = try Self.devices(["a.log": "base", "b.md": "text"])
        try cue.shell("echo '*.log' > other/.cueignore; echo there > other/a.log")
        try cue.write("a.log", "here")
        #expect(try cue.run("sync", cue.library).code == 0)
        #expect(try other.sync().code == 0)
        // The rule is a document too: both take it away again.
        try cue.shell("rm other/.cueignore")

        let result = try other.sync("--allow-deletions")

        #expect(result.code == 4, "\(result.text)\(result.errors)")
        #expect(try other.run("conflicts").code == 4)
        #expect(try cue.shell("cat other/a.log").text == "there\n")
    }

    @Test(
        "A kill after an answer was stored, and before this device remembered it, does not turn the answer round",
        .enabled(if: Machine.canTrace, "strace is not here"))
    func answerAfterKill() throws {
        let (cue, other) = try Self.devices(["d.txt": "base"])
        try cue.write("d.txt", "here, three hours of work")
        try cue.shell("echo there > other/d.txt")
        #expect(try cue.run("sync", cue.library).code == 0)
        #expect(try other.sync().code == 4)
        try cue.shell("mkdir saved; cp -a other vault 'home of other' saved/")

        for call in 1...6 {
            try cue.shell("rm -rf other vault 'home of other'; cp -a saved/* .")
            try cue.shell(
                """
                CUE_HOME="$PWD/home of other" strace -f -qq -o trace -e trace=fsync,fdatasync \
                  -e inject=fsync,fdatasync:signal=KILL:when=\(call) "$CUE" resolve d.txt --keep other --library other
                """)
            for _ in 0..<2 { _ = try other.sync("--keep", "other") }

            #expect(try cue.shell("cat other/d.txt").text == "here, three hours of work", "killed at call \(call)")
        }
    }

    @Test(
        "What a killed sync had removed is not taken for missing, and nobody is asked about it",
        .enabled(if: Machine.canTrace, "strace is not here"))
    func removedBeforeKill() throws {
        let names = (1...8).map { "Page \($0).md" }
        let (cue, other) = try Self.devices(Dictionary(names.map { ($0, $0) }, uniquingKeysWith: { $1 }))
        try cue.shell("rm library/Page\\ [1-6].md")
        #expect(try cue.run("sync", cue.library, "--allow-deletions").code == 0)
        try cue.shell(
            """
            CUE_HOME="$PWD/home of other" strace -f -qq -o trace -e trace=unlinkat \
              -e inject=unlinkat:signal=KILL:when=5 "$CUE" sync other --allow-deletions
            """)
        try #require(try cue.shell("ls other | wc -l").text != "8\n", "the kill came too early")

        let next = try other.sync()

        #expect(next.code == 0, "\(next.text)\(next.errors)")
        #expect(next.json["held_back"].strings == [])
        #expect(try cue.differences("library", "other") == "")
        #expect(try cue.run("sync", cue.library, "--json").json["stored"].int == 0)
    }
}
