import CueTestSupport
import Foundation
import Testing

/// Two devices in one story: the library of `Cue`, and another one with a home of its own on the same vault.
struct SecondDevice {
    let cue: Cue
    var library: String { cue.folder.appending("other") }
    var environment: [String: String?] { ["CUE_HOME": cue.folder.appending("home of other")] }

    init(_ cue: Cue) throws {
        self.cue = cue
        try FileManager.default.createDirectory(atPath: library, withIntermediateDirectories: true)
        let joined = try cue.run(
            "init", library, "--vault", cue.vault, "--name", "other", "--json", environment: environment)
        #expect(joined.code == 0, "\(joined.errors)\(joined.text)")
    }

    /// Two devices, the first called desk, that have these documents.
    static func both(_ documents: [String: String]) throws -> (cue: Cue, other: SecondDevice) {
        let cue = Cue()
        try cue.initialize("--name", "desk")
        for (name, text) in documents { try cue.write(name, text) }
        #expect(try cue.run("sync", cue.library).code == 0)
        let other = try SecondDevice(cue)
        #expect(try other.sync().code == 0)
        return (cue, other)
    }

    /// Brings in a third device, tablet, and leaves three versions of a document: each device wrote a line in it.
    func joinThird(writingIn name: String) throws {
        try cue.shell(
            """
            mkdir third && "$CUE" init third --vault vault --name tablet && "$CUE" sync third
            for device in library other third; do echo "from $device" >> "$device/$1"; done
            "$CUE" sync third
            """, name, environment: ["CUE_HOME": cue.folder.appending("third home")])
        #expect(try cue.run("sync", cue.library).code == 4)
        #expect(try sync().code == 4)
    }

    func start(_ more: [String] = []) throws -> Running {
        try cue.start(["sync", library, "--json"] + more, environment: environment)
    }

    func sync(_ more: String...) throws -> Running.Result { try start(more).result() }

    /// Goes on with a copy of the vault that stands beside it.
    func move(to copy: String) throws {
        #expect(try cue.shell("cp -a vault \(copy) && sed -i 's#/vault#/\(copy)#' other/.cue/library.toml").code == 0)
        let taken = try cue.run("init", library, "--vault", cue.folder.appending(copy), environment: environment)
        #expect(taken.code == 0, "\(taken.errors)")
    }

    /// Any other command, in this device's library.
    func run(_ arguments: String...) throws -> Running.Result {
        try cue.start(
            arguments + (arguments[0] == "conflicts" ? [library] : ["--library", library]), environment: environment
        ).result()
    }

    func write(_ name: String, _ content: String) throws { try cue.folder.write("other/" + name, content) }

    func exists(_ name: String) -> Bool { cue.folder.exists("other/" + name) }

    func read(_ name: String) throws -> String { try cue.folder.read("other/" + name) }
}

@Suite("Fault: a sync that is killed at any moment")
struct SyncKilledFault {
    /// `CUE_KILLS=200` for many.
    private static var kills: Int { ProcessInfo.processInfo.environment["CUE_KILLS"].flatMap { Int($0) } ?? 6 }

    /// Fifty bundles, whose members all tell of which state they are; a few files.
    private static let old = """
        mkdir -p library/Book; cd library
        for n in $(seq 50); do
          mkdir -p "Book/B$n.scriv/Files/Data"
          for m in TXT.rtf Files/one.rtf Files/Data/two.rtf Files/Data/three.rtf; do
            (echo "old $n"; head -c 20000 /dev/urandom) > "Book/B$n.scriv/$m"
          done
          (echo "old $n"; head -c 5000 /dev/urandom) > "Book/F$n.md"
        done
        """
    /// All fifty change: some in place, some also their names or folders, two exchange names, some go and some are new.
    private static let new = """
        cd library
        change() { for m in $(cd "$1" && find . -type f); do (echo "new $1"; head -c 20000 /dev/urandom) > "$1/$m"; done; }
        for n in $(seq 1 20); do change "Book/B$n.scriv"; echo more > "Book/B$n.scriv/Files/four.rtf"; done
        mkdir -p Later/Deep
        for n in $(seq 21 28); do mv "Book/B$n.scriv" Later/Deep/; change "Later/Deep/B$n.scriv"; done
        for n in $(seq 29 36); do mv "Book/B$n.scriv" Later/; done
        mv Book/B37.scriv Book/x; mv Book/B38.scriv Book/B37.scriv; mv Book/x Book/B38.scriv
        for n in 39 40; do rm -r "Book/B$n.scriv"; done
        for n in $(seq 41 44); do rm "Book/B$n.scriv/TXT.rtf"; done
        for n in $(seq 45 50); do rm -r "Book/B$n.scriv"; cp -r Book/B1.scriv "Book/B$n.scriv"; change "Book/B$n.scriv"; done
        for n in $(seq 1 20); do echo "new $n" > "Book/F$n.md"; done
        for n in $(seq 21 30); do mv "Book/F$n.md" Later/; done
        for n in $(seq 51 55); do cp -r Book/B2.scriv "Later/N$n.scriv"; done
        """

    /// Prints every bundle and file in `other` that is wholly neither in `library` nor in `before`, and each that is
    /// not there at all.
    private static let look = """
        import hashlib, os, sys
        def documents(root):
            found = {}
            for parent, folders, files in os.walk(root):
                folders[:] = [f for f in folders if f != ".cue"]
                for name in [f for f in folders if f.endswith(".scriv")]:
                    whole = hashlib.sha256()
                    for p, fs, ns in sorted(os.walk(os.path.join(parent, name))):
                        fs.sort()
                        for n in sorted(ns):
                            path = os.path.join(p, n)
                            whole.update(os.path.relpath(path, os.path.join(parent, name)).encode() + b"\\0" + hashlib.sha256(open(path, "rb").read()).digest())
                    found[os.path.relpath(os.path.join(parent, name), root)] = whole.hexdigest()
                folders[:] = [f for f in folders if not f.endswith(".scriv") and not f.startswith(".cue-restore-")]
                for n in files:
                    if not n.startswith(".cue-restore-"):
                        found[os.path.relpath(os.path.join(parent, n), root)] = hashlib.sha256(open(os.path.join(parent, n), "rb").read()).hexdigest()
            return found
        old, new, now = documents("before"), documents("library"), documents("other")
        for path, what in sorted(now.items()):
            if what not in old.values() and what not in new.values(): print(path, "is neither old nor new")
        """

    @Test(
        "SIGKILL at any moment of a sync that moves fifty bundles: each is wholly old or wholly new, and the next one completes"
    )
    func randomMoments() throws {
        let cue = Cue()
        try cue.initialize()
        #expect(try cue.shell(Self.old, deadline: 120).code == 0)
        let other = try SecondDevice(cue)
        #expect(try cue.run("sync", cue.library).code == 0)
        #expect(try other.sync().code == 0)
        #expect(try cue.shell("cp -a other before; cp -a library library.old").code == 0)
        let made = try cue.shell(Self.new, deadline: 120)
        #expect(made.code == 0, "\(made.errors)")
        #expect(try cue.run("sync", cue.library).code == 0)
        #expect(try cue.shell("mkdir saved; cp -a library other vault home 'home of other' saved/").code == 0)
        let prepare = "rm -rf library other vault home 'home of other'; cp -a saved/* ."

        #expect(try cue.shell(prepare).code == 0)
        let started = Date()
        let whole = try other.sync()
        let duration = Date().timeIntervalSince(started)
        #expect(whole.code == 0, "\(whole.text)\(whole.errors)")
        #expect(try cue.differences("library", "other") == "")

        let seed = UInt64.random(in: 1...1_000_000)
        var generator = SeededGenerator(seed: seed)
        var (killed, inside) = (0, 0)
        for round in 1...Self.kills {
            #expect(try cue.shell(prepare).code == 0)
            let moment = duration * Double.random(in: 0...1, using: &generator)
            let sync = try other.start()
            usleep(UInt32(moment * 1_000_000))
            sync.send(9)
            if try sync.result().signal == 9 { killed += 1 }
            if try cue.shell("ls 'home of other'/libraries/*/syncing").code == 0 { inside += 1 }
            let what = "seed \(seed), round \(round), \(moment) of \(duration) s"
            #expect(try cue.python(Self.look).text == "", "\(what)")

            let next = try other.sync()

            #expect(next.code == 0, "\(what): \(next.text)\(next.errors)")
            let differences = try cue.differences("library", "other", "--content-only")
            #expect(differences == "", "\(what): \(differences)\(next.text)")
            #expect(try cue.shell("find other -name '.cue-restore-*' -o -name '*kept by sync*'").text == "", "\(what)")
            // Times of folders that the killed run disturbed are all that may have become an edit.
            let first = try cue.run("sync", cue.library, "--json")
            #expect(
                first.code == 0 && first.json["received"].strings == [], "\(what): nothing comes back: \(first.text)")
            #expect(try cue.differences("library", "other") == "", "\(what)")
        }
        print(
            "\(Self.kills) kills over \(duration) s: \(killed) hit the sync, \(inside) of them while it moved documents"
        )
    }
}
