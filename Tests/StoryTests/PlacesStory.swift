import CueTestSupport
import Foundation
import Testing

/// A vault that is kept at several places, as a person uses them.
@Suite("Story: a vault at several places")
struct PlacesStory {
    /// A library with a vault in `vault`, which is kept in `second` and in S3 as well.
    private struct Places {
        let fake = FakeS3()
        let remote: S3Story.Remote
        var cue: Cue { remote.cue }
        var three: [String] { [cue.vault, cue.folder.appending("second"), remote.vault] }

        /// `inS3`: without it the vault is in two folders.
        init(inS3: Bool = true) throws {
            remote = try S3Story.Remote(fake.answer)
            for number in 1...3 { try cue.write("Notes/\(number).md", "note \(number)\n") }
            try cue.write("Salt.rtfd/TXT.rtf", Cue.inPack("{\\rtf1 salt}"))
            try cue.initialize()
            try cue.snapshot()
            try run("vault", "add", "second", "--library", "library")
            if inS3 { try run("vault", "add", remote.vault, "--library", "library") }
        }

        @discardableResult
        func run(_ arguments: String..., code: Int32 = 0, more: [String: String?] = [:]) throws -> Running.Result {
            let result = try cue.start(arguments, environment: S3Story.Remote.key.merging(more) { $1 })
                .result(deadline: 300)
            #expect(result.code == code, "\(arguments): \(result.errors)\(result.text)")
            return result
        }

        /// Changes a document and backs up while a place in a folder is away. Returns the result of the backup.
        @discardableResult
        func backUp(_ text: String = "changed\n", without place: String, code: Int32 = 0) throws -> Running.Result {
            try cue.rename(place, "unplugged")
            try cue.write("Notes/2.md", text)
            let backup = try run("backup", "library", code: code)
            #expect(!cue.folder.exists(place))
            try cue.rename("unplugged", place)
            return backup
        }

        /// The state of each further place: true if it has everything.
        func whole() throws -> [String: Bool] {
            let list = try run("vault", "list", "--library", "library", "--json").json["places"].list
            return Dictionary(list.map { ($0["place"].string, $0["needs_sync"].bool == false) }) { one, _ in one }
        }

        /// Restores from a place alone, on a device that knows nothing, and compares with the library.
        func prove(_ place: String) throws {
            let name = "proof \(UInt64.random(in: 0 ... .max))"
            try run("restore", "--vault", place, "--to", name, more: cue.elsewhere)
            #expect(try cue.differences("library", name) == "", "\(place)")
            try run("check", "--vault", place, "--read-data", more: cue.elsewhere)
        }
    }

    @Test("Two commands keep a vault at three places, and each of them alone is the whole vault")
    func three() throws {
        let places = try Places()
        try places.cue.write("Notes/2.md", "changed\n")

        let backup = try places.run("backup", "library", "--json").json

        #expect(backup["places"].list.map { $0["state"].string } == ["complete", "complete"])
        #expect(try places.whole().values.allSatisfy(\.self))
        for place in places.three { try places.prove(place) }
        let status = try places.run("status", "library").text
        #expect(status.contains("second  has everything") && status.contains("s3://vault/"), "\(status)")
    }

    @Test("A place that is away holds nothing up, and gets what it lacks when it is back")
    func away() throws {
        let places = try Places(inS3: false)
        try places.cue.rename("second", "unplugged")
        try places.cue.write("Notes/2.md", "changed\n")

        let backup = try places.run("backup", "library")
        #expect(backup.errors.contains("second cannot be reached") && !places.cue.folder.exists("second"))
        #expect(try places.run("status", "library").text.contains("is behind: last had everything"))
        try places.cue.rename("unplugged", "second")
        let caughtUp = try places.run("backup", "library")
        #expect(caughtUp.text.contains("also at") && caughtUp.errors == "", "\(caughtUp.errors)")
        try places.prove("second")
    }

    @Test("While the vault is away another place that has everything stands in, and the vault is caught up later")
    func standsIn() throws {
        let places = try Places()
        try places.cue.rename("vault", "unplugged")
        try places.cue.write("Notes/2.md", "written meanwhile\n")

        let backup = try places.run("backup", "library")
        #expect(backup.errors.contains("stands") || backup.errors.contains("goes on with the vault at"))
        try places.prove("second")
        try places.run("restore", "--library", "library", "--to", "restored")
        #expect(try places.cue.differences("library", "restored") == "")
        try places.cue.rename("unplugged", "vault")
        // What is read is not the older vault, and what is stored goes on from what stood in.
        #expect(try places.run("cat", "Notes/2.md", "--library", "library").text == "written meanwhile\n")
        try places.cue.write("Notes/3.md", "and more\n")
        let after = try places.run("backup", "library")
        #expect(after.errors == "", "\(after.errors)")
        for place in places.three { try places.prove(place) }
    }

    /// Moves the vault to a disk of this size and fills the library with more than fits there. `body` runs while it is
    /// mounted.
    private func onFullDisk(_ body: (Places) throws -> Void) throws {
        let places = try Places(inS3: false)
        try places.cue.shell(
            "mv vault old && mkdir vault && mount -t tmpfs -o size=600k cue-test vault && cp -a old/. vault && rm -r old"
        )
        defer { _ = try? places.cue.shell("umount vault") }
        var generator = SeededGenerator(seed: 9)
        for number in 1...4 { try places.cue.write("Page \(number).bin", Data(generator.bytes(400_000))) }
        try body(places)
        try places.cue.shell("mount -o remount,size=40m vault")
        #expect(try places.run("backup", "library").errors == "")
        for place in [places.cue.vault, "second"] { try places.prove(place) }
    }

    @Test(
        "Where the vault is full another place takes what is new, and the vault is caught up once there is room",
        .enabled(if: Machine.canMount, "needs root, to mount"), arguments: ["backup", "sync"])
    func full(command: String) throws {
        try onFullDisk { places in
            let result = try places.run(command, "library", code: 3)

            #expect(result.errors.contains("no space is left"), "\(result.errors)")
            #expect(result.errors.contains("what is new goes to the vault at \(places.three[1])"), "\(result.errors)")
            try places.prove("second")
            let status = try places.run("status", "library").text
            #expect(status.contains("is behind") && status.contains("no space is left"), "\(status)")
            let next = try places.run(command, "library", code: 3)
            #expect(next.errors.contains("no space is left"), "\(next.errors)")
        }
    }

    @Test(
        "Where two places are full the third takes what is new",
        .enabled(if: Machine.canMount, "needs root, to mount"))
    func twoFull() throws {
        try onFullDisk { places in
            try places.cue.shell("mkdir small && mount -t tmpfs -o size=600k cue-test small")
            defer { _ = try? places.cue.shell("umount small") }
            let (second, third) = (places.three[1], places.cue.folder.appending("third"))
            try places.run("vault", "remove", second, "--library", "library")
            for place in ["small", third, second] { try places.run("vault", "add", place, "--library", "library") }

            let result = try places.run("backup", "library", code: 3).errors
            #expect(result.contains("what is new goes to the vault at \(third)"), "\(result)")
            try places.prove(third)
            try places.run("vault", "remove", "small", "--library", "library")
        }
    }

    @Test(
        "A watcher whose vault is full stores what is written at another place",
        .enabled(if: Machine.canMount, "needs root, to mount"))
    func fullWhileWatching() throws {
        try onFullDisk { places in
            let watching = try Watching(places.cue)
            let isStored = try eventually(within: 120) {
                let status = try watching.status().json
                return status["new"].list.isEmpty && status["changed"].list.isEmpty
            }
            let isTold = try eventually(within: 60) { try watching.logSoFar().contains("no space is left") }
            let log = try watching.logSoFar()
            #expect(isStored && isTold, "\(log)")
            try watching.stop()
            try places.prove("second")
        }
    }

    @Test("Of two disks that are connected in turn, the one that is behind waits for the other, and is not damaged")
    func inTurn() throws {
        let places = try Places(inS3: false)
        try places.backUp("at the second\n", without: "vault")
        try places.cue.rename("second", "drawer")
        try places.cue.write("Notes/3.md", "another evening\n")

        for command in ["backup", "sync"] {
            let refused = try places.run(command, "library", code: 7).errors
            #expect(refused.contains("lacks what was stored at") && refused.contains("second"), "\(refused)")
            #expect(!refused.contains("went back") && refused.contains("safe in the folder"), "\(refused)")
        }
        let check = try places.run("check", "library", code: 3)
        #expect(check.text.contains("the vault is whole") && check.errors.contains("lacks what was stored"), "\(check)")
        // A command that brings what it stored to the other places does not take the vault for whole.
        try places.cue.shell("printf 'new passphrase of mine' > phrase")
        _ = try places.run("key", "new-code", "--library", "library", code: 7)
        #expect(try !places.run("status", "library").text.contains("damaged"))
        try places.cue.rename("drawer", "second")

        #expect(try places.run("sync", "library").errors == "")
        for place in [places.cue.vault, "second"] { try places.prove(place) }
        #expect(try places.run("check", "library", "--read-data").text.contains("second was not looked at"))
    }

    @Test("A vault that is away is checked where it is, or another place by its name")
    func checkElsewhere() throws {
        let places = try Places(inS3: false)
        try places.cue.rename("vault", "unplugged")
        let refused = try places.run("check", "library", code: 7).errors
        #expect(refused.contains("`cue check --vault") && !refused.contains("cannot be reached either"), "\(refused)")
        try places.run("check", "--vault", "second", "--library", "library")
    }

    @Test("A place that lacks something does not stand in for the vault, and is named")
    func behind() throws {
        let places = try Places(inS3: false)
        try places.backUp(without: "second")
        try places.cue.remove("vault")
        try places.cue.write("Notes/3.md", "changed\n")

        let refused = try places.run("backup", "library", code: 7)

        #expect(refused.errors.contains("which lacks some of what this device has seen"), "\(refused.errors)")
        try places.run("restore", "--vault", "second", "--to", "older", more: places.cue.elsewhere)
        #expect(try places.cue.folder.read("older/Notes/2.md") == "note 2\n")
    }

    @Test("What another device stores at a further place arrives, and goes on to the vault")
    func otherDevice() throws {
        let places = try Places()
        let other: [String: String?] = ["CUE_HOME": places.cue.folder.appending("other home")]
        try FileManager.default.createDirectory(
            atPath: places.cue.folder.appending("other"), withIntermediateDirectories: true)
        try places.run("init", "other", "--vault", places.remote.vault, more: other)
        try places.run("sync", "other", more: other)
        try places.cue.folder.write("other/Notes/4.md", Cue.inPack("from the other device"))
        try places.run("sync", "other", more: other)

        let sync = try places.run("sync", "library", "--json").json

        #expect(sync["received"].list.map(\.string) == ["Notes/4.md"])
        for place in places.three { try places.prove(place) }
    }

    @Test("A passphrase that is taken away opens the vault at no place any more")
    func keys() throws {
        let places = try Places()
        try places.cue.folder.write("new", "another passphrase, quite long\n")
        let old = try places.run("key", "list", "--library", "library", "--json").json["slots"].list
            .first { $0["kind"].string == "passphrase" }
        let slot = try #require(old)["slot"].string
        try places.run("key", "add", "--library", "library", "--new-passphrase-file", "new")
        let name = "keys/" + slot.replacingOccurrences(of: "keys/", with: "")
        for place in ["vault", "second"] { #expect(places.cue.folder.exists("\(place)/\(name)")) }

        try places.run(
            "key", "remove", slot, "--library", "library", "--yes",
            more: ["CUE_PASSPHRASE": "another passphrase, quite long"])

        for place in ["vault", "second"] { #expect(!places.cue.folder.exists("\(place)/\(name)"), "\(place)") }
        #expect(!places.fake.objects.keys.contains { $0.hasSuffix(name) })
        try places.run("backup", "library")
        #expect(!places.cue.folder.exists("second/\(name)"))
        for place in places.three {
            let refused = try places.run("check", "--vault", place, code: 5, more: places.cue.elsewhere)
            #expect(!refused.errors.isEmpty)
        }
    }

    @Test("What does not open stays where it was put, and does no harm to the vault")
    func junk() throws {
        let places = try Places(inS3: false)
        let device = try #require(try places.cue.objects(in: "log").first?.split(separator: "/").dropFirst().first)
        let junk = "log/\(device)/0000000099-0123456789abcdef"
        try places.cue.folder.write("second/\(junk)", "no commit at all")
        try places.cue.folder.write("second/packs/ab/abababababababababababababababab", "no pack")
        try places.cue.folder.write("second/events/\(device)/0000000099-0123456789abcdef", "no batch")

        let sync = try places.run("sync", "library", code: 3)

        #expect(sync.errors.contains("do not open") && sync.errors.contains("cue check --vault"), "\(sync.errors)")
        let objects = try places.cue.objects()
        #expect(objects.allSatisfy { !$0.contains("0123456789abcdef") && !$0.contains("abababab") })
        try places.prove(places.cue.vault)
    }

    /// A second device whose vault is at `second` alone.
    private static func otherDevice(_ places: Places) throws -> [String: String?] {
        let other: [String: String?] = ["CUE_HOME": places.cue.folder.appending("other home")]
        try FileManager.default.createDirectory(
            atPath: places.cue.folder.appending("other"), withIntermediateDirectories: true)
        try places.run("init", "other", "--vault", "second", more: other)
        try places.run("sync", "other", more: other)
        return other
    }

    @Test("A commit whose pack is gone or junk at a further place waits there, and what comes after it arrives")
    func brokenPack() throws {
        let places = try Places(inS3: false)
        let other = try Self.otherDevice(places)
        let before = Set(try places.cue.shell("find second/packs -type f").text.split(separator: "\n"))
        try places.cue.folder.write("other/Big.md", Cue.inPack("big"))
        try places.run("backup", "other", more: other)
        let packs = try places.cue.shell("find second/packs -type f").text.split(separator: "\n")
        let pack = try #require(packs.first { !before.contains($0) }).description
        try places.cue.folder.write("other/Later.md", "later\n")
        try places.run("backup", "other", more: other)
        try places.cue.copy(pack, "kept")
        let junk = "head -c $(stat -c %s \"$1\") /dev/zero > junk && cat junk > \"$1\""
        try places.cue.shell("chmod u+w \"$1\"; " + junk, pack)

        let sync = try places.run("sync", "library", code: 3)
        #expect(sync.errors.contains("do not open") || sync.errors.contains("does not open"), "\(sync.errors)")
        #expect(!places.cue.folder.exists(pack.replacing("second/", with: "vault/")))
        try places.cue.shell("cat kept > \"$1\"", pack)
        try places.run("sync", "library")
        #expect(places.cue.folder.exists("library/Big.md") && places.cue.folder.exists("library/Later.md"))
        for place in [places.cue.vault, "second"] { try places.prove(place) }
    }

    @Test("A run that is killed where another place stood in leaves no vault that went back in time")
    func killedStandIn() throws {
        let places = try Places(inS3: false)
        // As if the run had ended before it looked at the vault again.
        try places.backUp(without: "vault")

        try places.cue.write("Notes/3.md", "more\n")
        let backup = try places.run("backup", "library")

        #expect(backup.errors == "", "\(backup.errors)")
        try places.prove(places.cue.vault)
    }

    @Test("An object of another size at a place is reported, and the place does not count as whole")
    func cutObject() throws {
        let places = try Places(inS3: false)
        try places.cue.shell("for f in second/packs/*/*; do chmod u+w $f; truncate -s 100 $f; done")

        let backup = try places.run("backup", "library", code: 3)

        #expect(backup.errors.contains("is not the same at"), "\(backup.errors)")
        #expect(try places.whole().values.allSatisfy { !$0 })
    }

    @Test("A pack that the vault lost comes back from a further place, and a damaged one is read there")
    func heals() throws {
        let places = try Places(inS3: false)
        let pack = try #require(try places.cue.objects(in: "packs").first)
        try places.cue.remove("vault/\(pack)")

        try places.cue.write("Notes/2.md", "changed\n")
        let backup = try places.run("backup", "library")
        #expect(backup.errors == "", "\(backup.errors)")
        #expect(places.cue.folder.exists("vault/\(pack)"))

        try places.cue.shell(
            "chmod u+w \"$1\"; printf damaged. | dd of=\"$1\" bs=1 seek=5000 conv=notrunc 2>/dev/null", "vault/\(pack)")
        let restore = try places.run("restore", "--library", "library", "--to", "out")
        #expect(restore.errors.contains("is read at"), "\(restore.errors)")
        #expect(try places.cue.differences("library", "out") == "")
    }

    @Test("A pack that a backup found to be gone comes back from a place that was away then")
    func healsLater() throws {
        let places = try Places(inS3: false)
        let pack = try #require(try places.cue.objects(in: "packs").first)
        try places.cue.write("Salt.rtfd/TXT.rtf", Cue.inPack("{\\rtf1 quite another}"))
        try places.run("backup", "library")
        try places.cue.remove("vault/\(pack)")
        #expect(try places.backUp(without: "second", code: 3).errors.contains("gone"))
        #expect(!places.cue.folder.exists("vault/\(pack)"))

        try places.run("backup", "library")

        #expect(places.cue.folder.exists("vault/\(pack)"))
        #expect(try places.run("check", "library", "--read-data").errors == "")
        for place in [places.cue.vault, "second"] { try places.prove(place) }
    }

    @Test("A vault that went back in time is brought up to date by a sync from a further place, which the error names")
    func wentBack() throws {
        let places = try Places(inS3: false)
        try places.cue.shell("cp -a vault older")
        try places.cue.write("Notes/2.md", "changed\n")
        try places.run("backup", "library")
        try places.cue.shell("rm -rf vault && mv older vault")

        let refused = try places.run("backup", "library", code: 6).errors
        #expect(refused.contains("second has everything: `cue sync"), "\(refused)")
        let check = try places.run("check", "library", code: 6).errors
        #expect(check.contains("second has everything: `cue sync"), "\(check)")
        #expect(try places.run("sync", "library").errors == "")
        for place in [places.cue.vault, "second"] { try places.prove(place) }

        try places.cue.shell("rm -r vault/log/*/*")
        let watching = try Watching(places.cue)
        let isBack = try eventually(within: 60) { try places.cue.objects(in: "log").count > 1 }
        let log = try watching.logSoFar()
        #expect(isBack, "\(log)")
        try watching.stop()
        #expect(try places.run("backup", "library").errors == "")
    }

    @Test("A flood of epochs that no slot of this device opens stays at its place")
    func epochFlood() throws {
        let places = try Places(inS3: false)
        let real = try #require(try places.cue.objects(in: "epochs").first)
        let header = try Data(contentsOf: URL(fileURLWithPath: places.cue.folder.appending("vault/\(real)"))).prefix(24)
        for number in 2..<40 {
            let size = Data([0, 0, 0, UInt8(number), 0, 0])
            let name =
                "second/epochs/00000000\(number < 10 ? "0" : "")\(number)-00000000000000\(number < 10 ? "0" : "")\(number)"
            try places.cue.folder.write(name, header + size)
        }

        try places.run("sync", "library", code: 3)

        #expect(try places.cue.objects(in: "epochs").count == 1)
    }

    @Test("Reading from a place that is named writes nothing there")
    func readOnly() throws {
        let places = try Places(inS3: false)
        try places.backUp(without: "second")
        let before = try places.cue.fingerprint("second")

        try places.run("ls", "--vault", "second", "--library", "library")
        try places.run("restore", "--vault", "second", "--library", "library", "--to", "out")

        #expect(try places.cue.fingerprint("second") == before)
    }

    @Test("Where a further place becomes the vault, the one that was it goes on as a further place")
    func changesParts() throws {
        let places = try Places(inS3: false)

        try places.run("init", "library", "--vault", "second")

        try places.cue.write("Notes/2.md", "changed\n")
        try places.run("backup", "library")
        for place in ["second", "vault"] { try places.prove(place) }
        #expect(try places.whole() == [places.cue.vault: true])
    }

    @Test("A restore into the library stores what is in the way in the vault itself, also where a folder is nearer")
    func restoreIntoLibrary() throws {
        let places = try Places()
        try places.run("init", "library", "--vault", places.remote.vault)
        try places.cue.write("Notes/1.md", "changed\n")
        try places.run("backup", "library")
        try places.cue.write("Notes/1.md", "never stored\n")

        try places.run("restore", "Notes/1.md", "--library", "library", "--version", "latest~1", "--overwrite")

        #expect(try places.cue.folder.read("library/Notes/1.md") == "note 1\n")
        let backup = try places.run("backup", "library")
        #expect(backup.errors == "", "\(backup.errors)")
        for place in places.three { try places.prove(place) }
    }

    @Test("A restore into the library that stores work is refused where a copy is named that the library does not use")
    func restoreFromCopy() throws {
        let places = try Places(inS3: false)
        try places.cue.write("Notes/1.md", "changed\n")
        try places.run("backup", "library")
        try places.run("copy", places.cue.vault, "copy")
        try places.cue.write("Notes/1.md", "never stored\n")
        func restore(code: Int32) throws -> Running.Result {
            try places.run(
                "restore", "Notes/1.md", "--library", "library", "--vault", "copy", "--version", "latest~1",
                "--overwrite", code: code)
        }

        let refused = try restore(code: 2).errors

        #expect(refused.contains("is a copy that this library does not use"), "\(refused)")
        #expect(refused.contains("--to DIR"), "\(refused)")
        #expect(try places.cue.folder.read("library/Notes/1.md") == "never stored\n")
        try places.run("restore", "--undo", "--library", "library", "--vault", "copy", code: 2)
        try places.run("vault", "add", "copy", "--library", "library")
        _ = try restore(code: 0)
        #expect(try places.cue.folder.read("library/Notes/1.md") == "note 1\n")
        #expect(try places.run("backup", "library").errors == "")
        for place in [places.cue.vault, places.cue.folder.appending("copy")] { try places.prove(place) }
    }

    @Test("The same place under another address is no further one")
    func sameTwice() throws {
        let places = try Places()
        let twice = try places.run(
            "vault", "add", places.remote.vault + "&region=us-east-1", "--library", "library", code: 1)
        #expect(twice.errors.contains("already"), "\(twice.errors)")
        #expect(!places.fake.objects.keys.contains { $0.contains("/tmp/") })
    }

    @Test("A place without a key for its service says what is missing, and goes on saying it in the status")
    func noCredentials() throws {
        let places = try Places()
        try places.cue.write("Notes/2.md", "changed\n")
        let none: [String: String?] = ["AWS_ACCESS_KEY_ID": nil, "AWS_SECRET_ACCESS_KEY": nil]

        let backup = try places.run("backup", "library", code: 3, more: none)

        #expect(backup.errors.contains("there is no key for s3://"), "\(backup.errors)")
        #expect(try places.run("status", "library", more: none).text.contains("there is no key for s3://"))
    }

    @Test("A place is refused that is another vault, in the library, in use, or full of other things")
    func refused() throws {
        let places = try Places(inS3: false)
        let cue = places.cue
        try cue.folder.write("stranger/a.md", "text")
        try places.run("init", "stranger", "--vault", "strange vault", "--kdf-memory", "64")
        try cue.folder.write("letters/a.md", "text")

        func refuse(_ place: String, _ code: Int32, _ words: String) throws {
            let refused = try places.run("vault", "add", place, "--library", "library", code: code)
            #expect(refused.errors.contains(words), "\(refused.errors)")
        }
        try refuse("strange vault", 1, "another vault")
        try refuse("library/vault", 1, "inside the library")
        try refuse("second", 1, "already")
        try refuse("vault", 1, "already")
        try refuse("letters", 1, "holds other files")
        try refuse("letters/a.md", 1, "is a file, and a vault is a folder")
        try refuse("vault/packs/third", 1, "is inside the vault at")
        let nothing = try places.run("copy", "nothing", "made", code: 7)
        #expect(nothing.errors.contains("cannot be reached") && !cue.folder.exists("made"))
        let stranger = try places.run("copy", "letters", "made", code: 1)
        #expect(stranger.errors.contains("there is no vault at") && !cue.folder.exists("made"))
        #expect(!cue.folder.exists("letters/packs") && !cue.folder.exists("library/vault"))
        try places.run("vault", "remove", "letters", "--library", "library", code: 2)
        try places.run("vault", "remove", "vault", "--library", "library", code: 2)
        #expect(try places.whole().count == 1)
    }

    @Test("A place that is removed stays as it is, and a place that only the library's file names is not used")
    func removed() throws {
        let places = try Places(inS3: false)
        let marker = "library/.cue/library.toml"
        let before = try places.cue.folder.read(marker)
        try places.cue.folder.write(marker, before + "# a remark of the writer\n")

        try places.run("vault", "remove", "second", "--library", "library")

        let after = try places.cue.folder.read(marker)
        #expect(!after.contains("second") && after.contains("# a remark of the writer"), "\(after)")
        let untouched = try places.cue.fingerprint("second")
        try places.cue.write("Notes/2.md", "changed\n")
        try places.cue.folder.write(marker, before)
        let backup = try places.run("backup", "library")
        #expect(!backup.text.contains("also at"))
        #expect(try places.cue.fingerprint("second") == untouched)
        #expect(try places.run("status", "library").text.contains("not used on this device"))
        try places.run("vault", "add", "second", "--library", "library")
        try places.prove("second")
    }

    @Test("The watcher brings what it saves to each place, and catches up one that was away")
    func watcher() throws {
        let places = try Places(inS3: false)
        try places.cue.rename("second", "unplugged")
        let watching = try Watching(places.cue)
        try places.cue.write("Notes/2.md", "changed\n")
        let isTold = try eventually(within: 60) { try watching.logSoFar().contains("second cannot be reached") }
        let log = try watching.logSoFar()
        #expect(isTold, "\(log)")
        try watching.stop()
        try places.cue.rename("unplugged", "second")

        let again = try Watching(places.cue)
        try places.cue.write("Notes/3.md", "changed too\n")
        let isWhole = try eventually(within: 60) {
            let status = try again.status().json
            let isStored = status["new"].list.isEmpty && status["changed"].list.isEmpty
            return try isStored && places.whole().values.allSatisfy(\.self)
        }
        let laterLog = try again.logSoFar()
        #expect(isWhole, "\(laterLog)")
        try again.stop()
        try places.prove("second")
    }
}
