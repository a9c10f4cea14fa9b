import CueTestSupport
import Foundation
import Testing

@Suite("Story: a device and its clone")
struct ClonedDeviceStory {
    /// One device on two disks: `home` and `library` are those of whichever runs now.
    private struct Twins {
        let cue: Cue

        init() throws {
            cue = try Cue.small()
            try cue.shell("mkdir first second; for twin in first second; do cp -a home library $twin/; done")
            try cue.shell("rm -r home library")
        }

        /// Lets one of the two work: the other's disk is not there then, as it is in another machine.
        func on<Result>(_ name: String, _ body: (Cue) throws -> Result) throws -> Result {
            try cue.shell("mv \"$1\"/home \"$1\"/library .", name)
            defer { _ = try? cue.shell("mv home library \"$1\"/", name) }
            return try body(cue)
        }

        func backup(_ name: String) throws -> Running.Result { try on(name) { try $0.backup() } }

        var devices: Int {
            get throws { Set(try cue.objects(in: "log").map { $0.split(separator: "/")[1] }).count }
        }
    }

    @Test(
        "Two clones of one device that back up one after the other lose no version, are in conflict with nothing, and the second gets an id of its own"
    )
    func oneAfterTheOther() throws {
        let twins = try Twins()
        let cue = twins.cue
        try cue.folder.write("first/library/One.md", "from the first")
        try cue.folder.write("first/library/Essay.md", "an essay, by the first")
        try cue.folder.write("second/library/Two.md", "from the second")
        try cue.folder.write("second/library/Novel.scriv/Files/2.rtf", "by the second")

        let first = try twins.backup("first")
        let second = try twins.backup("second")

        #expect(first.code == 0 && second.code == 0, "\(first.text)\(second.text)")
        #expect(first.json["new_device"].bool == false && second.json["new_device"].bool == true, "\(second.text)")
        #expect(try twins.devices == 2)
        // Neither has what the other made; neither takes it for deleted.
        for round in 1...2 {
            #expect(try cue.restore(to: "out \(round)").json["copies"].list.isEmpty)
            #expect(try cue.folder.read("out \(round)/One.md") == "from the first")
            #expect(try cue.folder.read("out \(round)/Two.md") == "from the second")
            #expect(try cue.folder.read("out \(round)/Essay.md") == "an essay, by the first")
            #expect(try cue.folder.read("out \(round)/Novel.scriv/Files/2.rtf") == "by the second")
            for name in ["first", "second"] {
                let again = try twins.backup(name)
                #expect(again.code == 0, "\(again.text)")
                #expect(again.json["new_device"].bool == false, "\(again.text)")
                #expect(again.json["conflicting"].strings == [] && again.json["removed"].int == 0, "\(again.text)")
            }
        }
        #expect(try twins.devices == 2)
        #expect(try cue.check("--read-data").code == 0)
    }

    @Test("What both clones wrote at one name is kept twice, and no document but that one is in conflict")
    func sameName() throws {
        let twins = try Twins()
        let cue = twins.cue
        try cue.folder.write("first/library/Essay.md", "by the first")
        try cue.folder.write("second/library/Essay.md", "by the second")
        try cue.folder.write("first/library/Same.md", "the same")
        try cue.copy("first/library/Same.md", "second/library/Same.md")

        let results = try ["first", "second"].map { try twins.backup($0) }
        let restored = try cue.restore(to: "out")

        #expect(results.map(\.code) == [0, 0], "\(results.map(\.text))")
        #expect(restored.code == 0, "\(restored.text)")
        #expect(restored.json["copies"].list.count == 1, "\(restored.text)")
        let essays = try cue.shell("cat out/Essay*.md").text
        #expect(essays.contains("by the first") && essays.contains("by the second"), "\(essays)")
        #expect(try cue.shell("cat out/Same*.md").text == "the same")
    }

    @Test("Two clones that back up at the same moment fork their log; both branches are read, and nothing is lost")
    func sameMoment() throws {
        let twins = try Twins()
        let cue = twins.cue
        // Each writes to a copy of the vault, and the copies meet: the same as two commits of one generation at one
        // moment.
        try cue.copy("vault", "older")
        try cue.folder.write("first/library/One.md", "from the first")
        try cue.folder.write("second/library/Two.md", "from the second")
        let first = try twins.backup("first")
        try cue.rename("vault", "ahead")
        try cue.rename("older", "vault")
        let second = try twins.backup("second")
        try cue.shell("cp -rn ahead/. vault/")
        #expect(try twins.devices == 1, "a fork: two commits of one device and one generation")

        let restored = try cue.restore(to: "out")
        let next = try ["first", "second"].map { try twins.backup($0) }

        #expect(first.code == 0 && second.code == 0, "\(first.text)\(second.text)")
        #expect(restored.code == 0 && restored.json["copies"].list.isEmpty, "\(restored.text)")
        #expect(
            try cue.folder.read("out/One.md") == "from the first" && cue.folder.read("out/Two.md") == "from the second")
        #expect(next.map(\.code) == [0, 0], "\(next.map(\.text))")
        #expect(next.allSatisfy { $0.json["conflicting"].strings == [] && $0.json["removed"].int == 0 })
        #expect(next.allSatisfy { $0.json["new_device"].bool == true }, "neither can go on in the forked log")
        #expect(try cue.check("--read-data").code == 0)
    }

    @Test("A device that accepts an older vault goes on under a new id: its old log may still come back")
    func acceptedOlder() throws {
        let cue = try Cue.small()
        try cue.copy("vault", "older")
        try cue.write("New.md", "new")
        try cue.snapshot()
        try cue.rename("vault", "newer")
        try cue.rename("older", "vault")
        #expect(try cue.run("init", cue.library, "--vault", cue.vault, "--accept-older-vault").code == 0)
        try cue.write("Newest.md", "newest")
        try cue.snapshot()

        try cue.shell("cp -rn newer/. vault/")
        let restored = try cue.restore(to: "out")

        #expect(Set(try cue.objects(in: "log").map { $0.split(separator: "/")[1] }).count == 2)
        #expect(restored.code == 0, "\(restored.text)")
        // It made New.md in both its lives: two documents of one name. Of all others there is one.
        #expect(restored.json["copies"].list.count == 1, "\(restored.text)")
        #expect(try cue.shell("cat out/New*.md").text == "newnewnewest")
        #expect(try cue.shell("find out -type f | wc -l").text == "7\n")
        #expect(try cue.backup().json["new_device"].bool == false)
        #expect(try cue.run("check", cue.library, "--read-data").code == 0)
    }
}
