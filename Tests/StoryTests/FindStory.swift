import CueTestSupport
import Foundation
import Testing

@Suite("Story: where did I cut that paragraph?")
struct FindStory {
    /// A library with a passage that was cut, and one that is there.
    private static func library(_ more: String...) throws -> Cue {
        let cue = Cue()
        try cue.initialize("--name", "desk")
        try cue.write("Novel/One.md", "The gull came.\n\nIt had a milky eye.\n")
        try cue.write("Two.rtf", #"{\rtf1\ansi A milky sea\par}"#)
        try cue.snapshot()
        try cue.write("Novel/One.md", "The gull came.\n")
        try cue.snapshot()
        return cue
    }

    private static func passages(_ cue: Cue, _ words: String...) throws -> [String] {
        let found = try cue.start(["find", "--library", cue.library, "--json"] + words).result()
        #expect(found.code == 0, "\(found)")
        return found.json["passages"].list.map { passage in
            let cut = passage["cut"]["version"].string
            return "\(passage["last"]["path"].string): \(passage["text"].string)\(cut.isEmpty ? "" : " (cut)")"
        }
    }

    private static func index(_ cue: Cue) throws -> [String] {
        try cue.shell("find \"$CUE_HOME\" -name 'search.db'").text.split(separator: "\n").map(String.init)
    }

    @Test("Passages of all versions are found, with when they came and were cut; --now leaves out what was cut")
    func found() throws {
        let cue = try Self.library()

        let person = try cue.run("find", "MILKY", "eye", "--library", cue.library)

        #expect(
            try Self.passages(cue, "milky") == [
                "Novel/One.md: It had a milky eye. (cut)", "Two.rtf: A milky sea",
            ])
        #expect(try Self.passages(cue, "milky", "--now") == ["Two.rtf: A milky sea"])
        #expect(person.text.hasPrefix("Novel/One.md\n    It had a milky eye.\n  came "), "\(person.text)")
        #expect(person.text.contains("(desk), cut ") && person.text.contains("; last in "))
        let last = try cue.run("find", "milky eye", "--library", cue.library, "--json")
            .json["passages"].list[0]["last"]["version"].string
        #expect(
            try cue.run("cat", "One", "--version", last, "--library", cue.library).text.contains("It had a milky eye."))
    }

    @Test(
        "What is stored after the first search is found by the next, without the vault too, as far as a backup noted it"
    )
    func kept() throws {
        let cue = try Self.library()
        _ = try Self.passages(cue, "milky")
        try cue.shell("sleep 0.3; printf 'The gull came.\n\nWith a new feather.\n' > library/Novel/One.md; sleep 0.5")
        try cue.snapshot()
        try cue.shell("mv vault away")

        let offline = try cue.run("find", "new feather", "--library", cue.library)
        try cue.shell("mv away vault")

        #expect(offline.code == 0 && offline.text.contains("With a new feather."), "\(offline)")
        #expect(offline.errors.contains("cannot be reached"))
        #expect(try Self.passages(cue, "new feather") == ["Novel/One.md: With a new feather."])
        #expect(try Self.passages(cue, "new feather", "--rebuild") == ["Novel/One.md: With a new feather."])
    }

    @Test("What another device wrote, a rename, a deletion and a new document are found by the next search")
    func others() throws {
        let cue = try Self.library()
        _ = try Self.passages(cue, "milky")
        let laptop = cue.folder.appending("laptop")
        try cue.shell("mkdir laptop")
        #expect(try cue.run("init", laptop, "--vault", cue.vault, "--name", "laptop").code == 0)
        #expect(try cue.run("sync", laptop).code == 0)
        try cue.shell("echo 'a milky way' > laptop/New.md; mv laptop/Two.rtf laptop/Sea.rtf; rm laptop/Novel/One.md")
        #expect(try cue.run("sync", laptop, "--allow-deletions").code == 0)

        let found = try Self.passages(cue, "milky")

        #expect(
            Set(found) == ["New.md: a milky way", "Sea.rtf: A milky sea", "Novel/One.md: It had a milky eye. (cut)"],
            "\(found)")
        #expect(try cue.run("sync", cue.library, "--allow-deletions").code == 0)
        #expect(Set(try Self.passages(cue, "milky")) == Set(found))
    }

    @Test("Where the key is not remembered no index is kept, and an index goes with the key")
    func forgotten() throws {
        let cue = try Self.library()
        _ = try Self.passages(cue, "milky")
        #expect(try Self.index(cue).count == 1)
        #expect(try cue.shell("find home -name '*.db*' -perm /077").text.isEmpty)
        // Another library with the same vault has an index too.
        try cue.shell("cp -a library second && rm -r second/.cue")
        let second = cue.folder.appending("second")
        #expect(try cue.run("init", second, "--vault", cue.vault).code == 0)
        #expect(try cue.run("find", "milky", "--library", second).code == 0)
        #expect(try Self.index(cue).count == 2)

        #expect(try cue.run("init", cue.library, "--vault", cue.vault, "--forget-key").code == 0)
        #expect(try Self.index(cue).isEmpty)
        #expect(try Self.passages(cue, "milky").count == 2)
        #expect(try Self.index(cue).isEmpty)
    }

    @Test("A vault alone is searched without an index; a damaged index is made anew")
    func vaultAlone() throws {
        let cue = try Self.library()
        let alone = try cue.run("find", "milky", "--vault", cue.vault, "--json")
        #expect(alone.code == 0 && alone.json["passages"].list.count == 2, "\(alone)")
        #expect(try Self.index(cue).isEmpty)
        _ = try Self.passages(cue, "milky")
        try cue.shell("for f in $(find \"$CUE_HOME\" -name 'search.db'); do head -c 9000 /dev/urandom > $f; done")

        #expect(try Self.passages(cue, "milky").count == 2)
        #expect(try cue.run("find", "nowhere", "--library", cue.library).text.contains("No version"))
    }

    @Test("Content that arrives late is found when it is there, and until then it is said that it could not be read")
    func late() throws {
        let cue = try Self.library()
        try cue.write("Late.md", "an elephant in the harbour")
        try cue.write("Late.png", Cue.inPack("no text"))
        let before = try cue.objects(in: "packs")
        try cue.snapshot()
        let pack = try #require(try cue.objects(in: "packs").first { !before.contains($0) })
        try cue.shell("mv \"vault/$1\" late", pack)

        let without = try cue.run("find", "elephant", "--library", cue.library)
        try cue.shell("mv late \"vault/$1\"", pack)

        #expect(without.code == 0 && without.errors.contains("1 version could not be read"), "\(without)")
        #expect(try Self.passages(cue, "elephant") == ["Late.md: an elephant in the harbour"])
        #expect(try Self.passages(cue, "milky").count == 2)
    }

    @Test("Several searches at once all answer")
    func together() throws {
        let cue = try Self.library()
        let all = try (0..<4).map { _ in try cue.start(["find", "milky", "--library", cue.library, "--json"]) }

        for one in all {
            let found = try one.result()
            #expect(found.code == 0 && found.json["passages"].list.count == 2, "\(found)")
        }
    }

    @Test("A vault elsewhere is searched without touching the index of the library")
    func elsewhere() throws {
        let cue = try Self.library()
        _ = try Self.passages(cue, "milky")
        try cue.shell("cp -r vault copy")

        let copy = try cue.run("find", "milky", "--vault", "copy", "--library", cue.library, "--json")

        #expect(copy.code == 0 && copy.json["passages"].list.count == 2, "\(copy)")
        #expect(try Self.index(cue).count == 1)
    }

}
