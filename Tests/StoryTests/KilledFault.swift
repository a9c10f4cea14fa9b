import CueTestSupport
import Foundation
import Testing

@Suite("Fault: killed at any moment")
struct KilledFault {
    /// Writes pages of random bytes anew, and a bundle.
    private static func pages(_ cue: Cue, count: Int, bytes: Int) throws {
        let script = """
            mkdir -p library/Book library/Novel.scriv/Files
            for n in $(seq "$1"); do head -c "$2" /dev/urandom > "library/Book/Page $n.bin"; done
            echo "one $RANDOM" > library/Novel.scriv/Files/1.rtf; echo two > library/Novel.scriv/Files/2.rtf
            """
        #expect(try cue.shell(script, String(count), String(bytes)).code == 0)
    }

    /// What must hold after any end of a backup: the vault is whole, the next run completes, all of the library comes
    /// back.
    private static func expectWhole(_ cue: Cue, _ what: String) throws {
        let check = try cue.run("check", cue.library, "--json")
        #expect(check.code == 0, "\(what): \(check.text)\(check.errors)")
    }

    private static func expectRecovers(_ cue: Cue, _ what: String) throws {
        let backup = try cue.backup()
        let check = try cue.run("check", cue.library, "--read-data", "--json")
        let restored = try cue.restore(to: "out")
        #expect(backup.code == 0, "\(what): \(backup.text)\(backup.errors)")
        #expect(backup.json["conflicting"].strings == [], "\(what): nothing is in conflict with itself")
        #expect(check.code == 0, "\(what): \(check.text)\(check.errors)")
        #expect(restored.code == 0, "\(what): \(restored.text)")
        let differences = try cue.differences("library", "out")
        #expect(differences == "", "\(what): \(backup.text)")
        try cue.shell("rm -rf out")
    }

    @Test(
        "SIGKILL at forty moments of large backups leaves a whole vault, and the next run completes", arguments: 1...4)
    func randomMoments(seed: UInt64) throws {
        let cue = Cue()
        try cue.initialize()
        var generator = SeededGenerator(seed: seed)
        try Self.pages(cue, count: 24, bytes: 1 << 20)
        let started = Date()
        try cue.snapshot()
        let duration = Date().timeIntervalSince(started)

        for round in 1...10 {
            try Self.pages(cue, count: 16, bytes: 1 << 20)
            let backup = try cue.start(["backup", cue.library])
            let moment = duration * Double.random(in: 0...1, using: &generator)
            usleep(UInt32(moment * 1_000_000))
            backup.send(9)
            _ = try backup.result()
            try Self.expectWhole(cue, "seed \(seed), round \(round), \(moment) s")
            if round % 5 == 0 { try Self.expectRecovers(cue, "seed \(seed), round \(round), \(moment) s") }
        }
        #expect(try cue.shell("ls vault/tmp").text == "", "seed \(seed): what killed runs left is gone")
    }

    private static let calls = ["fsync", "renameat2", "pwrite64", "write", "mkdirat", "ftruncate", "unlinkat"]

    /// Runs a backup in which the n-th call of a kind (counted in each thread) meets `fault`; nil if it was never met.
    private static func backup(_ cue: Cue, _ call: String, _ fault: String, at number: Int) throws -> Running.Result? {
        let script = """
            strace -f -qq -o trace -e trace=\(call) -e inject=\(call):\(fault):when=\(number) "$CUE" backup library
            """
        let result = try cue.shell(script, deadline: 30)
        let isMet = try cue.shell("grep -c -e INJECTED -e 'killed by SIGKILL' trace").text != "0\n"
        return isMet ? result : nil
    }

    @Test(
        "SIGKILL at an exact system call leaves a whole vault, and the next run completes",
        .enabled(if: Machine.canTrace, "strace is not here"), arguments: calls)
    func exactMoments(call: String) throws {
        let cue = Cue()
        try cue.initialize()
        for number in [1, 2, 3, 5, 8, 13] {
            try Self.pages(cue, count: 3, bytes: 30_000)
            try cue.write("New \(number).md", "a new page")
            guard try Self.backup(cue, call, "signal=KILL", at: number) != nil else { break }
            try Self.expectWhole(cue, "\(call) \(number)")
            try cue.write("New \(number).md", "a new page, and what was written after the power came back")
            if number == 2 || number == 5 { try Self.expectRecovers(cue, "\(call) \(number)") }
        }
        try Self.expectRecovers(cue, call)
    }

    @Test(
        "A disk that fails at an exact system call is never mistaken for success",
        .enabled(if: Machine.canTrace, "strace is not here"),
        arguments: [
            ("fsync", "EIO"), ("pwrite64", "EIO"), ("write", "EIO"), ("renameat2", "EIO"), ("write", "ENOSPC"),
            ("openat", "EMFILE"),
        ])
    func diskErrors(call: String, error: String) throws {
        let cue = Cue()
        try cue.initialize()
        try Self.pages(cue, count: 2, bytes: 10_000)
        try cue.snapshot()
        let numbers = call == "openat" ? [80, 90, 100, 110] : [1, 2, 4, 7]
        for number in numbers {
            try Self.pages(cue, count: 3, bytes: 30_000)
            guard let result = try Self.backup(cue, call, "error=\(error)", at: number) else { break }
            // The loader met it, and not cue.
            if result.code == 127 { continue }
            let what = "\(call) \(number): \(result.code) \(result.errors)"
            #expect(result.signal == nil && [0, 1, 2, 3, 6, 7].contains(result.code), "\(what)")
            #expect(result.code == 0 || result.errors.contains("cue: "), "\(what)")
            if result.code == 0 {
                // It said that all is safe, so it is.
                let restored = try cue.restore(to: "now")
                #expect(try restored.code == 0 && cue.differences("library", "now") == "", "\(what)")
                try cue.shell("rm -rf now")
            }
            try Self.expectWhole(cue, what)
        }
        try Self.expectRecovers(cue, call)
    }

    /// Starts a backup and sends it a signal between its first pack and its last; nil if it was too quick for that.
    private static func backup(_ cue: Cue, meets signal: Int32, pages: Int) throws -> Running.Result? {
        let backup = try cue.start(["backup", cue.library])
        while try cue.objects(in: "packs").isEmpty && backup.isRunning { usleep(1000) }
        // Stopped, it can be looked at; what is sent to it waits until it goes on.
        backup.send(SIGSTOP)
        let isInTime = try backup.isRunning && cue.vaultBytes() < pages << 19
        backup.send(signal)
        backup.send(SIGCONT)
        let result = try backup.result()
        return isInTime ? result : nil
    }

    @Test(
        "SIGINT and SIGTERM end a backup with 130 and a sentence, and the next one does not upload again what is safe",
        arguments: [SIGINT, SIGTERM, SIGHUP])
    func interrupted(signal: Int32) throws {
        var (cue, pages) = (Cue(), 100)
        var stopped: Running.Result?
        for _ in 1...4 where stopped == nil {
            cue = Cue()
            try cue.initialize()
            try Self.pages(cue, count: pages, bytes: 1 << 20)
            stopped = try Self.backup(cue, meets: signal, pages: pages)
            if stopped == nil { pages += 50 }
        }
        let result = try #require(stopped, "each backup was all but done before the signal")
        #expect(result.code == 130, "\(result)")
        #expect(result.errors.contains("interrupted"), "\(result.errors)")
        let safe = try cue.vaultBytes()
        try Self.expectWhole(cue, "after \(signal)")

        let next = try cue.backup()

        #expect(next.code == 0)
        // Each run rounds the last pack of each worker up, by 4 MiB at most.
        #expect(
            next.json["added_bytes"].int < (pages + 2) << 20 - safe + 20 << 20, "\(safe) bytes were safe: \(next.text)")
        #expect(try cue.vaultBytes() < (pages + 20) << 20)
        try Self.expectRecovers(cue, "after \(signal)")
    }

    /// How many packs the local store has noted as durable and in no commit.
    private static func notedPacks(_ cue: Cue) throws -> Int {
        let script = """
            import glob, sqlite3
            for path in glob.glob("home/libraries/*/store.db"):
                try: print(sqlite3.connect(path, timeout=20).execute("SELECT COUNT(*) FROM pack_left").fetchone()[0])
                except sqlite3.OperationalError: print(0)
            """
        return Int(try cue.python(script).text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    @Test("A first backup that is killed several times goes on where it was, and stores little twice")
    func killedFirstBackup() throws {
        let cue = Cue()
        let pages = 160
        try cue.initialize()
        try Self.pages(cue, count: pages, bytes: 1 << 20)
        var kills = 0
        for round in 1...4 {
            let backup = try cue.start(["backup", cue.library])
            // Each run gets a little further than the one before it.
            while backup.isRunning, try Self.notedPacks(cue) < round { usleep(1000) }
            backup.send(9)
            if try backup.result().signal != nil { kills += 1 }
            try Self.expectWhole(cue, "killed \(round) times")
        }
        #expect(kills >= 3)

        try Self.expectRecovers(cue, "after \(kills) kills")

        // A pack that became durable in the very moment of a kill may lie there unnoted, one for each worker.
        let bytes = try cue.vaultBytes()
        #expect(bytes < (pages + 70) << 20, "\(bytes) bytes")
    }

    @Test("Two backups of one library at once both end well")
    func twoAtOnce() throws {
        let cue = Cue()
        try cue.initialize()
        for round in 1...4 {
            try Self.pages(cue, count: 8, bytes: 300_000)
            let both = try (1...3).map { _ in try cue.start(["backup", cue.library, "--json"]) }
            let status = try cue.run("status", cue.library)
            let results = try both.map { try $0.result() }
            #expect(results.map(\.code) == [0, 0, 0], "\(round): \(results.map { $0.text + $0.errors })")
            #expect(status.code == 0, "\(status.errors)")
            #expect(Set(results.map { $0.json["snapshot"].string }).count == 1)
        }
        try Self.expectRecovers(cue, "two at once")
    }

    @Test("A restore that is killed is completed by the next one, and leaves no wrong file under a final name")
    func killedRestore() throws {
        let cue = Cue()
        try cue.initialize()
        var generator = SeededGenerator(seed: 8)
        try Self.pages(cue, count: 40, bytes: 500_000)
        try cue.snapshot()
        for _ in 1...6 {
            let restore = try cue.start(["restore", "--vault", cue.vault, "--to", cue.folder.appending("out")])
            let moment = UInt32.random(in: 20_000...250_000, using: &generator)
            usleep(moment)
            restore.send(9)
            _ = try restore.result()
            let left = try cue.differences("library", "out", "--content-only").split(separator: "\n")
            let wrong = left.dropLast().filter { !$0.hasSuffix("is missing") && !$0.contains(".cue-restore-") }
            #expect(wrong.isEmpty || !cue.folder.exists("out"), "\(moment) µs: \(wrong)")
        }
        #expect(try cue.restore(to: "out").code == 0)
        #expect(
            try cue.differences("library", "out", "--content-only").split(separator: "\n").dropLast().allSatisfy {
                $0.contains(".cue-restore-")
            })
    }
}
