import CueTestSupport
import Foundation
import Testing

@Suite("Fault: a watcher loses its vault, its folder, or the kernel's news")
struct WatchTroubleFault {
    @Test("The vault goes: what is new waits since then, and is stored when it is back")
    func vaultAway() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Draft.md", "1")
        let watching = try Watching(cue)

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

    @Test("Another vault in its place is an error that status shows, and nothing is stored in it")
    func otherVault() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Draft.md", "1")
        let watching = try Watching(cue)
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

    @Test("The folder goes, and comes back: it is watched again")
    func rootAway() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Draft.md", "1")
        let watching = try Watching(cue)

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
        let cue = Cue()
        try cue.initialize()
        try cue.write("Draft.md", "1")
        let watching = try Watching(cue)
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
        .enabled(if: FileManager.default.isWritableFile(atPath: queue)))
    func overflow() throws {
        let cue = Cue()
        try cue.initialize()
        // The kernel asks for the number when a watcher begins; others keep theirs.
        let usual = try String(contentsOfFile: Self.queue, encoding: .utf8)
        try Data("64".utf8).write(to: URL(fileURLWithPath: Self.queue), options: [])
        defer { try? Data(usual.utf8).write(to: URL(fileURLWithPath: Self.queue), options: []) }
        #expect(try cue.shell("mkdir library/early").code == 0)
        let watching = try Watching(cue)
        try Data(usual.utf8).write(to: URL(fileURLWithPath: Self.queue), options: [])

        watching.send(SIGSTOP)
        let made = try cue.shell(
            "cd library && touch early/{1..500} && mkdir -p late/deep && touch late/deep/{1..2000}")
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
