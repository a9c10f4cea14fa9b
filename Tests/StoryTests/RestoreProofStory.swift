import CueTestSupport
import Foundation
import Testing

@Suite("Story: a restore proves what it keeps, and knows what it may replace")
struct RestoreProofStory {
    // MARK: A vault that went back in time

    /// A library of which the newest state is in no vault any more: an older copy of the vault stands in its place.
    private static func behindLibrary() throws -> Cue {
        let cue = try Cue.small()
        try cue.copy("vault", "older")
        try cue.write("Essay.md", "a better essay")
        try cue.write("Novel.scriv/Files/1.rtf", "{\\rtf1 one, better}")
        try cue.write("New.md", "new")
        try cue.shell("sleep 0.05")
        try cue.snapshot()
        try cue.remove("vault")
        try cue.rename("older", "vault")
        return cue
    }

    @Test("A restore into a library whose vault went back in time is refused, and nothing in the library is changed")
    func rolledBack() throws {
        let cue = try Self.behindLibrary()

        try cue.refuses(["restore", "--library", cue.library], 6, "went back in time")
        try cue.refuses(["restore", "Essay", "--library", cue.library, "--at", "now"], 6, "went back in time")

        #expect(try cue.folder.read("library/Essay.md") == "a better essay")
        #expect(try cue.shell("find library -name '.cue-restore*'").text == "")
    }

    @Test(
        "A vault that went back in time still restores to another folder; into the library once that is accepted, and nothing is lost"
    )
    func rolledBackOnPurpose() throws {
        let cue = try Self.behindLibrary()

        let elsewhere = try cue.restore(to: "out")
        // What is in the way could not be stored in such a vault.
        try cue.refuses(["restore", "--library", cue.library, "--overwrite"], 6, "went back in time")
        #expect(try cue.run("init", cue.library, "--vault", cue.vault, "--accept-older-vault").code == 0)
        let forced = try cue.run("restore", "--library", cue.library, "--overwrite", "--json")

        #expect(elsewhere.code == 0 && forced.code == 0, "\(elsewhere.text)\(forced.text)")
        #expect(forced.json["stored"].list.map { $0["path"].string } == ["Essay.md", "Novel.scriv"], "\(forced.text)")
        for place in ["out", "library"] {
            #expect(try cue.folder.read("\(place)/Essay.md") == "an essay")
            #expect(try cue.folder.read("\(place)/Novel.scriv/Files/1.rtf") == "{\\rtf1 one}")
        }
        #expect(try cue.folder.read("library/New.md") == "new", "what is only in the folder is left alone")
    }

    // MARK: Content is proved

    /// Writes other bytes into a file, and gives it back its size, time and mode.
    private static func forge(_ cue: Cue, _ name: String) throws {
        try cue.python(
            """
            import os, sys
            before = os.stat(sys.argv[1])
            with open(sys.argv[1], "r+b") as file:
                bytes = file.read()
                file.seek(0)
                file.write(bytes[:-1] + b"#")
            os.utime(sys.argv[1], ns=(before.st_atime_ns, before.st_mtime_ns))
            after = os.stat(sys.argv[1])
            assert (after.st_size, after.st_mtime_ns, after.st_mode) == (before.st_size, before.st_mtime_ns, before.st_mode)
            """, name)
    }

    @Test(
        "A file with the right size, time and mode and other bytes is not taken for the right one",
        arguments: ["Essay.md", "Novel.scriv/Files/1.rtf", "Long.bin"])
    func forged(name: String) throws {
        let cue = try Cue.small()
        var generator = SeededGenerator(seed: 21)
        // Of several chunks, of which only the last is wrong.
        try cue.write("Long.bin", Data(generator.bytes(3 << 20)))
        try cue.snapshot()
        #expect(try cue.restore(to: "out").code == 0)
        try Self.forge(cue, "out/" + name)
        let before = try cue.fingerprint("out")

        let refused = try cue.restore(to: "out")
        let unchanged = try cue.fingerprint("out") == before
        let forced = try cue.restore(to: "out", "--overwrite")

        #expect(refused.code == 1, "\(refused.text)")
        #expect(refused.json["error"]["message"].string.contains("in the way"), "\(refused.text)")
        #expect(unchanged)
        #expect(forced.code == 0, "\(forced.text)")
        #expect(forced.json["files"].int >= 1, "\(forced.text)")
        #expect(forced.json["set_aside"].list.count == 1, "\(forced.text)")
        try cue.shell("find out -name '*(kept by restore)*' -prune -exec rm -r {} +")
        #expect(try cue.differences("library", "out") == "")
    }

    @Test(
        "In a library, too, a file that only looks like the one in the snapshot is not overwritten without being asked")
    func forgedInLibrary() throws {
        let cue = try Cue.small()
        try cue.shell("sleep 0.05")
        try cue.snapshot()
        try cue.copy("library", "before")
        try Self.forge(cue, "library/Essay.md")
        try Self.forge(cue, "library/Novel.scriv/Files/1.rtf")

        try cue.refuses(["restore", "--library", cue.library], 1, "2 files are in the way that no snapshot holds")
        let forced = try cue.run("restore", "--library", cue.library, "--overwrite", "--json")

        #expect(forced.code == 0, "\(forced.text)")
        #expect(try cue.differences("before", "library") == "")
    }

    // MARK: File systems that cannot exchange two names

    @Test(
        "Where a file system cannot exchange two names, files and bundles are replaced all the same, and nothing half stays",
        .enabled(if: Machine.canTrace, "strace is not here"))
    func withoutExchange() throws {
        let cue = try Cue.small()
        try cue.shell("sleep 0.05")
        let first = try cue.snapshot()
        try cue.copy("library", "first")
        try cue.write("Essay.md", "a better essay")
        try cue.write("Novel.scriv/Files/1.rtf", "{\\rtf1 one, better}")
        try cue.write("Novel.scriv/Files/2.rtf", "{\\rtf1 two}")
        try cue.shell("sleep 0.05")
        try cue.snapshot()

        let restored = try cue.shell(
            """
            strace -f -qq -o trace -e trace=renameat2 -e inject=renameat2:error=EINVAL \
              "$CUE" restore --library library --at "$1" --json
            """, first)

        #expect(restored.code == 0, "\(restored.text)\(restored.errors)")
        #expect(try cue.shell("grep -c RENAME_EXCHANGE trace").text == "2\n")
        #expect(try cue.differences("first", "library") == "")
        #expect(try cue.shell("find library -name '.cue-restore*'").text == "")
    }

    @Test(
        "Where the new one cannot be put in the place that was made for it, the old one stands there again",
        .enabled(if: Machine.canTrace, "strace is not here"), arguments: ["Essay.md", "Novel.scriv"])
    func brokenExchange(name: String) throws {
        let cue = try Cue.small()
        try cue.shell("sleep 0.05")
        let first = try cue.snapshot()
        try cue.write("Essay.md", "a better essay")
        try cue.write("Novel.scriv/Files/1.rtf", "{\\rtf1 one, better}")
        try cue.shell("sleep 0.05")
        try cue.snapshot()
        try cue.copy("library", "second")

        // No exchange, and of the three renames instead of it the first goes well and the second does not.
        let restored = try cue.shell(
            """
            strace -f -qq -o trace -e trace=renameat2,renameat -e inject=renameat2:error=EINVAL \
              -e inject=renameat:error=EIO:when=2 "$CUE" restore "$2" --library library --at "$1" --json
            """, first, name)

        #expect(restored.code == 3, "\(restored.text)\(restored.errors)")
        #expect(restored.json["failed"].list.contains { $0["path"].string == name }, "\(restored.text)")
        #expect(try cue.differences("second", "library") == "")
    }

    // MARK: Folders that may not be written in

    /// What starts a program as a user without rights: root may write everywhere.
    private static let nobody = Machine.isRoot ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : ""

    private static let canDropRights = !Machine.isRoot || Machine.has("setpriv")

    /// A library of somebody without rights, in two states; gives the id of the first.
    private static func twoStates(_ prepare: String) throws -> (cue: Cue, first: String) {
        let cue = Cue()
        try cue.write("Essay.md", "first")
        try cue.write("Album.rtfd/Pictures/one.png", "first picture")
        try cue.write("Album.rtfd/TXT.rtf", "first text")
        try cue.write("Shut/Diary.rtfd/TXT.rtf", "first diary")
        try cue.write("Shut/Page.md", "first page")
        if Machine.isRoot { try cue.shell("chown -R 65534:65534 .") }
        let first = try cue.shell(
            """
            set -e
            \(nobody) "$CUE" init library --vault vault --kdf-memory 64 >/dev/null
            \(prepare)
            sleep 0.05; \(nobody) "$CUE" backup library --json
            """)
        #expect(first.code == 0, "\(first.errors)\(first.text)")
        let second = try cue.shell(
            """
            set -e
            cp -a library first
            find library -name .cue -prune -o -type f -print | while read -r file; do
              sed -i s/first/second/ "$file"; done
            if [ "$(id -u)" = 0 ]; then chown -R 65534:65534 library; fi
            sleep 0.05; \(nobody) "$CUE" backup library --json; cp -a library second
            """)
        #expect(second.code == 0, "\(second.errors)\(second.text)")
        return (cue, first.json["snapshot"].string)
    }

    @Test(
        "A bundle with folders that nobody may write in is replaced whole, and has them again",
        .enabled(if: canDropRights, "root writes everywhere, and setpriv is not here"),
        arguments: ["library/Album.rtfd/Pictures", "library/Album.rtfd library/Album.rtfd/Pictures"])
    func shutInside(folders: String) throws {
        let (cue, first) = try Self.twoStates("chmod 0555 \(folders)")

        let restored = try cue.shell("\(Self.nobody) \"$CUE\" restore --library library --at \"$1\" --json", first)

        #expect(restored.code == 0, "\(restored.text)\(restored.errors)")
        #expect(try cue.differences("first", "library") == "")
        #expect(try cue.shell("find library -name '.cue-restore*'").text == "")
    }

    @Test(
        "Documents in a folder that nobody may write in stay as they are and are named; all others come back, and nothing is half",
        .enabled(if: canDropRights, "root writes everywhere, and setpriv is not here"),
        arguments: ["Shut/Page.md", "Shut/Diary.rtfd"])
    func shutAround(kept: String) throws {
        let other = kept == "Shut/Page.md" ? "Shut/Diary.rtfd" : "Shut/Page.md"
        let (cue, first) = try Self.twoStates("rm -r library/\(other); chmod 0555 library/Shut")

        let restored = try cue.shell("\(Self.nobody) \"$CUE\" restore --library library --at \"$1\" --json", first)

        #expect(try cue.differences("second/Shut", "library/Shut") == "")
        #expect(try cue.shell("find library -name '.cue-restore*'").text == "")
        #expect(restored.code == 3, "\(restored.text)\(restored.errors)")
        #expect(restored.json["failed"].list.map { $0["path"].string } == [kept], "\(restored.text)")
        #expect(try cue.differences("first/Album.rtfd", "library/Album.rtfd") == "")
        #expect(try cue.folder.read("library/Essay.md") == "first")
    }
}
