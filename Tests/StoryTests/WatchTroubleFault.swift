import CueTestSupport
import Foundation
import Testing

@Suite("Fault: a watcher loses its vault, its folder, or the kernel's news")
struct WatchTroubleFault {
    /// A library with one document, and its watcher.
    private static func watched() throws -> (Cue, Watching) {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Draft.md", "1")
        return (cue, try Watching(cue))
    }

    @Test("The vault goes: what is new waits since then, and is stored when it is back")
    func vaultAway() throws {
        let (cue, watching) = try Self.watched()

        try cue.rename("vault", "unplugged")
        try cue.write("Draft.md", "more")
        #expect(try eventually { try watching.phase() == "offline" })
        let since = try watching.status().json["watcher"]["since"].string
        let headline = try watching.headline()
        #expect(headline.hasPrefix("1 change waits: ") && headline.contains("since"), "\(headline)")
        #expect(try cue.run("status", cue.library, "--short").text == "offline, 1 waiting\n")
        // Tries follow after 1, 2 and 4 s; each may say nothing else.
        var (phases, times): (Set<String>, Set<String>) = ([], [])
        _ = try eventually(within: 3.2) {
            let state = try watching.state()
            phases.insert(state["phase"].string)
            times.insert(state["phaseSince"].string)
            return false
        }
        #expect(phases == ["offline"])
        #expect(times == [since])
        #expect(watching.isRunning)
        try cue.rename("unplugged", "vault")

        #expect(try cue.arrives("Draft.md", "more"))
        try watching.settle()
        let result = try watching.stop()
        #expect(result.code == 0)
        #expect(result.errors.components(separatedBy: "cannot be reached").count == 2, "said once: \(result.errors)")
    }

    @Test("A vault that is away stays one trouble when its empty mount point comes back: it is said once")
    func mountPoint() throws {
        let (cue, watching) = try Self.watched()
        try cue.rename("vault", "unplugged")
        try cue.write("Draft.md", "more")
        #expect(try eventually { try watching.state()["failureCode"].string.contains("unreachable") })

        try cue.shell("mkdir vault")

        // The state has the newest cause, as a person may ask for it at any time.
        #expect(try eventually { try watching.state()["failureCode"].string.contains("vaultNotInFolder") })
        let status = try cue.run("status", cue.library, "--json").json["watcher"]
        #expect(status["message"].string.contains("the vault is not in it"))
        #expect(try watching.phase() == "offline")
        let result = try watching.stop()
        #expect(result.errors.components(separatedBy: "what is new waits").count == 2, "said once: \(result.errors)")
    }

    @Test(
        "Other disks that come and go while the vault is away do not push its next try back",
        .enabled(if: Machine.canMount, "needs root, to mount"))
    func otherDisks() throws {
        let (cue, watching) = try Self.watched()
        try cue.rename("vault", "unplugged")
        try cue.write("Draft.md", "more")
        #expect(try eventually { try watching.phase() == "offline" })

        let disks = try cue.shell(
            """
            mkdir disk; for n in 1 2 3 4 5 6; do
              mount -t tmpfs -o size=64k cue-test disk && sleep 0.5 && umount disk && sleep 0.5
            done
            """)
        try cue.rename("unplugged", "vault")

        #expect(disks.code == 0, "\(disks.errors)")
        #expect(try cue.arrives("Draft.md", "more"))
    }

    @Test("A watcher that starts while the vault is away waits for it, as the key is remembered")
    func vaultAwayAtStart() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.snapshot()
        try cue.rename("vault", "unplugged")
        try cue.write("Draft.md", "before")

        let watching = try Watching(cue, isSettled: false)
        #expect(try eventually { try watching.phase() == "offline" })
        #expect(try watching.headline().hasPrefix("1 change waits: "))
        try cue.rename("unplugged", "vault")

        #expect(try cue.arrives("Draft.md", "before"))
        #expect(watching.isRunning)
    }

    private static let canDropRights = Machine.isRoot && Machine.has("setpriv")

    @Test(
        "A folder loses its permissions and gets them back: the rest is stored meanwhile, and nothing counts as deleted",
        .enabled(if: canDropRights))
    func permissionLost() throws {
        let cue = Cue()
        try cue.write("Shut/inside.md", "1")
        try cue.write("Good.md", "1")
        let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        let made = try cue.shell(
            "chown -R 65534:65534 . && \(nobody.joined(separator: " ")) \"$CUE\" init library --vault vault --kdf-memory 64"
        )
        #expect(made.code == 0, "\(made.errors)")
        let process = try Running(
            "/usr/bin/env", nobody + [Cue.binary, "watch", cue.library, "--debounce", "0.3", "--poll", "1"],
            environment: cue.environment)
        defer { process.send(SIGKILL) }
        #expect(try cue.arrives("Shut/inside.md", "1"))

        #expect(try cue.shell("chmod 000 library/Shut && echo -n more > library/Good.md").code == 0)
        #expect(try cue.arrives("Good.md", "more"))
        #expect(try cue.stored("Shut/inside.md") == "1")
        #expect(process.isRunning)
        #expect(try cue.shell("chmod 755 library/Shut").code == 0)
        usleep(800_000)
        #expect(try cue.shell("echo -n more > library/Shut/inside.md").code == 0)

        #expect(try cue.arrives("Shut/inside.md", "more"))
    }

    @Test(
        "The whole folder loses its permissions: that is said, and nothing is stored or deleted",
        .enabled(if: canDropRights))
    func rootShut() throws {
        let cue = Cue()
        try cue.write("one.md", "1")
        try cue.write("two.md", "2")
        let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        let made = try cue.shell(
            "chown -R 65534:65534 . && \(nobody.joined(separator: " ")) \"$CUE\" init library --vault vault --kdf-memory 64"
        )
        #expect(made.code == 0, "\(made.errors)")
        let process = try Running(
            "/usr/bin/env",
            nobody + [Cue.binary, "watch", cue.library, "--debounce", "0.3", "--poll", "1", "--rescan", "1"],
            environment: cue.environment)
        #expect(try cue.arrives("two.md", "2"))

        #expect(try cue.shell("chmod 000 library").code == 0)
        usleep(2_500_000)
        #expect(try cue.shell("chmod 755 library && echo -n more > library/one.md").code == 0)
        #expect(try cue.arrives("one.md", "more"))
        process.send(SIGTERM)
        let result = try process.result(deadline: 30)

        #expect(
            result.code == 0 && result.errors.contains("the folder cannot be read (permission denied)"),
            "\(result.errors)")
        #expect(try cue.stored("two.md") == "2")
    }

    @Test("The folder is removed: nothing counts as deleted, and its end is told as what it is")
    func rootRemoved() throws {
        let (cue, watching) = try Self.watched()

        try cue.remove("library")
        #expect(try eventually { try watching.phase() == "error" })
        let result = try watching.stop()

        #expect(result.code == 0)
        #expect(result.errors.contains("there is no folder") && result.errors.contains("what is stored is safe"))
        #expect(
            result.errors.contains("the folder is not there; what was stored of it is in the vault"), "\(result.errors)"
        )
        #expect(try cue.stored("Draft.md") == "1")
    }

    @Test(
        "The disk of cue's memory is full: it is said, and with room again the next edit brings everything",
        .enabled(if: Machine.canMount))
    func homeFull() throws {
        let cue = Cue()
        try cue.shell("mkdir home && mount -t tmpfs -o size=1m,mode=700 cue-test home")
        defer { _ = try? cue.shell("umount home") }
        try cue.initialize()
        try cue.write("Draft.md", "1")
        let watching = try Watching(cue)

        try cue.shell("head -c 2000000 /dev/zero > home/fill; for n in {1..300}; do echo $n > library/$n.md; done")
        usleep(3_000_000)
        #expect(watching.isRunning)
        try cue.shell("rm home/fill")
        try cue.write("Draft.md", "more")

        #expect(try cue.arrives("300.md", "300\n"))
        let result = try watching.stop()
        #expect(result.code == 0)
        #expect(result.errors.contains("full; what is stored is safe"), "\(result.errors)")
    }

    private static let canShift = Machine.has("cc")

    @Test("A clock that is set back and forth by years keeps nothing from being stored", .enabled(if: canShift))
    func clock() throws {
        let cue = Cue()
        try cue.folder.write(
            "shift.c",
            """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <time.h>
            int clock_gettime(clockid_t id, struct timespec *t) {
                static int (*real)(clockid_t, struct timespec *);
                if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
                int result = real(id, t);
                FILE *f = id == CLOCK_REALTIME ? fopen(getenv("CUE_TEST_SHIFT"), "r") : 0;
                long long shift = 0;
                if (f) { if (fscanf(f, "%lld", &shift) != 1) shift = 0; fclose(f); t->tv_sec += shift; }
                return result;
            }
            """)
        let built = try cue.shell("cc -shared -fPIC -o shift.so shift.c -ldl")
        #expect(built.code == 0, "\(built.errors)")
        try cue.folder.write("shift", "0")
        try cue.initialize()
        let watching = try Watching(
            cue, debounce: 1,
            environment: [
                "LD_PRELOAD": cue.folder.appending("shift.so"), "CUE_TEST_SHIFT": cue.folder.appending("shift"),
            ])

        for (number, years) in [5, -10, 3].enumerated() {
            try cue.write("Draft.md", String(repeating: "x", count: number + 1))
            // In one step: the watcher may look at any moment, and must not find half a number.
            try cue.folder.write("shift.new", "\(years * 31_557_600)")
            #expect(try cue.shell("mv shift.new shift").code == 0)
            let began = Date()
            #expect(try cue.arrives("Draft.md", String(repeating: "x", count: number + 1)))
            let seconds = Date().timeIntervalSince(began)
            #expect(seconds < 14, "\(years) years: \(seconds) s")
        }
        // The device's clock was ahead and back: its versions say so, and their order does not come from it.
        let log = try cue.run("log", "Draft.md", "--vault", cue.vault, "--json").json["versions"].list
        #expect(Set(log.map { $0["time"].string.prefix(4) }).count == 3, "\(log.map { $0["time"].string })")
        let result = try watching.stop()
        #expect(result.code == 0, "\(result.errors)")
        #expect(try cue.run("check", "--vault", cue.vault, "--read-data").code == 0)
    }

    @Test("Another vault in its place is an error that status shows, and nothing is stored in it")
    func otherVault() throws {
        let (cue, watching) = try Self.watched()
        try cue.rename("vault", "right")
        let made = try cue.shell("mkdir second && \"$CUE\" init second --vault \"$PWD/vault\" --kdf-memory 64 --json")
        #expect(made.code == 0, "\(made.errors)")

        try cue.write("Draft.md", "more")

        #expect(try eventually { try watching.phase() == "error" })
        #expect(try watching.headline().contains("not the one that this library belongs to"))
        #expect(try cue.run("status", cue.library, "--short").text == "error\n")
        #expect(try cue.commits() == 0)
        #expect(watching.isRunning)
        try cue.remove("vault")
        try cue.rename("right", "vault")
        #expect(try watching.stop().code == 0)
        #expect(try cue.stored("Draft.md") == "more")
    }

    @Test("After an error the next edit is tried again, not only after ten minutes, and not with every keystroke")
    func errorMended() throws {
        let (cue, watching) = try Self.watched()
        try cue.rename("vault", "right")
        let made = try cue.shell("mkdir second && \"$CUE\" init second --vault \"$PWD/vault\" --kdf-memory 64 --json")
        #expect(made.code == 0, "\(made.errors)")
        try cue.write("Draft.md", "more")
        #expect(try eventually { try watching.phase() == "error" })
        // What was written before may bring one more try, and so does a disk that another test mounts meanwhile.
        let isLeftAlone = try eventually(within: 30) {
            let nextTry = try watching.state()["nextTry"].string
            usleep(2_500_000)
            return try watching.state()["nextTry"].string == nextTry
        }
        #expect(isLeftAlone, "nobody writes, nothing is tried")
        try cue.remove("vault")
        try cue.rename("right", "vault")

        try cue.write("Draft.md", "more and more")

        #expect(try cue.arrives("Draft.md", "more and more"))
        #expect(watching.isRunning)
    }

    @Test("What somebody writes in a document in the moment in which it arrives is stored soon")
    func editedAtReceipt() throws {
        let cue = Cue()
        for number in 1...300 { try cue.write("scene \(number).md", String(repeating: "x", count: 20_000)) }
        try cue.initialize()
        try cue.snapshot()
        let done = try cue.shell(
            "mkdir other && \"$CUE\" init other --vault vault && \"$CUE\" sync other && for f in other/*.md; do printf there >> \"$f\"; done",
            environment: ["CUE_HOME": cue.folder.appending("home 2")])
        #expect(done.code == 0, "\(done.errors)")
        let watching = try Watching(cue)
        let script = """
            import sys, time
            for n in range(300000):
                for path in sys.argv[1:]:
                    with open(path) as f: text = f.read()
                    if text.endswith("there"):
                        with open(path, "a") as f: f.write(" and here")
                        print(path)
                        sys.exit()
                time.sleep(0.0005)
            """
        let writer = try Running(Machine.anyPython, ["-c", script] + (1...9).map { cue.library + "/scene \($0).md" })
        defer { writer.send(SIGKILL) }

        #expect(
            try cue.shell("\"$CUE\" sync other", environment: ["CUE_HOME": cue.folder.appending("home 2")]).code == 0)
        let path = try writer.result(deadline: 20).text.trimmingCharacters(in: .newlines)
        let name = (path as NSString).lastPathComponent

        #expect(try eventually { try cue.stored(name)?.hasSuffix("there and here") ?? false }, "\(name)")
        #expect(watching.isRunning)
    }

    @Test("The folder goes, and comes back: it is watched again")
    func rootAway() throws {
        let (cue, watching) = try Self.watched()

        try cue.rename("library", "elsewhere")
        #expect(try eventually { try ["offline", "error"].contains(watching.phase()) })
        usleep(500_000)
        try cue.rename("elsewhere", "library")
        try watching.settle()
        try cue.write("Draft.md", "more")

        #expect(try cue.arrives("Draft.md", "more"))
        #expect(watching.isRunning)
    }

    @Test("A plain folder in the place of the library: nothing is taken from it, and nothing counts as deleted")
    func rootReplaced() throws {
        let (cue, watching) = try Self.watched()
        let before = try cue.commits()

        try cue.rename("library", "elsewhere")
        try cue.write("Stranger.md", "not mine")
        #expect(try eventually { try ["offline", "error"].contains(watching.phase()) })
        usleep(700_000)

        #expect(try cue.commits() == before)
        #expect(watching.isRunning)
    }

    @Test("Another library in the place of the library: its documents never come into the wrong vault")
    func rootSwapped() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Draft.md", "1")
        let made = try cue.shell(
            "mkdir second && \"$CUE\" init second --vault \"$PWD/vault two\" --kdf-memory 64 --json && echo 2 > second/Draft.md && echo 2 > second/Secret.md"
        )
        #expect(made.code == 0, "\(made.errors)")
        let watching = try Watching(cue)
        let before = try cue.commits()

        let swapped = try cue.shell("mv library elsewhere && mv second library")
        #expect(swapped.code == 0)
        #expect(try eventually { try ["offline", "error"].contains(watching.phase()) })
        usleep(500_000)

        #expect(try cue.commits() == before)
        #expect(watching.isRunning)
        #expect(try cue.folder.read("library/Draft.md") == "2\n")
        let result = try watching.stop()
        #expect(result.code == 0)
        #expect(result.errors.contains("another library is at"), "\(result.errors)")
        #expect(try cue.commits() == before)
    }

    private static let queue = "/proc/sys/fs/inotify/max_queued_events"

    @Test(
        "More happens than the kernel keeps: everything is looked at, and new folders are watched",
        .enabled(if: FileManager.default.isReadableFile(atPath: queue)))
    func overflow() throws {
        let cue = Cue()
        try cue.initialize()
        let room = try #require(
            Int(String(contentsOfFile: Self.queue, encoding: .utf8).trimmingCharacters(in: .newlines)))
        #expect(try cue.shell("mkdir library/early").code == 0)
        let watching = try Watching(cue)
        let process = try watching.state()["process"].int

        watching.send(SIGSTOP)
        #expect(
            try eventually {
                try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8).contains("T (stop")
            })
        // Two files by turns: the kernel takes equal events that follow each other for one.
        try cue.python(
            """
            import sys
            one, two = (open("library/early/%d" % n, "wb", buffering=0) for n in (1, 2))
            for n in range(int(sys.argv[1]) // 2 + 500): one.write(b"x"); two.write(b"x")
            """, String(room))
        let made = try cue.shell("cd library && mkdir -p late/deep && touch late/deep/{1..2000}")
        #expect(made.code == 0)
        watching.send(SIGCONT)
        #expect(try cue.arrives("late/deep/2000", "", within: 30))
        try watching.settle()
        try cue.write("late/deep/7", "seven")

        #expect(try cue.arrives("late/deep/7", "seven"))
        let result = try watching.stop()
        #expect(result.errors.contains("more happened than the system could tell"), "\(result.errors)")
    }

    @Test("Nine thousand documents wait, and status still knows the watcher")
    func manyWait() throws {
        let cue = Cue()
        try cue.initialize()
        let watching = try Watching(cue, debounce: 60)
        let name =
            "a scene with a name of some length, as they have it who never learnt to be brief about what a scene is about"
        try cue.python("import sys\nfor n in range(9000): open(f'library/{sys.argv[1]} {n}.md', 'w')", name)

        #expect(
            try eventually(within: 20) { try [200, 9000].contains(watching.state()["waiting"].strings.count) })
        let status = try watching.status().json

        #expect(status["watcher"]["phase"].string == "idle")
        watching.send(SIGKILL)
    }

    private static let canLimit =
        (try? Running("/usr/bin/unshare", ["-Ur", "sh", "-c", "echo 9 > /proc/sys/user/max_inotify_watches"]).result()
            .code) == 0

    @Test("No watches are left: status says that it looks every minute, and it does look", .enabled(if: canLimit))
    func noWatches() throws {
        let cue = Cue()
        try cue.initialize()
        #expect(try cue.shell("mkdir -p library/{1..20}/deep").code == 0)
        let process = try Running(
            "/usr/bin/unshare",
            [
                "-Ur", "sh", "-c",
                "echo 9 > /proc/sys/user/max_inotify_watches; exec \"$0\" watch \"$1\" --debounce 0.3 --poll 1",
                Cue.binary, cue.library,
            ], environment: cue.environment)
        defer { process.send(SIGKILL) }
        #expect(try eventually { try cue.run("status", cue.library).text.contains("looks every minute") })

        try cue.write("20/deep/Draft.md", "unheard")

        #expect(try cue.arrives("20/deep/Draft.md", "unheard"))
    }

    @Test("The watches run out later: status says so too", .enabled(if: canLimit))
    func noWatchesLater() throws {
        let cue = Cue()
        try cue.initialize()
        let process = try Running(
            "/usr/bin/unshare",
            [
                "-Ur", "sh", "-c",
                "echo 9 > /proc/sys/user/max_inotify_watches; exec \"$0\" watch \"$1\" --debounce 0.3 --poll 1",
                Cue.binary, cue.library,
            ], environment: cue.environment)
        defer { process.send(SIGKILL) }
        #expect(
            try eventually { try cue.run("status", cue.library, "--json").json["watcher"]["phase"].string == "idle" })
        #expect(try cue.run("status", cue.library).text.contains("looks every minute") == false)

        #expect(try cue.shell("mkdir -p library/{1..20}/deep").code == 0)

        #expect(try eventually { try cue.run("status", cue.library).text.contains("looks every minute") })
        try cue.write("20/deep/Draft.md", "unheard")
        #expect(try cue.arrives("20/deep/Draft.md", "unheard"))
    }
}
